import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trail } from '../../src/domain/audit.ts';
import type { AccountRef, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { sealsKey } from '../../src/store/audit/sealer.ts';
import { auditKey } from '../../src/store/audit/writer.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { programPath } from '../harness/programs.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref: AccountRef = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };

let world: World;
let redis: Redis;

/** `npm run audit -- verify` with the harness's Redis and keys. */
async function verify(keys = world.environment.PROOFDESK_ENCRYPTION_KEYS) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [await programPath('audit'), 'verify'], {
    env: { PATH, HOME, REDIS_URL: world.redis.url, PROOFDESK_ENCRYPTION_KEYS: keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

/** Waits until the last entry of a trail is sealed. */
async function sealed(trail: Trail): Promise<void> {
  await eventually('the last entry to be sealed', async () => {
    const [last] = await redis.xrevrange(auditKey(trail), '+', '-', 'COUNT', 1);
    const seal = await redis.lindex(sealsKey(trail), -1);
    return last !== undefined && seal !== null && JSON.parse(seal).to === last[0];
  });
}

describe('npm run audit -- verify', () => {
  let decided: string[];
  beforeAll(async () => {
    world = await startWorld({ scenario: { campaigns: [shelf] } });
    redis = new Redis(world.redis.url);
    await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['a shelf'] });
    const card = await world.ann.sees('C01REVIEW', /a shelf/);
    await world.ann.clicks(card, 'OK');
    await card.untilText(/:white_check_mark:/);
    await sealed(ref);
    await sealed({ workspace });
    await world.stopBots();
    decided = (await redis.xrange(auditKey(ref), '-', '+')).map(([id]) => id);
  });
  afterAll(async () => {
    redis.disconnect();
    await world.close();
  });

  const account = `Account ${workspace}/${ref.account}`;

  /** Runs the check on a trail that somebody has tampered with, then puts it back as it was. */
  async function tampered(change: () => Promise<unknown>) {
    const keys = [auditKey(ref), sealsKey(ref)];
    const copies = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    await change();
    const found = await verify();
    for (const [index, key] of keys.entries()) await redis.restore(key, 0, copies[index] ?? '', 'REPLACE');
    return found;
  }

  test('passes on what nobody has touched, and needs the keys', async () => {
    const { code, output } = await verify();
    expect(output).toMatch(new RegExp(`^ok {5}${account}: \\d+ entries, \\d+ seals?\\.$`, 'm'));
    expect(output).toMatch(new RegExp(`^ok {5}Workspace ${workspace} `, 'm'));
    expect(code).toBe(0);
    const other = await verify(Buffer.alloc(32, 8).toString('base64'));
    expect(other).toMatchObject({ code: 1, output: expect.stringContaining('a key that is not configured') });
    const both = await verify(
      `${Buffer.alloc(32, 8).toString('base64')},${Buffer.alloc(32, 7).toString('base64')}`,
    );
    expect(both.code).toBe(0);
  });

  test('finds a changed entry, and which', async () => {
    const [first = ''] = decided;
    const { code, output } = await tampered(async () => {
      const stored = await redis.xrange(auditKey(ref), '-', '+');
      await redis.del(auditKey(ref));
      for (const [id, [field = '', text = '']] of stored)
        await redis.xadd(auditKey(ref), id, field, id === first ? text.replace('U01ANN', 'U02BEN') : text);
    });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^WRONG {2}${account}`, 'm'));
    expect(output).toContain(`First problem: Entry ${first} `);
  });

  test('finds a removed entry, also the last, and the last with its seal', async () => {
    const last = decided.at(-1) ?? '';
    const gone = await tampered(() => redis.xdel(auditKey(ref), last));
    expect(gone).toMatchObject({ code: 1, output: expect.stringContaining(`Entry ${last} `) });
    const unsealed = await tampered(async () => {
      await redis.xdel(auditKey(ref), last);
      await redis.rpop(sealsKey(ref));
    });
    expect(unsealed).toMatchObject({
      code: 1,
      output: expect.stringContaining('is missing: it was removed'),
    });
  });

  test('finds an entry that somebody else has written, sealed or not', async () => {
    const forged = JSON.stringify({ v: 2, at: 1, what: 'applied', by: 'U01ANN', how: 'job' });
    const { code, output } = await tampered(() => redis.xadd(auditKey(ref), '*', 'entry', forged));
    expect(code).toBe(1);
    expect(output).toMatch(/was not written by Proofdesk, or was copied/);
    expect(output).toMatch(/1 not sealed yet, the first of /);
  });
});
