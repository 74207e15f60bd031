import { runTogether } from '../../domain/collections.ts';
import type { Decision, DecisionEvent, Problem, Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { inDelivery } from '../../logger.ts';
import { sentenceFor, sentenceForCode, sentenceForProblem } from '../../marketplace/errors.ts';
import { MarketplaceError, type RatedEntry, TransportError } from '../../marketplace/index.ts';
import {
  asksForPause,
  makerBarred,
  makerRefused,
  makerUnasked,
  noAnswer,
  noKey,
  payerBarred,
} from './decide.view.ts';

/** Retry interval of a campaign that currently refuses ratings (ms); a poll that sees it change retries earlier. */
const pauseMs = 300_000;
/** Interval between checks of a decision whose maker may no longer rate (ms). */
const barredMs = 300_000;
/** Maximum backoff before a decision is sent or read back again (ms). */
const longestWaitMs = 30_000;

/** This attempt was certainly not applied: the task has a rating, by somebody else or by an earlier attempt. */
const ratedAlready = 'ONLY_NOTRATED_TASK_CAN_BE_RATED';
/** Errors after which the decision may still have been applied, by this attempt or an earlier one. */
const inconclusiveCodes = new Set<string>([ratedAlready, 'SYSTEM_ERROR']);
/** Permanent errors of get_task_info: the task was not rated and cannot be. */
const taskGoneCodes = new Set<string>(['NO_SUCH_TASK', 'NOT_A_CAMPAIGN_OWNER']);
/** Temporary errors ("States and transitions": rating refused while the campaign is paused or in review). */
const temporaryCodes = new Set<string>(['CAMPAIGN_IS_PAUSED_ADMIN', 'CAMPAIGN_IS_PENDING_REVIEW']);

/** A task whose decision is to be sent or reconciled. */
export type TaskWithDecision = Task & { readonly decision: Decision };

export function hasDecision(task: Task): task is TaskWithDecision {
  return task.decision !== undefined;
}

export type SendOutcome = ReturnType<typeof createSendOutcome>;

/** Creates the interpretation of rating answers, and records the outcome for each decision. */
export function createSendOutcome(deps: Modules) {
  const { tasks, jobs, clock } = deps;

  /** Applies an event to a decision, as part of the delivery that made it, and queues the update of its card. */
  const record = (ref: AccountRef, task: TaskWithDecision, event: DecisionEvent): Promise<void> =>
    inDelivery(task.decision.delivery, () => recordNow(ref, task, event));

  async function recordNow(ref: AccountRef, task: TaskWithDecision, event: DecisionEvent): Promise<void> {
    const { favorite, by } = task.decision;
    const isFavorite = event.type === 'applied' && event.answered && favorite !== undefined;
    const listing = { by, at: event.type === 'applied' ? event.at : clock.now() };
    const also = isFavorite ? [deps.campaigns.workers.favoriteChange(task.worker.id, favorite, listing)] : [];
    // Recorded first: a quick worker may correct a REVISE before the next poll, and then the counts are unchanged. For
    // ratings answered in this call, `markRated` records it once.
    if ((event.type === 'applied' && !event.answered) || event.type === 'overtaken')
      await deps.campaigns.recordRated(ref, task.campaign, event.at);
    const outcome = await tasks.apply(ref, task.id, event, also);
    // A poll recorded the rating before the answer confirmed that it came from here.
    if (isFavorite && outcome.kind !== 'done')
      await deps.campaigns.workers.recordFavorite(ref, task.worker.id, favorite, listing);
    if (event.type === 'applied' && outcome.kind === 'done')
      await deps.marketplace.outages.count(ref, { decisions: 1 });
    // Queued in any case: the event may have been stored although Redis's answer was lost with the connection.
    await deps.slack.cards.changed(ref, [outcome.task ?? task]);
  }

  /** Records the outcome of an attempt for its decisions: the latest one when they were read. */
  async function recordAll(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    event: AttemptOutcome,
  ): Promise<void> {
    await runTogether(sent, (task) => record(ref, task, { ...event, ...ofAttempt(task) }));
  }

  /** Holds decisions that were certainly not applied. */
  const hold = (ref: AccountRef, sent: readonly TaskWithDecision[], waitMs: number, problem: Problem) =>
    recordAll(ref, sent, { type: 'held', until: clock.now() + waitMs, problem });

  /**
   * Marks decisions of unknown outcome for read-back, with increasing intervals.
   * @param wasRejected this attempt was not applied: the task already had a rating, perhaps by an earlier attempt
   */
  async function markOutcomeUnknown(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    wasRejected = false,
    waitMs = (at: number) => Math.min(Math.max(1_000, (clock.now() - at) / 4), longestWaitMs),
  ): Promise<void> {
    for (const task of sent) {
      const until = clock.now() + waitMs(task.decision.at);
      const event = { type: 'outcome-unknown', ...ofAttempt(task), until, wasRejected } as const;
      await tasks.apply(ref, task.id, event);
    }
  }

  /** Records what the marketplace's errors mean for decisions. */
  function recordRejected(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    codes: readonly string[],
    text: string,
  ): Promise<void> {
    if (codes.some((code) => inconclusiveCodes.has(code)))
      return markOutcomeUnknown(ref, sent, codes.includes(ratedAlready) && !codes.includes('SYSTEM_ERROR'));
    if (codes.some((code) => temporaryCodes.has(code)))
      return hold(ref, sent, pauseMs, { text, waitsFor: 'campaign' });
    return recordAll(ref, sent, { type: 'refused', problem: { text } });
  }

  /** Records the outcome of one decision from its entry in a multi-task answer. */
  async function recordAnswer(
    ref: AccountRef,
    task: TaskWithDecision,
    answer: RatedEntry | undefined,
  ): Promise<void> {
    if (answer?.success) return recordApplied(ref, [task]);
    if (!answer?.answered) return markOutcomeUnknown(ref, [task]);
    const { errors } = answer;
    const codes = errors.map(({ code }) => code);
    return recordRejected(ref, [task], codes, errors.map(sentenceForProblem).join(' '));
  }

  /** Records that a call has rated in a campaign, before the outcome of each decision is recorded. */
  function markRated(ref: AccountRef, campaign: CampaignId): Promise<void> {
    return deps.campaigns.recordRated(ref, campaign, clock.now());
  }

  /** Records that the marketplace accepted a call's decisions. */
  function recordApplied(ref: AccountRef, sent: readonly TaskWithDecision[]): Promise<void> {
    return recordAll(ref, sent, { type: 'applied', at: clock.now(), answered: true });
  }

  /** Records the outcome of a failed call for its decisions. */
  async function recordFailure(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    error: unknown,
  ): Promise<void> {
    if (error instanceof TransportError && error.mayHaveBeenApplied) return markOutcomeUnknown(ref, sent);
    if (error instanceof TransportError) {
      const wait = Math.max(error.retryAfterMs ?? 0, backoff(sent[0]?.decision.attempts ?? 1));
      return hold(ref, sent, wait, { text: error.kind === 'rate-limited' ? asksForPause : noAnswer });
    }
    if (error instanceof NotConnected) return hold(ref, sent, longestWaitMs, { text: noKey });
    if (!(error instanceof MarketplaceError)) throw error;
    const text = sentenceFor(error);
    if (error.isAuthentication) return hold(ref, sent, longestWaitMs, { text });
    return recordRejected(ref, sent, [error.code], text);
  }

  /** Records the outcome of a failed read-back. Throws errors of other kinds. */
  async function recordUnread(ref: AccountRef, task: TaskWithDecision, error: unknown): Promise<void> {
    const isKnown =
      error instanceof TransportError || error instanceof MarketplaceError || error instanceof NotConnected;
    if (!isKnown) throw error;
    deps.log.warn({ task: task.id, err: error }, 'decision not read back');
    const isGone = error instanceof MarketplaceError && taskGoneCodes.has(error.code);
    if (!isGone) return markOutcomeUnknown(ref, [task]);
    return recordAll(ref, [task], { type: 'refused', problem: { text: sentenceFor(error) } });
  }

  /** Holds decisions because other calls fail, so the marketplace was not asked. */
  function recordAway(
    ref: AccountRef,
    claimed: readonly TaskWithDecision[],
    { waitMs, code }: Paused,
  ): Promise<void> {
    return hold(ref, claimed, waitMs, { text: sentenceForCode(code) ?? noAnswer });
  }

  /** Holds a decision whose maker may no longer rate, or pay its bonus. A manager can undo it to reopen the task. */
  function recordBarred(ref: AccountRef, task: TaskWithDecision): Promise<void> {
    const text = task.decision.ownBonus ? payerBarred : makerBarred;
    return hold(ref, [task], barredMs, { text, waitsFor: 'person' });
  }

  /** Holds a decision until Slack can be asked whether its maker may rate. */
  function recordUnasked(ref: AccountRef, task: TaskWithDecision): Promise<void> {
    return hold(ref, [task], backoff(task.decision.attempts), { text: makerUnasked });
  }

  /** Refuses a decision whose maker may not rate, as Slack has said since, and tells them. */
  async function recordMakerRefused(ref: AccountRef, task: TaskWithDecision): Promise<void> {
    const { by: member, verdict } = task.decision;
    await recordAll(ref, [task], { type: 'refused', problem: { text: makerRefused, waitsFor: 'person' } });
    await jobs.add('tell-click', { ...ref, task: task.id, member, verdict, outcome: 'refused' });
  }

  /** Records that a claimed attempt was not sent. */
  function recordNotSent(ref: AccountRef, claimed: readonly TaskWithDecision[]): Promise<void> {
    return markOutcomeUnknown(ref, claimed, true);
  }

  /** Records that claimed decisions may have been sent by an attempt that Redis has lost: they are read back first. */
  function recordToBeReadBack(ref: AccountRef, claimed: readonly TaskWithDecision[]): Promise<void> {
    // Until then, the answer of that attempt may still be outstanding.
    return markOutcomeUnknown(ref, claimed, false, () => deps.jobs.timeouts.marketplaceMs);
  }

  return {
    markRated,
    record,
    recordAway,
    recordAnswer,
    recordApplied,
    recordBarred,
    recordFailure,
    recordMakerRefused,
    recordNotSent,
    recordToBeReadBack,
    recordUnasked,
    recordUnread,
  };
}

type AttemptOutcome =
  | { readonly type: 'applied'; readonly at: number; readonly answered: true }
  | { readonly type: 'refused'; readonly problem: Problem }
  | { readonly type: 'held'; readonly until: number; readonly problem: Problem };

/** Returns the attempt an event refers to: the latest one when the task was read. */
function ofAttempt({ decision }: TaskWithDecision): { readonly decision: string; readonly attempt: number } {
  return { decision: decision.id, attempt: decision.attempts };
}

/** Returns the backoff after an attempt (ms): 2, 4, 8 … seconds, 30 at most. */
function backoff(attempt: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, attempt), longestWaitMs);
}
