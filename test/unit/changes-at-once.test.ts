import { expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/events.ts';
import type { AccountRef, TaskId, WorkerId } from '../../src/domain/terms.ts';
import { accountKey } from '../../src/store/keys.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId } from '../harness/ids.ts';
import { recordText } from '../harness/stored-task.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };

const seen = (id: TaskId): TaskEvent => ({
  type: 'seen',
  readAt: 0,
  id,
  campaign: asId('c1'),
  rating: 'NOTRATED',
  comment: '',
  worker: { id: asId('w1'), country: '', ip: '' },
  csvRow: '0',
  proof: { slots: [], files: [] },
  want: 'backlog',
});
const decided = (by: string): TaskEvent => ({
  type: 'decided',
  decision: { id: `d${by}`, by: asId(by), verdict: 'OK', comment: '' },
  round: 1,
  at: 0,
  sendAt: 0,
});

test('of two decisions that two processes store at the same moment, one is made, and the record has it', async () => {
  const [here, there] = [createTasks(redis.first), createTasks(redis.second)];
  for (let number = 0; number < 20; number += 1) {
    const id = asId<TaskId>(`t${number}`);
    await here.apply(ref, id, seen(id));
    const results = await Promise.all([
      here.apply(ref, id, decided('U01ANN')),
      there.apply(ref, id, decided('U02BEN')),
    ]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['done', 'rejected']);
    const made = results.findIndex(({ kind }) => kind === 'done');
    expect((await here.get(ref, id))?.decision?.by).toBe(['U01ANN', 'U02BEN'][made]);
  }
});

test('of two decisions that one process stores at the same moment, one is made, and the other one is told so', async () => {
  const tasks = createTasks(redis.first);
  const ids = Array.from({ length: 20 }, (_, number) => asId<TaskId>(`own${number}`));
  await Promise.all(ids.map((id) => tasks.apply(ref, id, seen(id))));
  const results = await Promise.all(
    ids.flatMap((id) => ['U01ANN', 'U02BEN'].map((by) => tasks.apply(ref, id, decided(by)))),
  );
  expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(ids.length);
  for (const { kind, task } of results.filter((result) => result.kind !== 'done')) {
    expect(kind).toBe('rejected');
    expect(task?.decision?.by).toBeDefined();
  }
  const entries = (await redis.first.xrange(accountKey(ref, 'audit'), '-', '+')).map(([, [, text]]) => text);
  for (const id of ids) expect(entries.filter((text) => text?.includes(`"${id}"`))).toHaveLength(1);
});

test('what is decided at the same moment is stored by few commands, and all of it is as when it is decided one by one', async () => {
  const at = 1_790_000_000_000;
  const together: AccountRef = { workspace: asId('T1'), account: asId('together') };
  const oneByOne: AccountRef = { workspace: asId('T1'), account: asId('one by one') };
  const ids = Array.from({ length: 30 }, (_, number) => asId<TaskId>(`t${number}`));
  const events = (id: TaskId): TaskEvent[] => [
    { ...seen(id), want: 'C1' } as unknown as TaskEvent,
    { type: 'posted', messageRef: { channel: asId('C1'), ts: `${id}.0` }, round: 1 },
    { ...decided('U01ANN'), at, sendAt: at } as TaskEvent,
    { type: 'sending', decision: 'dU01ANN', attempt: 1, at, leaseUntil: at + 10 },
    { type: 'applied', decision: 'dU01ANN', attempt: 1, at, answered: true } as TaskEvent,
  ];
  const tasks = createTasks(redis.first, undefined, () => at);
  const alone = createTasks(redis.first, undefined, () => at);
  const commandsBefore = await commands();
  for (let step = 0; step < 5; step += 1)
    for (const result of await Promise.all(
      ids.map((id) => tasks.apply(together, id, eventAt(events(id), step))),
    ))
      expect(result.kind).toBe('done');
  const commandsTogether = (await commands()) - commandsBefore;
  for (let step = 0; step < 5; step += 1)
    for (const id of ids)
      expect((await alone.apply(oneByOne, id, eventAt(events(id), step))).kind).toBe('done');
  const commandsAlone = (await commands()) - commandsBefore - commandsTogether;
  expect(commandsTogether).toBeLessThan(commandsAlone / 3);
  expect(await contents(together)).toEqual(await contents(oneByOne));
});

test('a worker whose ratings cannot be stored keeps back no decision but their own', async () => {
  const tasks = createTasks(redis.first);
  const [good, bad] = [1, 2].map((worker) =>
    Array.from({ length: 5 }, (_, number) => ({
      id: asId<TaskId>(`w${worker}-${number}`),
      worker: { id: asId<WorkerId>(`w${worker}`), country: '', ip: '' },
    })),
  );
  const all = [...(good ?? []), ...(bad ?? [])];
  await redis.first.hset(accountKey(ref, 'workers', 'ratings', 'w2'), 'of', 'another type');
  const found = (one: (typeof all)[number]): TaskEvent =>
    ({ ...seen(one.id), worker: one.worker, rating: 'NOTRATED' }) as TaskEvent;
  await Promise.all(all.map((one) => tasks.apply(ref, one.id, found(one))));
  await Promise.all(all.map(({ id }) => tasks.apply(ref, id, decided('U01ANN'))));
  const sending = { type: 'sending', decision: 'dU01ANN', attempt: 1, at: 1, leaseUntil: 10 } as const;
  await Promise.all(all.map(({ id }) => tasks.apply(ref, id, sending)));
  const applied = { type: 'applied', decision: 'dU01ANN', attempt: 1, at: 2, answered: true } as TaskEvent;
  const results = await Promise.allSettled(all.map(({ id }) => tasks.apply(ref, id, applied)));
  expect(results.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 5 }, () => 'fulfilled'),
    ...Array.from({ length: 5 }, () => 'rejected'),
  ]);
  const entries = (await redis.first.xrange(accountKey(ref, 'audit'), '-', '+')).map(([, [, text]]) => text);
  for (const { id } of all) {
    expect((await tasks.get(ref, id))?.rating).toBe('OK');
    expect(entries.filter((text) => text?.includes(`"${id}"`))).toHaveLength(2);
  }
  expect(await tasks.find(ref, 'due')).toEqual([]);
});

