import { runTogether } from '../../domain/collections.ts';
import type { DecisionEvent } from '../../domain/events.ts';
import type { Decision, Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { MarketplaceError, type RatedEntry, TransportError } from '../../marketplace/index.ts';
import { sentenceFor, sentenceForCode, sentenceForProblem } from '../../marketplace/sentences.ts';
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

  /** Applies an event to a decision, and queues the update of its card. */
  async function record(ref: AccountRef, task: TaskWithDecision, event: DecisionEvent): Promise<void> {
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

  async function recordAll(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    event: AttemptOutcome,
  ): Promise<void> {
    await runTogether(sent, (task) => record(ref, task, { ...event, ...ofAttempt(task) }));
  }

  /**
   * Marks decisions of unknown outcome for read-back, with increasing intervals.
   * @param wasRejected this attempt was not applied: the task already had a rating, perhaps by an earlier attempt
   */
  async function markOutcomeUnknown(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    wasRejected = false,
  ): Promise<void> {
    for (const task of sent) {
      const until =
        clock.now() + Math.min(Math.max(1_000, (clock.now() - task.decision.at) / 4), longestWaitMs);
      const event = { type: 'outcome-unknown', ...ofAttempt(task), until, wasRejected } as const;
      await tasks.apply(ref, task.id, event);
    }
  }

  /** Records the outcome of one decision from its entry in a multi-task answer. */
  async function recordAnswer(
    ref: AccountRef,
    task: TaskWithDecision,
    answer: RatedEntry | undefined,
  ): Promise<void> {
    const codes = answer?.errors.map(({ code }) => code) ?? [];
    if (answer?.success) return recordApplied(ref, [task]);
    if (!answer?.answered || codes.some((code) => inconclusiveCodes.has(code))) {
      return markOutcomeUnknown(ref, [task], codes.includes(ratedAlready) && !codes.includes('SYSTEM_ERROR'));
    }
    const problem = { text: answer.errors.map(sentenceForProblem).join(' ') };
    if (codes.some((code) => temporaryCodes.has(code))) {
      const waiting = { ...problem, waitsFor: 'campaign' } as const;
      return recordAll(ref, [task], { type: 'held', until: clock.now() + pauseMs, problem: waiting });
    }
    return recordAll(ref, [task], { type: 'refused', problem });
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
      return recordAll(ref, sent, {
        type: 'held',
        until: clock.now() + wait,
        problem: { text: error.kind === 'rate-limited' ? asksForPause : noAnswer },
      });
    }
    if (error instanceof NotConnected) {
      return recordAll(ref, sent, {
        type: 'held',
        until: clock.now() + longestWaitMs,
        problem: { text: noKey },
      });
    }
    if (!(error instanceof MarketplaceError)) throw error;
    if (inconclusiveCodes.has(error.code)) return markOutcomeUnknown(ref, sent, error.code === ratedAlready);
    const paused = temporaryCodes.has(error.code) ? ({ waitsFor: 'campaign' } as const) : {};
    const problem = { text: sentenceFor(error), ...paused };
    if (error.isAuthentication || temporaryCodes.has(error.code)) {
      const wait = error.isAuthentication ? longestWaitMs : pauseMs;
      return recordAll(ref, sent, { type: 'held', until: clock.now() + wait, problem });
    }
    return recordAll(ref, sent, { type: 'refused', problem });
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
    const problem = { text: sentenceForCode(code) ?? noAnswer };
    return recordAll(ref, claimed, { type: 'held', until: clock.now() + waitMs, problem });
  }

  /** Holds a decision whose maker may no longer rate, or pay its bonus. A manager can undo it to reopen the task. */
  function recordBarred(ref: AccountRef, task: TaskWithDecision): Promise<void> {
    const text = task.decision.ownBonus ? payerBarred : makerBarred;
    const problem = { text, waitsFor: 'person' } as const;
    return recordAll(ref, [task], { type: 'held', until: clock.now() + barredMs, problem });
  }

  /** Holds a decision until Slack can be asked whether its maker may rate. */
  function recordUnasked(ref: AccountRef, task: TaskWithDecision): Promise<void> {
    const until = clock.now() + backoff(task.decision.attempts);
    return recordAll(ref, [task], { type: 'held', until, problem: { text: makerUnasked } });
  }

  /** Refuses a decision whose maker may not rate, as Slack has said since, and tells them. */
  async function recordMakerRefused(ref: AccountRef, task: TaskWithDecision): Promise<void> {
    const { by: member, verdict } = task.decision;
    await recordAll(ref, [task], { type: 'refused', problem: { text: makerRefused } });
    await jobs.add('tell-click', { ...ref, task: task.id, member, verdict, outcome: 'refused' });
  }

  /** Records that a claimed attempt was not sent. */
  function recordNotSent(ref: AccountRef, claimed: readonly TaskWithDecision[]): Promise<void> {
    return markOutcomeUnknown(ref, claimed, true);
  }

  /** Records that claimed decisions may have been sent by an attempt that Redis has lost: they are read back first. */
  async function recordToBeReadBack(ref: AccountRef, claimed: readonly TaskWithDecision[]): Promise<void> {
    // Until then, the answer of that attempt may still be outstanding.
    const until = clock.now() + deps.jobs.timeouts.marketplaceMs;
    for (const task of claimed)
      await tasks.apply(ref, task.id, {
        type: 'outcome-unknown',
        ...ofAttempt(task),
        until,
        wasRejected: false,
      });
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
  | { readonly type: 'refused'; readonly problem: { readonly text: string } }
  | { readonly type: 'held'; readonly until: number; readonly problem: { readonly text: string } };

/** Returns the attempt an event refers to: the latest one when the task was read. */
function ofAttempt({ decision }: TaskWithDecision): { readonly decision: string; readonly attempt: number } {
  return { decision: decision.id, attempt: decision.attempts };
}

/** Returns the backoff after an attempt (ms): 2, 4, 8 … seconds, 30 at most. */
function backoff(attempt: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, attempt), longestWaitMs);
}
