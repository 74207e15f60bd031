import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { ask, isReady, notReady } from '../harness/health.ts';
import { freePort } from '../harness/ports.ts';
import { startWorld, type World } from '../harness/world.ts';

const campaign = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;

let world: World;
let admin: Redis;
/** Ends the refusal that is under way. */
let ending: Refusal['end'] | undefined;
beforeAll(async () => {
  world = await startWorld({ scenario: { campaigns: [campaign] } });
  admin = new Redis(world.redis.url);
});
afterEach(async () => {
  await ending?.();
  ending = undefined;
});
afterAll(async () => {
  admin.disconnect();
  await world.close();
});

/** The commands that Redis gets in a second, over long enough that none of them counts for much. */
async function commandsPerSecond(): Promise<number> {
  const before = { at: performance.now(), commands: await commandsOf() };
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return ((await commandsOf()) - before.commands) / ((performance.now() - before.at) / 1_000);
}

/** How Redis comes to refuse, with which code, and what is done about it. */
interface Refusal {
  readonly code: string;
  readonly why: string;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** The size that a file of Redis may have: its append-only file can then no longer grow, as on a full disk. */
async function limitFiles(bytes: number | 'unlimited'): Promise<void> {
  const pid = /process_id:(\d+)/.exec(await admin.info('server'))?.[1] ?? '';
  await promisify(execFile)('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`]);
}

const commandsOf = async () => Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);

const refusals: readonly Refusal[] = [
  {
    code: 'OOM',
    why: 'its memory is full',
    begin: () => admin.config('SET', 'maxmemory', '1mb'),
    end: () => admin.config('SET', 'maxmemory', '0'),
  },
  {
    code: 'NOREPLICAS',
    why: 'its replicas are missing',
    begin: () => admin.config('SET', 'min-replicas-to-write', '1'),
    end: () => admin.config('SET', 'min-replicas-to-write', '0'),
  },
  {
    code: 'READONLY',
    why: 'it is a replica, which takes no changes',
    begin: async () => admin.replicaof('127.0.0.1', await freePort()),
    end: () => admin.replicaof('NO', 'ONE'),
  },
  {
    code: 'MISCONF',
    why: 'it cannot write to its disk',
    begin: async () => {
      await limitFiles(1);
      // Redis finds out at its next write.
      await admin.set('any', '1').catch(() => undefined);
    },
    end: () => limitFiles('unlimited'),
  },
];

test.each(refusals)(
  'a Redis that refuses writes ($code) is not ready, takes nothing, says so, and goes on',
  async ({ code, why, begin, end }) => {
    const { ann, ben, chloe, marketplace, port } = world;
    const [first = ''] = await marketplace.submit({
      campaign_id: campaign.campaign_id,
      proof: [`one ${code}`],
    });
    const [second = ''] = await marketplace.submit({
      campaign_id: campaign.campaign_id,
      proof: [`two ${code}`],
    });
    const one = await ann.sees('C01REVIEW', new RegExp(`one ${code}`));
    const two = await ann.sees('C01REVIEW', new RegExp(`two ${code}`));
    await ben.clicks(two, 'NOK');
    const reason = await ben.modal(/Refuse this task/);
    await reason.fill('Why is it refused?', 'Another shelf');
    expect(await isReady(world)).toBe(true);

    await begin();
    ending = end;
    await eventually('/readyz to say so', () => notReady(world, new RegExp(`${why} \\(${code}\\)`)));
    expect((await ann.clicks(one, 'OK')).acked).toBe(true);
    const notTaken = new RegExp(
      `because ${why} \\(${code}\\)\\. This was not saved, and nothing was changed`,
    );
    expect((await ann.sees('C01REVIEW', notTaken)).ephemeral).toBe(true);
    const kept = await reason.submit();
    expect(Object.values(kept.errors ?? {})).toEqual([expect.stringMatching(notTaken)]);
    await chloe.types('C01REVIEW', '/proofdesk workers');
    expect((await chloe.sees('C01REVIEW', notTaken)).ephemeral).toBe(true);
    expect((await one.refresh()).buttons).toContain('OK');
    const [third = ''] = await marketplace.submit({
      campaign_id: campaign.campaign_id,
      proof: [`three ${code}`],
    });
    expect((await ask(port, '/readyz'))?.status).toBe(503);

    // No worker asks again and again: without a pause, a Redis without memory refuses 30,000 commands per second.
    expect(await commandsPerSecond()).toBeLessThan(500);
    const from = world.log.length;
    await end();
    await eventually('/readyz to be well again', () => isReady(world));
    // Nothing that was refused is done later.
    const rating = async (task: string) => (await marketplace.task(task)).task_rating;
    expect([await rating(first), await rating(second)]).toEqual(['NOTRATED', 'NOTRATED']);
    await ann.clicks(one, 'OK');
    await reason.submit();
    const three = await ben.sees('C01REVIEW', new RegExp(`three ${code}`));
    await ben.clicks(three, 'OK');
    await eventually(
      'all three ratings',
      async () => [await rating(first), await rating(second), await rating(third)].join() === 'OK,NOK,OK',
    );
    expect(world.log.length - from).toBeLessThan(2_000);
  },
);
