import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AssignedNotice,
  applyAssignedEvent,
  assignedCounts,
  levelOf,
} from '../../src/domain/assigned-notice.ts';
import type { ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { reviewOrder } from '../../src/features/focus/public.ts';
import { asId } from '../harness/ids.ts';
import { forAll } from './properties.ts';

const channel = asId<ChannelId>('D1');
const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const hour = 3_600_000;
const id = (index: number) => asId<TaskId>(`t${index}`);

/** What happens to a member's tasks and their message, in any order. */
const step = fc.oneof(
  fc.record({ type: fc.constant('assigned' as const), dueInHours: fc.integer({ min: 1, max: 60 }) }),
  fc.constant({ type: 'decided' as const }),
  fc.record({ type: fc.constant('waited' as const), hours: fc.integer({ min: 1, max: 20 }) }),
  { weight: 3, arbitrary: fc.constant({ type: 'rendered' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const rendered: Step[] = [{ type: 'rendered' }, { type: 'rendered' }];
const waited = (hours: number): Step => ({ type: 'waited', hours });
const day = [waited(20), waited(4)];
/** Reminders on three days. */
const reminded: Step[] = [
  { type: 'assigned', dueInHours: 60 },
  ...[...rendered, ...day, ...rendered, ...day, ...rendered, ...rendered],
  ...[waited(8), ...rendered, { type: 'decided' } as const, ...rendered],
];

/** One message that was posted, and of what it told. */
interface Post {
  readonly isReminder: boolean;
  readonly toldUpTo: number;
}

function play(steps: readonly Step[]) {
  let now = 0;
  let notice: AssignedNotice | undefined;
  let number = 0;
  let tasks: { task: TaskId; dueAt: number; number: number }[] = [];
  const posts: Post[] = [];
  const apply = (event: Parameters<typeof applyAssignedEvent>[1]) => {
    notice = applyAssignedEvent(notice, event) ?? notice;
  };
  const count = () => {
    const news = tasks.map((one) => ({ number: one.number, by: ben }));
    const sorted = tasks.toSorted((one, other) => one.dueAt - other.dueAt);
    const counts = assignedCounts(sorted, now);
    apply({ type: 'counted', member: ann, channel, counts, news, at: now, paceMs: 0 });
  };
  /** As the job does: counts, posts or updates, and ends what is over. */
  const render = () => {
    count();
    if (notice?.card.state === 'wanted') {
      posts.push({ isReminder: notice.assigned.length === 0, toldUpTo: notice.toldUpTo });
      apply({ type: 'posting', channel, at: now });
      apply({ type: 'posted', messageRef: { channel, ts: String(posts.length) } });
    }
    const shown: AssignedNotice | undefined = notice;
    if (shown?.card.state === 'posted' && shown.state !== 'some')
      apply({ type: 'card-gone', messageRef: { channel, ts: shown.card.ts } });
    return shown;
  };
  for (const one of steps) {
    if (one.type === 'assigned') {
      number += 1;
      tasks.push({ task: id(number), dueAt: now + one.dueInHours * hour, number });
    } else if (one.type === 'decided') tasks.shift();
    else if (one.type === 'waited') {
      now += one.hours * hour;
      tasks = tasks.filter(({ dueAt }) => dueAt > now);
    } else render();
  }
  const shown = [render(), render(), render()].at(-1);
  return { posts, notice: shown, tasks, number, now };
}

test('each assignment is told once, and what stands is what is so', () => {
  let reminders = 0;
  forAll({ numRuns: 300, examples: [[reminded]] }, fc.array(step, { maxLength: 40 }), (steps) => {
    const { posts, notice, tasks, number } = play(steps);
    const told = posts.map(({ toldUpTo }) => toldUpTo);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    reminders += posts.filter(({ isReminder }) => isReminder).length;
    // Two messages that tell nothing new are reminders of something more urgent: three levels, once each per task.
    expect(posts.length).toBeLessThanOrEqual(number * 4);
    if (tasks.length > 0)
      expect(notice?.toldUpTo).toBeGreaterThanOrEqual(Math.max(...tasks.map((one) => one.number)));
    if (notice?.card.state === 'posted' && notice.state === 'some') expect(notice.count).toBe(tasks.length);
    if (tasks.length === 0) expect(notice === undefined || notice.state !== 'some').toBe(true);
  });
  expect(reminders).toBeGreaterThan(0);
});

test('whoever is reminded within 48 hours is reminded again within 24 and 6, and not in between', () => {
  const { posts, notice } = play(reminded);
  expect(posts.map(({ isReminder }) => isReminder)).toEqual([false, true, true, true]);
  expect(notice).toMatchObject({ state: 'none', card: { state: 'gone' } });
});

test('counts include what is overdue', () => {
  const tasks = [{ dueAt: 5 }, { dueAt: 10 + 7 * hour }, {}];
  const counts = assignedCounts(tasks, 10);
  expect(counts).toMatchObject({ count: 3, late: 1, within: [1, 2, 2] });
  expect(levelOf(counts)).toBe(3);
});

test('a review begins with what is urgent, then own tasks, then nobody’s, then others’, each by deadline', () => {
  const owner = fc.constantFrom('mine' as const, 'others' as const, 'nobody' as const);
  forAll(fc.array(owner, { maxLength: 30 }), fc.nat(30), (owners, urgent) => {
    const queue = owners.map((_, index) => id(index));
    const of = (who: string) => new Set(queue.filter((_, index) => owners[index] === who));
    const order = reviewOrder(queue, { mine: of('mine'), others: of('others') }, urgent);
    expect(order.toSorted()).toEqual(queue.toSorted());
    const rank = (task: TaskId) => {
      const index = queue.indexOf(task);
      return index < urgent ? 0 : { mine: 1, nobody: 2, others: 3 }[owners[index] ?? 'nobody'];
    };
    const keys = order.map((task) => rank(task) * 1_000 + queue.indexOf(task));
    expect(keys).toEqual(keys.toSorted((one, other) => one - other));
  });
});
