import { expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/events.ts';
import type { AccountRef, CampaignId, TaskId } from '../../src/domain/terms.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { asId } from '../harness/ids.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const [first, second] = [asId<TaskId>('t1'), asId<TaskId>('t2')];
const at = Date.UTC(2026, 10, 20);
const redis = emptyRedis();

const seen = (id: TaskId): TaskEvent => ({
  type: 'seen',
  ...{ id, campaign: asId<CampaignId>('c1'), rating: 'NOTRATED', comment: '', csvRow: '1' },
  submittedAt: at,
  worker: { id: asId('w1'), country: '', ip: '' },
  proof: { slots: ['x'], files: [], finishedAt: at },
  readAt: at,
  want: 'card',
});

test('those decisions are found as held that wait for their campaign, until they are sent, and no others; what was sent is not due any more', async () => {
  const tasks = createTasks(redis());
  for (const id of [first, second]) {
    const decision = `d-${id}`;
    const events: TaskEvent[] = [
      seen(id),
      {
        type: 'decided',
        decision: { id: decision, by: asId('U1'), verdict: 'OK', comment: '' },
        round: 1,
        at,
        sendAt: at,
      },
      { type: 'sending', decision, attempt: 1, at, leaseUntil: at + 30_000 },
      {
        type: 'held',
        ...{ decision, attempt: 1, until: at + 300_000 },
        problem: { text: 'It waits.', ...(id === first ? { waitsFor: 'campaign' as const } : {}) },
      },
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
