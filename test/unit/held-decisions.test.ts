import { expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/task.ts';
import type { AccountRef, CampaignId, TaskId } from '../../src/domain/terms.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { decided, waitingRow } from '../harness/waiting-row.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const [first, second] = [asId<TaskId>('t1'), asId<TaskId>('t2')];
const at = Date.UTC(2026, 10, 20);
const campaign = asId<CampaignId>('c1');
const redis = redisPerFile();

test('those decisions are found as held that wait for their campaign, until they are sent, and no others; what was sent is not due any more', async () => {
  const tasks = createTasks(redis());
  for (const id of [first, second]) {
    const decision = `d-${id}`;
    const events: TaskEvent[] = [
      waitingRow(id, campaign, at, { want: 'card', submittedAt: at, readAt: at }),
      decided(decision, {}, at),
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
