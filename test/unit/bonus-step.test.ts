import { expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { TaskEvent } from '../../src/domain/task.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { createSpendingStore, reservationMs } from '../../src/store/rights.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { decided, undone, waitingRow } from '../harness/waiting-row.ts';

/** Of five hours before UTC: late in the evening there, it is the next day here. */
const zone = 'America/New_York';
const at = Date.UTC(2026, 10, 23, 4, 30);
const id = asId<TaskId>('t1');
const ben = asId<MemberId>('U2');

const redis = twoRedisClients();
const spending = () => createSpendingStore(redis.first, zone);
const tasksOf = () => createTasks(redis.second, undefined, () => at, undefined, zone);

const seen = waitingRow(id, asId('c1'), undefined, { readAt: at, want: 'card' });
const decides = (more: { approvedBy?: MemberId } = {}): TaskEvent => ({
  ...decided('d1', { by: ben, bonus: '0.3' }, at),
  ...more,
});
const sending: TaskEvent = { type: 'sending', decision: 'd1', attempt: 1, at, leaseUntil: at + 40_000 };

const reserve = () =>
  spending().reserve(ref, { member: ben, budget: 'bonus', id: 'd1', at }, money('0.3'), money('0.5'));
/** What counts long after every reservation has ended. */
const spentLater = async () =>
  (await spending().spent(ref, { member: ben, budget: 'bonus', at: at + reservationMs + 1 })).toFixed();

async function play(...events: TaskEvent[]): Promise<void> {
  for (const event of events) await tasksOf().apply(ref, id, event);
}

test('a bonus counts towards its author’s day in the step that stores its decision, once, though its reservation had ended, and however often that is delivered', async () => {
  await play(seen);
  // Nothing is reserved: the process stood still for too long.
  await play(decides(), decides());
  expect(await spentLater()).toBe('0.3');
});

test.each<[string, TaskEvent[]]>([
  ['undone', [undone('d1')]],
  ['refused', [sending, { type: 'refused', decision: 'd1', attempt: 1, problem: { text: 'no' } }]],
  ['overtaken', [sending, { type: 'overtaken', decision: 'd1', attempt: 1, rating: 'NOK', comment: '', at }]],
  [
    'overtaken, as a poll has found',
    [
      {
        ...{ ...seen, type: 'confirmed', rating: 'NOK', readAt: at + 60_000 },
        answer: { comment: 'by the website', slots: ['done'] },
      } as unknown as TaskEvent,
    ],
  ],
])(
  'a bonus counts towards its author’s day in the step that ends it: %s, it is taken off again, once',
  async (_, events) => {
    await play(seen);
    await reserve();
    await play(decides());
    expect(await spentLater()).toBe('0.3');
    await play(...events, ...events);
    expect(await spentLater()).toBe('0');
    // It fits again.
    expect((await reserve()).fits).toBe(true);
  },
);

test('a bonus counts towards its author’s day in the step that applies it: it stays', async () => {
  await play(seen);
  await reserve();
  await play(decides(), sending, { type: 'applied', decision: 'd1', at, answered: true });
  expect(await spentLater()).toBe('0.3');
});

/** The marketplace has applied the first attempt after all, and a second one was refused before that was known. */
const lateAnswer: TaskEvent[] = [
  sending,
  { type: 'outcome-unknown', decision: 'd1', attempt: 1, until: at },
  { ...sending, attempt: 2, at: at + 1 },
  { type: 'refused', decision: 'd1', attempt: 2, problem: { text: 'no' } },
  { type: 'applied', decision: 'd1', at: at + 2, answered: true },
];

test('a bonus counts towards its author’s day in the step that learns late that it was applied, though it was given back as refused: it counts again, once', async () => {
  await play(seen);
  await reserve();
  await play(decides(), ...lateAnswer.slice(0, -1));
  expect(await spentLater()).toBe('0');
  await play(...lateAnswer.slice(-1), ...lateAnswer.slice(-1));
  expect(await spentLater()).toBe('0.3');
  const more = { member: ben, budget: 'bonus', id: 'd2', at } as const;
  expect((await spending().reserve(ref, more, money('0.3'), money('0.5'))).fits).toBe(false);
});

test('a bonus counts towards its author’s day in the step that learns late that it was applied counts none that a manager has approved', async () => {
  await play(seen, decides({ approvedBy: asId<MemberId>('U1') }), ...lateAnswer);
  expect((await tasksOf().get(ref, id))?.decision?.state).toBe('applied');
  expect(await spentLater()).toBe('0');
});

test('a bonus counts towards its author’s day in the step that stores its decision, unless a manager has approved it', async () => {
  await play(seen, decides({ approvedBy: asId<MemberId>('U1') }), undone('d1'));
  expect(await spentLater()).toBe('0');
});
