import { expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/task.ts';
import type { CampaignId, TaskId } from '../../src/domain/terms.ts';
import { accountKey } from '../../src/store/format.ts';
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
