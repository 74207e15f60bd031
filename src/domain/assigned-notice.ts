import { z } from 'zod';
import { isShown, Mirrored, type PostEvent, reminderTimes, withPost } from './live-message.ts';
import { ChannelId, MemberId } from './terms.ts';

/** Assignments within this time after a message (ms) are added to it, so that many assignments need only one message. */
export const gatherMs = 300_000;

/** A member's task counts, in total and near their deadline; each entry of `within` includes the previous one. */
export const AssignedCounts = z
  .object({
    count: z.number(),
    late: z.number(),
    within: z.array(z.number()).readonly(),
  })
  .readonly();
export type AssignedCounts = z.infer<typeof AssignedCounts>;

/** The direct message that tells a member about assigned tasks, and reminds them of deadlines. */
export const AssignedNotice = z
  .object({
    member: MemberId,
    /** The direct conversation with the member. */
    channel: ChannelId,
    /**
     * `some`: the member has tasks · `none`: not any more · `renewed`: there is news, so another message follows, which
     * notifies the member.
     */
    state: z.enum(['some', 'none', 'renewed']),
    ...AssignedCounts.unwrap().shape,
    /** Who has assigned how many tasks, as told by this message. */
    assigned: z.array(z.object({ by: MemberId, tasks: z.number() }).readonly()).readonly(),
    /** Number of the latest assignment the member was told about. */
    toldUpTo: z.number(),
    /** The highest reminder level so far: none, or deadlines within 48, 24 or 6 hours. */
    level: z.number(),
    /** When it was created (ms), and when its content last changed. */
    sentAt: z.number(),
    changedAt: z.number(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type AssignedNotice = z.infer<typeof AssignedNotice>;

/** A new assignment of a task; `number` is its sequence number. */
export interface NewAssignment {
  readonly number: number;
  readonly by: MemberId;
}

export type AssignedNoticeEvent =
  | {
      readonly type: 'counted';
      readonly member: MemberId;
      readonly channel: ChannelId;
      readonly counts: AssignedCounts;
      readonly news: readonly NewAssignment[];
      readonly at: number;
      /** Minimum interval between updates of a message's counts (ms). */
      readonly paceMs: number;
    }
  | PostEvent;

/** Counts a member's tasks by deadline. */
export function assignedCounts(tasks: readonly { readonly dueAt?: number }[], now: number): AssignedCounts {
  const times = reminderTimes(now);
  const [late = 0, ...within] = times.map(
    (until) => tasks.filter(({ dueAt }) => dueAt !== undefined && dueAt <= until).length,
  );
  return { count: tasks.length, late, within };
}

/** Returns the urgency of the counts: from 0, nothing is due soon, to 3, within the shortest time. */
export function levelOf({ within }: Pick<AssignedCounts, 'within'>): number {
  return within.filter((count) => count > 0).length;
}

/** Applies an event. Returns the changed notice, or undefined when nothing changes. Pure. */
export function applyAssignedEvent(
  before: AssignedNotice | undefined,
  event: AssignedNoticeEvent,
): AssignedNotice | undefined {
  if (event.type === 'counted') return counted(before, event);
  return before && withPost(before, event, before.state === 'some');
}

function counted(
  before: AssignedNotice | undefined,
  event: Extract<AssignedNoticeEvent, { type: 'counted' }>,
): AssignedNotice | undefined {
  const { member, channel, counts, at } = event;
  const news = event.news.filter(({ number }) => number > (before?.toldUpTo ?? 0));
  const current = levelOf(counts);
  // Handled tasks may become urgent again, which is a new reminder.
  const told = Math.min(before?.level ?? 0, current);
  const isDue = current > told;
  const level = isDue ? current : told;
  const toldUpTo = news.reduce((most, { number }) => Math.max(most, number), before?.toldUpTo ?? 0);
  if (before === undefined || !isShown(before)) {
    if (counts.count === 0 || (news.length === 0 && !isDue))
      return before && before.level !== told ? { ...before, level: told } : undefined;
    const revision = (before?.revision ?? 0) + 1;
    const said = { ...counts, ...withNews(news, undefined), toldUpTo, level };
    const times = { sentAt: at, changedAt: at };
    return { member, channel, state: 'some', ...said, ...times, card: { state: 'wanted' }, revision };
  }
  const said = { ...counts, ...withNews(news, before), toldUpTo };
  if (before.card.state === 'wanted') return beforePost(before, event, { ...said, level });
  if (before.state === 'renewed') return undefined;
  const isOld = at - before.sentAt >= gatherMs;
  const isNew = isDue || (news.length > 0 && (isOld || before.state === 'none'));
  if (isNew && counts.count > 0)
    return { ...before, state: 'renewed', changedAt: at, revision: before.revision + 1 };
  return posted(before, event, { ...said, level: told });
}

/** Returns who has assigned how many tasks, including those the message already tells. */
function withNews(
  news: readonly NewAssignment[],
  before: AssignedNotice | undefined,
): Pick<AssignedNotice, 'assigned'> {
  const counts = new Map((before?.assigned ?? []).map(({ by, tasks }) => [by, tasks]));
  for (const { by } of news) counts.set(by, (counts.get(by) ?? 0) + 1);
  return { assigned: [...counts].map(([by, tasks]) => ({ by, tasks })) };
}

/** Updates a message that is about to be posted to the current state. */
function beforePost(
  before: AssignedNotice,
  { at }: Extract<AssignedNoticeEvent, { type: 'counted' }>,
  said: Pick<AssignedNotice, 'assigned' | 'level' | 'toldUpTo'> & AssignedCounts,
): AssignedNotice | undefined {
  const isBegun = before.card.state === 'wanted' && before.card.attempt !== undefined;
  if (!isBegun && said.count === 0)
    return { ...before, state: 'none', level: 0, toldUpTo: said.toldUpTo, card: { state: 'gone' } };
  const after = { ...before, ...said };
  if (says(after) === says(before)) return undefined;
  return { ...after, changedAt: at, revision: before.revision + 1 };
}

function posted(
  before: AssignedNotice,
  { at, paceMs }: Extract<AssignedNoticeEvent, { type: 'counted' }>,
  said: Pick<AssignedNotice, 'assigned' | 'level' | 'toldUpTo'> & AssignedCounts,
): AssignedNotice | undefined {
  const revision = before.revision + 1;
  if (said.count === 0) {
    if (before.state === 'none') return undefined;
    return { ...before, ...said, state: 'none', level: 0, changedAt: at, revision };
  }
  const after = { ...before, ...said, state: 'some' as const };
  const isAtPace = at - before.changedAt >= paceMs;
  if (says(after) !== says(before) && isAtPace) return { ...after, changedAt: at, revision };
  return before.level === said.level ? undefined : { ...before, level: said.level };
}

/** Returns a notice's content as a text, for comparison. */
function says({ state, count, late, within, assigned, toldUpTo }: AssignedNotice): string {
  return JSON.stringify([state, count, late, within, assigned, toldUpTo]);
}
