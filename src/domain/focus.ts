import { z } from 'zod';
import { CampaignId, ChannelId, MemberId, TaskId, type Verdict, verdicts } from './terms.ts';

/** How many consecutive decisions a reviewer can undo. */
const maxDecided = 20;

/** Filter of a review; absent fields match everything. */
export const FocusFilter = z
  .object({
    campaigns: z.array(CampaignId).readonly().exactOptional(),
    /** A worker's id or name. */
    worker: z.string().exactOptional(),
    country: z.string().exactOptional(),
    /** Part of the proof. */
    text: z.string().exactOptional(),
    /** Minimum waiting time (ms). */
    waitingMs: z.number().exactOptional(),
    /** Only these. */
    tasks: z.array(TaskId).readonly().exactOptional(),
    /** Only tasks assigned to the reviewer by name. */
    mine: z.literal(true).exactOptional(),
    /** The filter for display; '' for none. */
    label: z.string(),
  })
  .readonly();
export type FocusFilter = z.infer<typeof FocusFilter>;

/** A decision made in a focus review. */
const FocusDecision = z.object({ task: TaskId, decision: z.string(), verdict: z.enum(verdicts) }).readonly();
export type FocusDecision = z.infer<typeof FocusDecision>;

/**
 * A focus review: one person going through waiting tasks in one modal. Each view of the modal has a step number; actions
 * in an outdated view are not repeated.
 */
export const FocusSession = z
  .object({
    id: z.string(),
    member: MemberId,
    /** Where it was started; answers go there once the modal is closed. */
    channel: ChannelId.exactOptional(),
    filter: FocusFilter,
    step: z.number(),
    /** The displayed task; absent if none is left. */
    current: TaskId.exactOptional(),
    /** The next tasks, already leased. */
    ahead: z.array(TaskId).readonly(),
    counts: z.record(z.enum(verdicts), z.number()).readonly(),
    /** Latest last. */
    decided: z.array(FocusDecision).readonly(),
    skipped: z.array(TaskId).readonly(),
    /** When the displayed task appeared (ms). */
    movedAt: z.number().exactOptional(),
    /** When its queue was filled (ms), and the number of waiting tasks beyond its capacity. */
    queuedAt: z.number(),
    unqueued: z.number(),
    /** Whether the person has already seen the summary. */
    ended: z.literal(true).exactOptional(),
  })
  .readonly();
export type FocusSession = z.infer<typeof FocusSession>;

/** Returns a new focus review. @param before the person's previous one, whose last decisions can still be undone */
export function newFocus(
  fields: Pick<FocusSession, 'id' | 'member' | 'filter'> & { readonly channel?: ChannelId },
  before?: FocusSession,
): FocusSession {
  return {
    ...fields,
    step: 1,
    ahead: [],
    counts: { OK: 0, REVISE: 0, NOK: 0 },
    decided: before?.decided ?? [],
    skipped: [],
    queuedAt: 0,
    unqueued: 0,
  };
}

/**
 * Returns the review with the next task shown, after the current one was decided here, skipped, or no longer needs a
 * decision.
 */
export function movedOn(
  session: FocusSession,
  outcome: FocusDecision | 'skipped' | 'gone',
  movedAt: number,
): FocusSession {
  const { current, ahead, skipped, decided } = session;
  const [, ...others] = ahead;
  const moved = { ...holding(session, ahead), step: session.step + 1, ahead: others, movedAt };
  if (outcome === 'gone' || current === undefined) return moved;
  if (outcome === 'skipped') return { ...moved, skipped: [...skipped, current] };
  return {
    ...moved,
    counts: counted(session, outcome.verdict, 1),
    decided: [...decided, outcome].slice(-maxDecided),
  };
}

/** Returns the review without its latest decision, which could not be undone. */
export function withoutLast(session: FocusSession): FocusSession {
  return { ...session, step: session.step + 1, decided: session.decided.slice(0, -1) };
}

/** Returns the review with the task of its latest decision shown again. */
export function undone(session: FocusSession): FocusSession {
  const last = session.decided.at(-1);
  if (last === undefined) return session;
  const { current, ahead, counts, ended: _, ...rest } = session;
  // The decision belongs to a previous review if this one has none of its kind.
  const isCounted = counts[last.verdict] > 0;
  return {
    ...rest,
    step: session.step + 1,
    decided: session.decided.slice(0, -1),
    counts: isCounted ? counted(session, last.verdict, -1) : counts,
    current: last.task,
    ahead: [...(current ? [current] : []), ...ahead].filter((task) => task !== last.task),
  };
}

/** Returns the review with the tasks it now holds; the first of them is shown. */
export function holding(session: FocusSession, held: readonly TaskId[]): FocusSession {
  const { current: _, ...rest } = session;
  const [current, ...ahead] = held;
  return { ...rest, ahead, ...(current ? { current } : {}) };
}

/** Returns the number of decided tasks. */
export function decidedIn({ counts }: Pick<FocusSession, 'counts'>): number {
  return verdicts.reduce((sum, verdict) => sum + counts[verdict], 0);
}

function counted({ counts }: FocusSession, verdict: Verdict, by: number): FocusSession['counts'] {
  return { ...counts, [verdict]: counts[verdict] + by };
}
