import { runTogether } from '../../domain/collections.ts';
import type { Decision, DecisionEvent, Problem, Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import {
  MarketplaceError,
  sentenceFor,
  sentenceForProblem,
  TransportError,
} from '../../marketplace/errors.ts';
import type { RatedEntry } from '../../marketplace/types.ts';
import { asksForPause, noAnswer, noKey } from './decide.view.ts';

/** Retry interval of a campaign that currently refuses ratings (ms); a poll that sees it change retries earlier. */
const pauseMs = 300_000;
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

/** Returns when something is to be done about a decision (ms). */
export const dueAtOf = ({ dueAt = 0 }: Decision): number => dueAt;

export type SendOutcome = ReturnType<typeof createSendOutcome>;

/** Creates the interpretation of rating answers, and records the outcome for each decision. */
export function createSendOutcome(deps: Modules) {
  const { tasks, clock } = deps;

  /** Applies an event to a decision, and queues the update of its card. */
  async function record(ref: AccountRef, task: TaskWithDecision, event: DecisionEvent): Promise<void> {
    // Recorded first: a quick worker may correct a REVISE before the next poll, and then the counts are unchanged. For
    // ratings answered in this call, it is recorded once.
    if ((event.type === 'applied' && !event.answered) || event.type === 'overtaken')
      await deps.campaigns.recordRated(ref, task.campaign, event.at);
    const outcome = await tasks.apply(ref, task.id, event);
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

  /** Records that decisions are certainly no ratings, and will not be. */
  const refuse = (ref: AccountRef, sent: readonly TaskWithDecision[], problem: Problem) =>
    recordAll(ref, sent, { type: 'refused', problem });

  /**
   * Marks decisions of unknown outcome for read-back, with increasing intervals.
   * @param wasRejected this attempt was not applied: the task already had a rating, perhaps by an earlier attempt
   */
  async function markUnknown(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    { wasRejected = false, waitMs }: { readonly wasRejected?: boolean; readonly waitMs?: number } = {},
  ): Promise<void> {
    for (const task of sent) {
      const growing = Math.min(Math.max(1_000, (clock.now() - task.decision.at) / 4), longestWaitMs);
      const until = clock.now() + (waitMs ?? growing);
      await tasks.apply(ref, task.id, { type: 'outcome-unknown', ...ofAttempt(task), until, wasRejected });
    }
  }

  /** Records what the marketplace's errors mean for decisions. */
  function rejected(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    codes: readonly string[],
    text: string,
  ): Promise<void> {
    if (codes.some((code) => inconclusiveCodes.has(code)))
      return markUnknown(ref, sent, {
        wasRejected: codes.includes(ratedAlready) && !codes.includes('SYSTEM_ERROR'),
      });
    if (codes.some((code) => temporaryCodes.has(code)))
      return hold(ref, sent, pauseMs, { text, waitsFor: 'campaign' });
    return refuse(ref, sent, { text });
  }

  /** Records that the marketplace accepted a call's decisions. */
  const accepted = (ref: AccountRef, sent: readonly TaskWithDecision[]) =>
    recordAll(ref, sent, { type: 'applied', at: clock.now(), answered: true });

  return {
    accepted,
    hold,
    markUnknown,
    record,

    /** Records the outcome of one decision from its entry in a multi-task answer. */
    async answered(ref: AccountRef, task: TaskWithDecision, answer: RatedEntry | undefined): Promise<void> {
      if (answer?.success) return accepted(ref, [task]);
      if (!answer?.answered) return markUnknown(ref, [task]);
      const codes = answer.errors.map(({ code }) => code);
      return rejected(ref, [task], codes, answer.errors.map(sentenceForProblem).join(' '));
    },

    /** Records the outcome of a failed call for its decisions. */
    async failed(ref: AccountRef, sent: readonly TaskWithDecision[], error: unknown): Promise<void> {
      if (error instanceof TransportError && error.mayHaveBeenApplied) return markUnknown(ref, sent);
      if (error instanceof TransportError) {
        const wait = Math.max(
          error.retryAfterMs ?? 0,
          backoff(Math.max(...sent.map(({ decision }) => decision.attempts))),
        );
        return hold(ref, sent, wait, { text: error.kind === 'rate-limited' ? asksForPause : noAnswer });
      }
      if (error instanceof NotConnected) return hold(ref, sent, longestWaitMs, { text: noKey });
      if (!(error instanceof MarketplaceError)) throw error;
      const text = sentenceFor(error);
      if (error.isAuthentication) return hold(ref, sent, longestWaitMs, { text });
      return rejected(ref, sent, [error.code], text);
    },

    /** Records the outcome of a failed read-back. Throws errors of other kinds. */
    async unread(ref: AccountRef, task: TaskWithDecision, error: unknown): Promise<void> {
      const isKnown =
        error instanceof TransportError || error instanceof MarketplaceError || error instanceof NotConnected;
      if (!isKnown) throw error;
      deps.log.warn({ task: task.id, err: error }, 'decision not read back');
      const isGone = error instanceof MarketplaceError && taskGoneCodes.has(error.code);
      return isGone ? refuse(ref, [task], { text: sentenceFor(error) }) : markUnknown(ref, [task]);
    },
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
  return Math.min(1_000 * 2 ** attempt, longestWaitMs);
}
