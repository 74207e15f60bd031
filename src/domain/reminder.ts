import { z } from 'zod';
import { isShown, Mirrored, type PostEvent, withPost } from './live-message.ts';
import { CampaignId, ChannelId } from './terms.ts';

/** A reminder counts tasks that are due within these hours. */
export const reminderHours = [6, 24, 48] as const;

/** Maximum number of campaigns named in a reminder: those with the earliest deadlines. */
export const namedCampaigns = 5;

const hourMs = 3_600_000;

/** Returns the times (ms) up to which tasks are counted, at `now`; the first is for overdue tasks. */
export function reminderTimes(now: number): number[] {
  return [now, ...reminderHours.map((hours) => now + hours * hourMs)];
}

/** Content of a channel's reminder. Each count includes the previous one. */
export const ReminderContent = z
  .object({
    /**
     * `due`: tasks are due soon, or overdue · `none`: none is · `muted` in this channel · `elsewhere`: the tasks are no
     * longer reviewed in this channel.
     */
    state: z.enum(['due', 'none', 'muted', 'elsewhere']),
    late: z.number(),
    within: z.array(z.number()).readonly(),
    campaigns: z
      // `dueAt`: when the first of them is due (ms).
      .array(z.object({ id: CampaignId, tasks: z.number(), dueAt: z.number() }).readonly())
      .readonly(),
    /** Number of other campaigns. */
    others: z.number(),
  })
  .readonly();
export type ReminderContent = z.infer<typeof ReminderContent>;

/** The message in a channel about tasks that are due soon. */
export const Reminder = z
  .object({
    channel: ChannelId,
    ...ReminderContent.unwrap().shape,
    /** When its content last changed (ms). */
    changedAt: z.number(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type Reminder = z.infer<typeof Reminder>;

export type ReminderEvent =
  | {
      readonly type: 'counted';
      readonly channel: ChannelId;
      readonly content: ReminderContent;
      readonly at: number;
      /** Minimum interval between updates of a message's counts (ms). */
      readonly paceMs: number;
    }
  | PostEvent;

/** Empty content: for a channel without a reminder. */
export const noContent: ReminderContent = { state: 'none', late: 0, within: [], campaigns: [], others: 0 };

/** Applies an event. Returns the changed reminder, or undefined when nothing changes. Pure. */
export function applyReminderEvent(before: Reminder | undefined, event: ReminderEvent): Reminder | undefined {
  if (event.type === 'counted') return counted(before, event);
  return before && withPost(before, event, before.state === 'due');
}

function counted(
  before: Reminder | undefined,
  { channel, content, at, paceMs }: Extract<ReminderEvent, { type: 'counted' }>,
): Reminder | undefined {
  const isNew = before === undefined || !isShown(before);
  if (isNew && content.state !== 'due') return undefined;
  if (isNew) {
    const revision = (before?.revision ?? 0) + 1;
    return { channel, ...content, changedAt: at, card: { state: 'wanted' }, revision };
  }
  if (says(before) === says(content)) return undefined;
  // A post that has not begun is no longer needed.
  if (content.state !== 'due' && before.card.state === 'wanted' && before.card.attempt === undefined)
    return { ...before, ...content, changedAt: at, card: { state: 'gone' } };
  const isAtPace = at - before.changedAt >= paceMs;
  if (content.state === before.state && before.card.state === 'posted' && !isAtPace) return undefined;
  return { ...before, ...content, changedAt: at, revision: before.revision + 1 };
}

/** Returns a reminder's content as text, for comparison. */
function says({ state, late, within, campaigns, others }: ReminderContent): string {
  return state === 'due' ? JSON.stringify([late, within, campaigns, others]) : state;
}
