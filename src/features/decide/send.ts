import type { DecisionEvent } from '../../domain/events.ts';
import type { Faults } from '../../domain/fault-points.ts';
import { chunksOf, groupBy } from '../../domain/group.ts';
import { money } from '../../domain/money.ts';
import type { Decision, Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
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
import { asksForPause, noAnswer, noKey } from './decide.view.ts';
import { reconcileDecision } from './reconcile.ts';

export interface SendDeps {
  readonly tasks: Tasks;
  readonly campaigns: Campaigns;
  readonly workers: Pick<Workers, 'recordFavorite'>;
  readonly jobs: Jobs;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly logger: Logger;
  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly now: () => number;
}
/** One call takes at most so many tasks. */
const mostPerCall = 100;
/** A campaign whose ratings are refused for now is asked again after this, or when a look sees it change. */
const pauseMs = 300_000;
/** What could not be sent or read back is tried again after this at the latest. */
const longestWaitMs = 300_000;

/** Turns this attempt away for certain, because there is a rating: somebody else's, or that of an earlier attempt. */
const ratedAlready = 'ONLY_NOTRATED_TASK_CAN_BE_RATED';
/** Refusals after which the decision may still have been applied, now or by an earlier attempt. */
const tellsNothing = new Set<string>([ratedAlready, 'SYSTEM_ERROR']);
/** Answers to reading a task back that leave nothing to wait for: it was not rated and cannot be. */
const gone = new Set<string>(['NO_SUCH_TASK', 'NOT_A_CAMPAIGN_OWNER']);
/** Refusals that pass ("States and transitions": rating refused while the campaign is paused or in review). */
const passing = new Set<string>(['CAMPAIGN_IS_PAUSED_ADMIN', 'CAMPAIGN_IS_PENDING_REVIEW']);

/** A task with the decision that is to be sent. */
export type Sending = Task & { readonly decision: Decision };

/** Sends decisions whose time has come, and finds out what became of those whose end is not known. */
export function createSend(deps: SendDeps) {
  const { tasks, jobs, faults, now } = deps;

  /** Applies what happened to a decision, and has its card redrawn. */
  async function settle(ref: AccountRef, task: Sending, event: DecisionEvent): Promise<void> {
    const { favorite, by } = task.decision;
    if (event.type === 'applied' && event.answered && favorite) {
      await deps.workers.recordFavorite(ref, task.worker.id, favorite, { by, at: event.at });
    }
    // First: a quick worker may correct a REVISE before the next look, and the counts are then what they were.
    if (event.type === 'applied' || event.type === 'overtaken')
      await deps.campaigns.recordRated(ref, task.campaign, event.at);
    await tasks.apply(ref, task.id, event);
    // Whatever came of it: an event may have been kept although its answer was lost with a connection.
    await jobs.add('redraw', { ...ref, task: task.id });
    await faults('one of several recorded');
  }

  async function settleAll(ref: AccountRef, sent: readonly Sending[], event: Eventual): Promise<void> {
    for (const task of sent) await settle(ref, task, { ...event, ...ofAttempt(task) });
  }

  /** Takes decisions to be sent by this process and no other; gives those it got. */
  async function take(ref: AccountRef, due: readonly Sending[]): Promise<Sending[]> {
    const taken: Sending[] = [];
    for (const task of due) {
      const at = now();
      const leaseUntil = at + deps.timeouts.sendLeaseMs;
      // Whoever has tried since this was read has made that attempt: what was read back before it says nothing.
      const attempt = task.decision.attempts + 1;
      const event = { type: 'sending', decision: task.decision.id, attempt, at, leaseUntil } as const;
      const outcome = await tasks.apply(ref, task.id, event);
      if (outcome.kind === 'done' && hasDecision(outcome.task)) taken.push(outcome.task);
    }
    return taken;
  }

  /** One call, for decisions of one campaign with the same fields. */
  async function call(ref: AccountRef, campaign: CampaignId, sent: readonly Sending[]): Promise<void> {
    const marketplace = await deps.marketplaceOf(ref);
    const [first] = sent;
    if (sent.length === 1 && first && first.decision.verdict !== 'REVISE') {
      await marketplace.rateTask(campaign, entryOf(first));
      await faults('sent, not recorded');
      await settleAll(ref, sent, { type: 'applied', at: now(), answered: true });
      return;
    }
    const answers = await marketplace.rateTasks(campaign, sent.map(entryOf));
    await faults('sent, not recorded');
    for (const [index, task] of sent.entries()) {
      const answer = answers[index];
      const of = ofAttempt(task);
      const codes = answer?.errors.map(({ code }) => code) ?? [];
      if (answer?.success) await settle(ref, task, { type: 'applied', ...of, at: now(), answered: true });
      else if (!answer?.answered || codes.some((code) => tellsNothing.has(code))) {
        await unsure(ref, [task], codes.includes(ratedAlready) && !codes.includes('SYSTEM_ERROR'));
      } else {
        const problem = { text: answer.errors.map(sentenceForProblem).join(' ') };
        if (codes.some((code) => passing.has(code))) {
          const kept = { ...problem, waitsFor: 'campaign' } as const;
          await settle(ref, task, { type: 'held', ...of, until: now() + pauseMs, problem: kept });
        } else await settle(ref, task, { type: 'refused', ...of, problem });
      }
    }
  }

  /**
   * Nobody knows what became of these: they are read back, soon and then ever less often.
   * @param turnedAway this attempt was not applied: they had a rating already, perhaps by an earlier attempt
   */
  async function unsure(ref: AccountRef, sent: readonly Sending[], turnedAway = false): Promise<void> {
    for (const task of sent) {
      const until = now() + Math.min(Math.max(1_000, (now() - task.decision.at) / 4), longestWaitMs);
      await tasks.apply(ref, task.id, { type: 'outcome-unknown', ...ofAttempt(task), until, turnedAway });
    }
  }

  /** Reads back what became of a decision. Gives true when it is to be sent (again). */
  async function isOpenStill(ref: AccountRef, task: Sending): Promise<boolean> {
    try {
      const event = await reconcileDecision(await deps.marketplaceOf(ref), task, now);
      await faults('reconciled, not recorded');
      if (event === 'open') return true;
      await settle(ref, task, event);
    } catch (error) {
      const isKnown =
        error instanceof TransportError || error instanceof MarketplaceError || error instanceof NotConnected;
      if (!isKnown) throw error;
      deps.logger.warn({ task: task.id, err: error }, 'a decision could not be read back');
      const isGone = error instanceof MarketplaceError && gone.has(error.code);
      if (isGone) await settleAll(ref, [task], { type: 'refused', problem: { text: sentenceFor(error) } });
      else await unsure(ref, [task]);
    }
    return false;
  }

  /** What a failed call means for its decisions. */
  async function afterFailure(ref: AccountRef, sent: readonly Sending[], error: unknown): Promise<void> {
    if (error instanceof TransportError && error.mayHaveBeenApplied) return unsure(ref, sent);
    if (error instanceof TransportError) {
      const wait = Math.max(error.retryAfterMs ?? 0, backoff(sent[0]?.decision.attempts ?? 1));
      return settleAll(ref, sent, {
        type: 'held',
        until: now() + wait,
        problem: { text: error.kind === 'rate-limited' ? asksForPause : noAnswer },
      });
    }
    if (error instanceof NotConnected) {
      return settleAll(ref, sent, { type: 'held', until: now() + pauseMs, problem: { text: noKey } });
    }
    if (!(error instanceof MarketplaceError)) throw error;
    if (tellsNothing.has(error.code)) return unsure(ref, sent, error.code === ratedAlready);
    const paused = passing.has(error.code) ? ({ waitsFor: 'campaign' } as const) : {};
    const problem = { text: sentenceFor(error), ...paused };
    if (error.isAuthentication || passing.has(error.code)) {
      return settleAll(ref, sent, { type: 'held', until: now() + pauseMs, problem });
    }
    return settleAll(ref, sent, { type: 'refused', problem });
  }

  /** Reads back those whose end is not known. Gives those that are to be sent (again). */
  async function unrated(ref: AccountRef, unknown: readonly Sending[]): Promise<Sending[]> {
    const open: Sending[] = [];
    for (const { id } of unknown) {
      // Reading many takes a while, in which another process may have looked after this one.
      const task = await tasks.get(ref, id);
      if (task === undefined || !hasDecision(task) || !isUnknown(task, now())) continue;
      if (await isOpenStill(ref, task)) open.push(task);
    }
    return open;
  }

  async function sendCampaign(
    ref: AccountRef,
    campaign: CampaignId,
    open: readonly Sending[],
  ): Promise<void> {
    for (const group of inGroups(open)) {
      const taken = await take(ref, group);
      if (taken.length === 0) continue;
      await faults('claimed, not sent');
      try {
        await call(ref, campaign, taken);
      } catch (error) {
        deps.logger.warn({ campaign, tasks: taken.length, err: error }, 'decisions were not taken');
        await faults('failure not recorded');
        await afterFailure(ref, taken, error);
      }
    }
  }

  return {
    jobs: {
      async send(ref: Payload<'send'>): Promise<void> {
        const ids = await tasks.find(ref, 'due', { until: now(), limit: 500 });
        const due = (await tasks.getMany(ref, ids)).filter(hasDecision);
        await faults('due found');
        const failures: unknown[] = [];
        const noteFailure = (error: unknown) => void failures.push(error);
        const byCampaign = (some: readonly Sending[]) => groupBy(some, ({ campaign }) => campaign);
        // First what can leave at once: reading back may have to wait for a marketplace that does not answer.
        for (const [campaign, ready] of byCampaign(
          due.filter(({ decision }) => decision.state !== 'sending'),
        )) {
          await sendCampaign(ref, campaign, ready).catch(noteFailure);
        }
        for (const [campaign, unknown] of byCampaign(
          due.filter(({ decision }) => decision.state === 'sending'),
        )) {
          await unrated(ref, unknown)
            .then((open) => sendCampaign(ref, campaign, open))
            .catch(noteFailure);
        }
        await faults('next send not queued');
        await scheduleNext(ref);
        if (failures.length > 0) throw failures[0];
      },

      /** What was kept may be possible now: a campaign's ratings are taken again, or a key works again. */
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

  /** Somebody has to come back when the next decision is due. */
  async function scheduleNext(ref: AccountRef): Promise<void> {
    const next = await tasks.lowest(ref, 'due');
    if (next === undefined) return;
    const second = Math.ceil(Math.max(next, now() + 1_000) / 1_000);
    await jobs.add('send', ref, { delayMs: second * 1_000 - now(), once: `${ref.account} ${second}` });
  }
}

type Eventual =
  | { readonly type: 'applied'; readonly at: number; readonly answered: true }
  | { readonly type: 'refused'; readonly problem: { readonly text: string } }
  | { readonly type: 'held'; readonly until: number; readonly problem: { readonly text: string } };

/** Whether it was sent, and nobody waits for the answer any more. */
function isUnknown({ decision }: Sending, at: number): boolean {
  return decision.state === 'sending' && (decision.dueAt ?? 0) <= at;
}

/** The attempt that an event of a task's decision speaks of: the latest when the task was read. */
function ofAttempt({ decision }: Sending): { readonly decision: string; readonly attempt: number } {
  return { decision: decision.id, attempt: decision.attempts };
}

function hasDecision(task: Task): task is Sending {
  return task.decision !== undefined;
}

function entryOf({ id, decision }: Sending): RatingEntry {
  return {
    taskId: id,
    rating: decision.verdict,
    comment: decision.comment,
    ...(decision.bonus === undefined ? {} : { bonus: money(decision.bonus) }),
    ...(decision.favorite ? { favorite: decision.favorite } : {}),
  };
}

/**
 * Decisions in calls: each call's arrays are matched by position, so all of one call have the same fields
 * (rate_tasks, "Form fields are arrays").
 */
export function inGroups(sent: readonly Sending[]): Sending[][] {
  const fields = ({ decision }: Sending) =>
    `${decision.bonus !== undefined} ${decision.favorite !== undefined}`;
  return [...groupBy(sent, fields).values()].flatMap((group) => chunksOf(group, mostPerCall));
}

/** 1, 2, 4 … seconds up to five minutes. */
function backoff(attempt: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, attempt), longestWaitMs);
}
