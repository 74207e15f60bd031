import { expect, test } from 'vitest';
import { runTogether } from '../../src/domain/collections.ts';
import type { TaskEvent } from '../../src/domain/task.ts';
import type { CampaignId, TaskId } from '../../src/domain/terms.ts';
import { accountKey } from '../../src/store/format.ts';
import { changeIf } from '../../src/store/scripts.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { decided, waitingRow } from '../harness/waiting-row.ts';

const redis = twoRedisClients();

const decidedBy = (by: string) => decided(`d${by}`, { by: asId(by) });

test('of two decisions that two processes store at the same moment, one is made, and the record has it', async () => {
  const [here, there] = [createTasks(redis.first), createTasks(redis.second)];
  for (let number = 0; number < 20; number += 1) {
    const id = asId<TaskId>(`t${number}`);
    await here.apply(ref, id, waitingRow(id));
    const ours = here.apply(ref, id, decidedBy('U01ANN'));
    const results = await Promise.all([ours, there.apply(ref, id, decidedBy('U02BEN'))]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['done', 'rejected']);
    const made = results.findIndex(({ kind }) => kind === 'done');
    expect((await here.get(ref, id))?.decision?.by).toBe(['U01ANN', 'U02BEN'][made]);
  }
});

test('of two decisions that one process stores at the same moment, one is made, and the other one is told so', async () => {
  const tasks = createTasks(redis.first);
  const ids = Array.from({ length: 20 }, (_, number) => asId<TaskId>(`own${number}`));
  await Promise.all(ids.map((id) => tasks.apply(ref, id, waitingRow(id))));
  const both = (id: TaskId) => ['U01ANN', 'U02BEN'].map((by) => tasks.apply(ref, id, decidedBy(by)));
  const results = await Promise.all(ids.flatMap(both));
  expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(ids.length);
  for (const { kind, task } of results.filter((result) => result.kind !== 'done')) {
    expect(kind).toBe('rejected');
    expect(task?.decision?.by).toBeDefined();
  }
  const entries = (await redis.first.xrange(accountKey(ref, 'audit'), '-', '+')).map(([, [, text]]) => text);
  for (const id of ids) expect(entries.filter((text) => text?.includes(`"${id}"`))).toHaveLength(1);
});

const [first, second] = [asId<TaskId>('t1'), asId<TaskId>('t2')];
const at = Date.UTC(2026, 10, 20);
const campaign = asId<CampaignId>('c1');

test('those decisions are found as held that wait for their campaign, until they are sent, and no others; what was sent is not due any more', async () => {
  const tasks = createTasks(redis.first);
  for (const id of [first, second]) {
    const decision = `d-${id}`;
    const waits = id === first ? { waitsFor: 'campaign' as const } : {};
    const events: TaskEvent[] = [
      waitingRow(id, campaign, at, { want: 'card', submittedAt: at, readAt: at }),
      decided(decision, {}, at),
      { type: 'sending', decision, attempt: 1, at, leaseUntil: at + 30_000 },
      { type: 'held', decision, attempt: 1, until: at + 300_000, problem: { text: 'It waits.', ...waits } },
    ];
    for (const event of events) expect((await tasks.apply(ref, id, event)).kind).toBe('done');
  }
  expect(await tasks.find(ref, 'due')).toEqual([first, second]);
  expect(await tasks.find(ref, 'held')).toEqual([first]);
  const decision = `d-${first}`;
  const sent: TaskEvent[] = [
    { type: 'released', decision, at: at + 1 },
    { type: 'sending', decision, attempt: 2, at: at + 1, leaseUntil: at + 30_000 },
    { type: 'applied', decision, at: at + 2, answered: true },
  ];
  for (const event of sent) expect((await tasks.apply(ref, first, event)).kind).toBe('done');
  expect(await tasks.find(ref, 'held')).toEqual([]);
  expect(await tasks.find(ref, 'due')).toEqual([second]);
});

test('a change is made only while what was read still stands, all of it or nothing', async () => {
  const entries: string[] = [];
  const step = { key: '{a}:audit', text: 'entry', stored: () => entries.push('logged') };
  const add = (before: string, after: string) =>
    changeIf(
      redis.first,
      [
        [before, 'HGET', '{a}:hash', 'field'],
        ['', 'ZSCORE', '{a}:set', 'other'],
      ],
      [
        ['HSET', '{a}:hash', 'field', after],
        ['ZADD', '{a}:set', 1, 'one'],
      ],
      step,
    );
  expect(await add('something', 'new')).toBe(false);
  expect(await redis.second.exists('{a}:hash', '{a}:set', '{a}:audit')).toBe(0);
  expect(await add('', 'naïve "quoted" \ud83d')).toBe(true);
  expect(await redis.second.hget('{a}:hash', 'field')).toBe('naïve "quoted" \ufffd');
  await redis.second.zadd('{a}:set', 2, 'other');
  expect(await add('naïve "quoted" \ufffd', 'again')).toBe(false);
  expect([await redis.second.xlen('{a}:audit'), entries]).toEqual([1, ['logged']]);
});

test('of many who count at the same time, each counts once', async () => {
  const count = async (client: typeof redis.first): Promise<void> => {
    const before = (await client.get('count')) ?? '';
    const set = ['SET', 'count', Number(before) + 1] as const;
    if (!(await changeIf(client, [[before, 'GET', 'count']], [set]))) await count(client);
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => count(index % 2 ? redis.first : redis.second)));
  expect(await redis.first.get('count')).toBe('20');
});

const ids = Array.from({ length: 20 }, (_, index) => asId<never>(`t${index}`));

/** Stores the tasks, each with a message that does not show it yet, and acquires the right to render them. */
async function rendered() {
  const tasks = createTasks(redis.first);
  for (const id of ids) await tasks.apply(ref, id, waitingRow(id, undefined, undefined, { want: 'card' }));
  const leases = await Promise.all(ids.map((id) => tasks.acquireRenderLease(ref, id, 60_000)));
  const revisions = (await tasks.getMany(ref, ids)).map(({ revision }) => revision);
  return { tasks, leases, revisions };
}

test('messages that were rendered are recorded, and those that have changed meanwhile stay marked', async () => {
  const { tasks, leases, revisions } = await rendered();
  const isLatest = await Promise.all(
    // The last one has changed since it was drawn.
    leases.map(async (lease, index) => lease?.markRendered((revisions[index] ?? 0) - (index === 19 ? 1 : 0))),
  );
  expect(isLatest).toEqual([...Array.from({ length: 19 }, () => true), false]);
  expect(await tasks.find(ref, 'needs-render')).toEqual(['t19']);
  // The leases of the others are free, and this one can still be rendered by its owner alone.
  const keys = ids.map((id) => accountKey(ref, 'task', id, 'render-lease'));
  expect((await redis.first.mget(...keys)).map((owner) => owner !== null)).toEqual(
    ids.map((_, index) => index === 19),
  );
});

test('what runs together has ended before the first failure is thrown', async () => {
  const ended: number[] = [];
  const running = runTogether([0, 1, 2], async (item) => {
    if (item === 0) throw new Error('failed');
    await new Promise((resolve) => setTimeout(resolve, item));
    ended.push(item);
    return item;
  });
  await expect(running).rejects.toThrow('failed');
  expect(ended).toEqual([1, 2]);
  expect(await runTogether(['a', 'b'], async (item, index) => `${item}${index}`)).toEqual(['a0', 'b1']);
});