test('a task that was read before is not read again, unless it has changed since', async () => {
  const [here, there] = [createTasks(redis.first), createTasks(redis.second)];
  const id = asId<TaskId>('known');
  await here.apply(ref, id, seen(id));
  const read = await here.get(ref, id);
  const reads = await getsOf(accountKey(ref, 'task', id), async () => {
    expect((await here.apply(ref, read ?? id, decided('U01ANN'))).kind).toBe('done');
  });
  expect(reads).toBe(0);
  // The record as it was read before is open still; what is said of it is what is stored.
  const late = await here.apply(ref, read ?? id, decided('U02BEN'));
  expect([late.kind, late.task?.decision?.by]).toEqual(['rejected', 'U01ANN']);
  const elsewhere = await there.apply(ref, read ?? id, decided('U03CID'));
  expect([elsewhere.kind, elsewhere.task?.decision?.by]).toEqual(['rejected', 'U01ANN']);
});

const eventAt = (events: readonly TaskEvent[], step: number) => events[step] as TaskEvent;

/** How many commands Redis has run, those inside scripts counted. */
async function commands(): Promise<number> {
  const stats = await redis.second.info('commandstats');
  return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

/** How often the bot itself reads a key while something runs. */
async function getsOf(key: string, run: () => Promise<void>): Promise<number> {
  const monitor = await redis.second.monitor();
  let gets = 0;
  let isOver: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  monitor.on('monitor', (_, [command, ...args]: string[], source: string) => {
    if (command?.toLowerCase() === 'ping' && args[0] === 'over') isOver();
    if (source !== 'lua' && /^m?get$/i.test(command ?? '') && args.includes(key)) gets += 1;
  });
  try {
    await run();
    await redis.first.ping('over');
    await over;
    return gets;
  } finally {
    monitor.disconnect();
  }
}

/** All that is stored of an account, without what is random or names it. */
async function contents(of: AccountRef): Promise<Map<string, unknown>> {
  const prefix = accountKey(of, '');
  const found = new Map<string, unknown>();
  for (const key of (await redis.first.keys(`${prefix.replaceAll(/[{}]/g, '?')}*`)).toSorted())
    found.set(key.slice(prefix.length), await contentOf(key));
  return found;
}

const byText = (one: string, other: string) => one.localeCompare(other);

async function contentOf(key: string): Promise<unknown> {
  const type = await redis.first.type(key);
  const hasEnd = (await redis.first.ttl(key)) > 0;
  if (type === 'zset') return [hasEnd, await redis.first.zrange(key, '0', '-1', 'WITHSCORES')];
  if (type === 'hash') return [hasEnd, await redis.first.hgetall(key)];
  if (type === 'set') return [hasEnd, (await redis.first.smembers(key)).toSorted(byText)];
  if (type === 'stream')
    return [
      hasEnd,
      (await redis.first.xrange(key, '-', '+')).map(([, [, text = '']]) => text).toSorted(byText),
    ];
  return [hasEnd, recordText(await redis.first.getBuffer(key)) ?? (await redis.first.get(key))];
}
