import type { DecisionEvent } from '../../domain/events.ts';
import type { Faults } from '../../domain/fault-points.ts';
import { chunksOf, groupBy } from '../../domain/group.ts';
import { money } from '../../domain/money.ts';
import type { Decision, Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { Logger } from '../../logger.ts';
import {
  type MarketplaceClient,
  MarketplaceError,
  type RatingEntry,
  TransportError,
} from '../../marketplace/index.ts';
import { sentenceFor, sentenceForProblem } from '../../marketplace/sentences.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Timeouts } from '../../store/timeouts.ts';
import type { Workers } from '../../store/workers.ts';
import type { DataRecovery } from '../shared/data-recovery.ts';
import { asksForPause, noAnswer, noKey } from './decide.view.ts';
import { reconcileDecision } from './reconcile.ts';

export interface SendDeps {
  readonly tasks: Tasks;
  readonly campaigns: Campaigns;
  readonly workers: Pick<Workers, 'recordFavorite'>;
  readonly jobs: Jobs;
  readonly recovery: Pick<DataRecovery, 'maySend'>;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly logger: Logger;
  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly now: () => number;
}

/** While data that Redis may have lost are being recovered, sending is tried again after this (ms). */
const recoveryRetryMs = 500;
/** The most tasks that one call takes. */
const maxPerCall = 100;
/** A campaign that refuses ratings for now is tried again after this, or as soon as a poll sees it change. */
const pauseMs = 300_000;
/** The longest wait before a decision is sent or read back again. */
const longestWaitMs = 300_000;

/** Rejects this attempt for certain: the task has a rating, by somebody else or by an earlier attempt. */
const ratedAlready = 'ONLY_NOTRATED_TASK_CAN_BE_RATED';
/** Errors after which the decision may still have been applied, by this attempt or an earlier one. */
const inconclusiveCodes = new Set<string>([ratedAlready, 'SYSTEM_ERROR']);
/** Errors of get_task_info that leave nothing to wait for: the task was not rated and cannot be. */
const taskGoneCodes = new Set<string>(['NO_SUCH_TASK', 'NOT_A_CAMPAIGN_OWNER']);
/** Errors that are temporary ("States and transitions": rating refused while the campaign is paused or in review). */
const temporaryCodes = new Set<string>(['CAMPAIGN_IS_PAUSED_ADMIN', 'CAMPAIGN_IS_PENDING_REVIEW']);

/** A task whose decision is to be sent or reconciled. */
export type TaskWithDecision = Task & { readonly decision: Decision };

/** Creates the jobs that send decisions which are due, and reconcile those whose outcome is unknown. */
export function createSend(deps: SendDeps) {
  const { tasks, jobs, faults, now } = deps;

  /** Applies what happened to a decision, and queues the update of its card. */
  async function recordOutcome(ref: AccountRef, task: TaskWithDecision, event: DecisionEvent): Promise<void> {
    const { favorite, by } = task.decision;
    if (event.type === 'applied' && event.answered && favorite) {
      await deps.workers.recordFavorite(ref, task.worker.id, favorite, { by, at: event.at });
    }
    // First: a quick worker may correct a REVISE before the next poll, and the counts are then what they were.
    if (event.type === 'applied' || event.type === 'overtaken')
      await deps.campaigns.recordRated(ref, task.campaign, event.at);
    const outcome = await tasks.apply(ref, task.id, event);
    if (outcome.kind === 'rejected' && event.type === 'applied' && event.answered) {
      // That it was sent was lost together with a Redis. The marketplace's answer says so as well.
      const { decision } = event;
      await tasks.apply(ref, task.id, { type: 'doubted', decision, at: event.at, until: event.at });
      await tasks.apply(ref, task.id, event);
    }
    // In any case: the event may have been stored although Redis's answer was lost with the connection.
    await jobs.add('redraw', { ...ref, task: task.id });
    await faults('one of several recorded');
  }

  async function recordOutcomes(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    event: AttemptOutcome,
  ): Promise<void> {
    for (const task of sent) await recordOutcome(ref, task, { ...event, ...ofAttempt(task) });
  }

  /** Claims decisions, so that only this process sends them. Returns those it got. */
  async function claim(ref: AccountRef, due: readonly TaskWithDecision[]): Promise<TaskWithDecision[]> {
    const claimed: TaskWithDecision[] = [];
    for (const task of due) {
      const at = now();
      const leaseUntil = at + deps.timeouts.sendLeaseMs;
      // A process that has tried since this was read has used up that attempt number, so the claim fails.
      const attempt = task.decision.attempts + 1;
      const event = { type: 'sending', decision: task.decision.id, attempt, at, leaseUntil } as const;
      const outcome = await tasks.apply(ref, task.id, event);
      if (outcome.kind === 'done' && hasDecision(outcome.task)) claimed.push(outcome.task);
    }
    return claimed;
  }

  /** Makes one call, for decisions of one campaign with the same fields. */
  async function call(
    ref: AccountRef,
    campaign: CampaignId,
    sent: readonly TaskWithDecision[],
  ): Promise<void> {
    const marketplace = await deps.marketplaceOf(ref);
    const [first] = sent;
    if (sent.length === 1 && first && first.decision.verdict !== 'REVISE') {
      await marketplace.rateTask(campaign, entryOf(first));
      await faults('sent, not recorded');
      await recordOutcomes(ref, sent, { type: 'applied', at: now(), answered: true });
      return;
    }
    const answers = await marketplace.rateTasks(campaign, sent.map(entryOf));
    await faults('sent, not recorded');
    for (const [index, task] of sent.entries()) {
      const answer = answers[index];
      const of = ofAttempt(task);
      const codes = answer?.errors.map(({ code }) => code) ?? [];
      if (answer?.success)
        await recordOutcome(ref, task, { type: 'applied', ...of, at: now(), answered: true });
      else if (!answer?.answered || codes.some((code) => inconclusiveCodes.has(code))) {
        await markOutcomeUnknown(
          ref,
          [task],
          codes.includes(ratedAlready) && !codes.includes('SYSTEM_ERROR'),
        );
      } else {
        const problem = { text: answer.errors.map(sentenceForProblem).join(' ') };
        if (codes.some((code) => temporaryCodes.has(code))) {
          const waiting = { ...problem, waitsFor: 'campaign' } as const;
          await recordOutcome(ref, task, { type: 'held', ...of, until: now() + pauseMs, problem: waiting });
        } else await recordOutcome(ref, task, { type: 'refused', ...of, problem });
      }
    }
  }

  /**
   * Marks decisions whose outcome is unknown to be read back: soon at first, then less and less often.
   * @param turnedAway this attempt was not applied: the task had a rating already, perhaps by an earlier attempt
   */
  async function markOutcomeUnknown(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    turnedAway = false,
  ): Promise<void> {
    for (const task of sent) {
      const until = now() + Math.min(Math.max(1_000, (now() - task.decision.at) / 4), longestWaitMs);
      await tasks.apply(ref, task.id, { type: 'outcome-unknown', ...ofAttempt(task), until, turnedAway });
    }
  }

  /** Reads back what became of a decision. Returns true when it is to be sent (again). */
  async function isStillOpen(ref: AccountRef, task: TaskWithDecision): Promise<boolean> {
    try {
      const event = await reconcileDecision(await deps.marketplaceOf(ref), task, now);
      await faults('reconciled, not recorded');
      if (event === 'open') return true;
      await recordOutcome(ref, task, event);
    } catch (error) {
      const isKnown =
        error instanceof TransportError || error instanceof MarketplaceError || error instanceof NotConnected;
      if (!isKnown) throw error;
      deps.logger.warn({ task: task.id, err: error }, 'decision not read back');
      const isGone = error instanceof MarketplaceError && taskGoneCodes.has(error.code);
      if (isGone)
        await recordOutcomes(ref, [task], { type: 'refused', problem: { text: sentenceFor(error) } });
      else await markOutcomeUnknown(ref, [task]);
    }
    return false;
  }

  /** Records what a failed call means for its decisions. */
  async function afterFailure(
    ref: AccountRef,
    sent: readonly TaskWithDecision[],
    error: unknown,
  ): Promise<void> {
    if (error instanceof TransportError && error.mayHaveBeenApplied) return markOutcomeUnknown(ref, sent);
    if (error instanceof TransportError) {
      const wait = Math.max(error.retryAfterMs ?? 0, backoff(sent[0]?.decision.attempts ?? 1));
      return recordOutcomes(ref, sent, {
        type: 'held',
        until: now() + wait,
        problem: { text: error.kind === 'rate-limited' ? asksForPause : noAnswer },
      });
    }
    if (error instanceof NotConnected) {
      return recordOutcomes(ref, sent, { type: 'held', until: now() + pauseMs, problem: { text: noKey } });
    }
    if (!(error instanceof MarketplaceError)) throw error;
    if (inconclusiveCodes.has(error.code)) return markOutcomeUnknown(ref, sent, error.code === ratedAlready);
    const paused = temporaryCodes.has(error.code) ? ({ waitsFor: 'campaign' } as const) : {};
    const problem = { text: sentenceFor(error), ...paused };
    if (error.isAuthentication || temporaryCodes.has(error.code)) {
      return recordOutcomes(ref, sent, { type: 'held', until: now() + pauseMs, problem });
    }
    return recordOutcomes(ref, sent, { type: 'refused', problem });
  }

  /** Reads back decisions whose outcome is unknown. Returns those that are to be sent (again). */
  async function stillOpen(
    ref: AccountRef,
    unknown: readonly TaskWithDecision[],
  ): Promise<TaskWithDecision[]> {
    const open: TaskWithDecision[] = [];
    for (const { id } of unknown) {
      // Reading many takes a while, in which another process may have dealt with this one.
      const task = await tasks.get(ref, id);
      if (task === undefined || !hasDecision(task) || !isUnknown(task, now())) continue;
      if (await isStillOpen(ref, task)) open.push(task);
    }
    return open;
  }

  async function sendCampaign(
    ref: AccountRef,
    campaign: CampaignId,
    open: readonly TaskWithDecision[],
  ): Promise<void> {
    for (const group of groupIntoCalls(open)) {
      const claimed = await claim(ref, group);
      if (claimed.length === 0) continue;
      await faults('claimed, not sent');
      try {
        await call(ref, campaign, claimed);
      } catch (error) {
        deps.logger.warn({ campaign, tasks: claimed.length, err: error }, 'rating call failed');
        await faults('failure not recorded');
        await afterFailure(ref, claimed, error);
      }
    }
  }

  return {
    jobs: {
      async send(ref: Payload<'send'>): Promise<void> {
        if (!(await deps.recovery.maySend(ref))) throw new Reschedule(recoveryRetryMs);
        const ids = await tasks.find(ref, 'due', { until: now(), limit: 500 });
        const due = (await tasks.getMany(ref, ids)).filter(hasDecision);
        await faults('due found');
        const failures: unknown[] = [];
        const collectFailure = (error: unknown) => void failures.push(error);
        const byCampaign = (some: readonly TaskWithDecision[]) => groupBy(some, ({ campaign }) => campaign);
        // Decisions that can be sent go first: reading back may have to wait for a marketplace that does not answer.
        for (const [campaign, ready] of byCampaign(
          due.filter(({ decision }) => decision.state !== 'sending'),
        )) {
          await sendCampaign(ref, campaign, ready).catch(collectFailure);
        }
        for (const [campaign, unknown] of byCampaign(
          due.filter(({ decision }) => decision.state === 'sending'),
        )) {
          await stillOpen(ref, unknown)
            .then((open) => sendCampaign(ref, campaign, open))
            .catch(collectFailure);
        }
        await faults('next send not queued');
        await scheduleNext(ref);
        if (failures.length > 0) throw failures[0];
      },

      /** Sends held decisions now: a campaign accepts ratings again, or a key works again. */
      async release({ campaign, ...ref }: Payload<'release'>): Promise<void> {
        const ids = await tasks.find(ref, 'due', { limit: 10_000 });
        for (const task of (await tasks.getMany(ref, ids)).filter(hasDecision)) {
          if (task.decision.state !== 'held' || (campaign && task.campaign !== campaign)) continue;
          await tasks.apply(ref, task.id, { type: 'released', decision: task.decision.id, at: now() });
        }
        await jobs.add('send', ref);
      },
    },
  };

  /** Queues the job that sends the next decision when it is due. */
  async function scheduleNext(ref: AccountRef): Promise<void> {
    const next = await tasks.lowest(ref, 'due');
    if (next === undefined) return;
    const second = Math.ceil(Math.max(next, now() + 1_000) / 1_000);
    await jobs.add('send', ref, { delayMs: second * 1_000 - now(), uniqueKey: `${ref.account} ${second}` });
  }
}

type AttemptOutcome =
  | { readonly type: 'applied'; readonly at: number; readonly answered: true }
  | { readonly type: 'refused'; readonly problem: { readonly text: string } }
  | { readonly type: 'held'; readonly until: number; readonly problem: { readonly text: string } };

/** Returns whether a decision was sent and no process waits for its answer any more. */
function isUnknown({ decision }: TaskWithDecision, at: number): boolean {
  return decision.state === 'sending' && (decision.dueAt ?? 0) <= at;
}

/** Returns the attempt that an event is about: the latest one when the task was read. */
function ofAttempt({ decision }: TaskWithDecision): { readonly decision: string; readonly attempt: number } {
  return { decision: decision.id, attempt: decision.attempts };
}

function hasDecision(task: Task): task is TaskWithDecision {
  return task.decision !== undefined;
}

function entryOf({ id, decision }: TaskWithDecision): RatingEntry {
  return {
    taskId: id,
    rating: decision.verdict,
    comment: decision.comment,
    ...(decision.bonus === undefined ? {} : { bonus: money(decision.bonus) }),
    ...(decision.favorite ? { favorite: decision.favorite } : {}),
  };
}

/**
 * Groups decisions into calls. A call's arrays are matched by position, so all decisions of one call have the same fields
 * (rate_tasks, "Form fields are arrays").
 */
export function groupIntoCalls(sent: readonly TaskWithDecision[]): TaskWithDecision[][] {
  const fields = ({ decision }: TaskWithDecision) =>
    `${decision.bonus !== undefined} ${decision.favorite !== undefined}`;
  return [...groupBy(sent, fields).values()].flatMap((group) => chunksOf(group, maxPerCall));
}

/** Returns how long to wait after an attempt (ms): 2, 4, 8 … seconds, five minutes at most. */
function backoff(attempt: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, attempt), longestWaitMs);
}
