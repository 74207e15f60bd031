import { chunksOf, groupBy, runTogether } from '../../domain/collections.ts';
import { money } from '../../domain/money.ts';
import { leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { sentenceForCode } from '../../marketplace/errors.ts';
import type { RatingEntry } from '../../marketplace/types.ts';
import { makerBarred, noAnswer, payerBarred } from './decide.view.ts';
import { createReadBack } from './read-back.ts';
import { createSendOutcome, dueAtOf, hasDecision, type TaskWithDecision } from './send-outcome.ts';

/** A REVISE that leaves later than this after it was due (ms) is read back first. */
const lateMs = 5_000;

/** Interval between checks of a decision whose maker may no longer rate (ms). */
const barredMs = 300_000;

/** Maximum number of tasks per call. */
const maxPerCall = 100;

/** A due decision waits if another one of its campaign comes due within this time (ms). */
export const batchWindowMs = 1_000;

/** Maximum time a due decision waits for others (ms), so that a steady stream delays none indefinitely. */
const longestWaitMs = 3_000;

/** Creates the jobs that send due decisions, and reconcile those of unknown outcome. */
export function createSend(deps: Modules) {
  const { tasks, jobs, clock } = deps;
  const outcomes = createSendOutcome(deps);
  const checkSenders = createSenderCheck(deps);
  const { marketplaceMs, sendLeaseMs } = jobs.timeouts;
  const { settleUnknown } = createReadBack(deps, outcomes, sendCampaign);

  /** Claims decisions, so that only this process sends them. Returns the claimed ones. */
  async function claim(ref: AccountRef, due: readonly TaskWithDecision[]): Promise<TaskWithDecision[]> {
    const claims = await runTogether(due, (task) => {
      const at = clock.now();
      const leaseUntil = at + sendLeaseMs;
      // If another process has tried since this was read, the attempt number is used up and the claim fails.
      const attempt = task.decision.attempts + 1;
      const event = { type: 'sending', decision: task.decision.id, attempt, at, leaseUntil } as const;
      return tasks.apply(ref, task.id, event);
    });
    return claims.flatMap(({ kind, task }) => (kind === 'done' && hasDecision(task) ? [task] : []));
  }

  /**
   * Returns whether a decision leaves so late that an earlier attempt may have been lost with Redis's last seconds. A second
   * rating is refused, but a REVISE that the worker has answered since would be applied to the corrected proof.
   */
  function isLateRevise({ decision: { verdict, state, dueAt = 0 } }: TaskWithDecision): boolean {
    const isLate = state === 'held' || (state === 'waiting' && clock.now() > dueAt + lateMs);
    return verdict === 'REVISE' && isLate;
  }

  /** Returns the decisions that may be sent. Holds the others; their cards say why. */
  async function keepAllowed(
    ref: AccountRef,
    due: readonly TaskWithDecision[],
  ): Promise<readonly TaskWithDecision[]> {
    const { allowed, barred } = await checkSenders(ref, due);
    for (const task of await claim(ref, barred)) {
      // A manager can undo it, so that somebody else rates.
      const text = task.decision.ownBonus ? payerBarred : makerBarred;
      await outcomes.hold(ref, [task], barredMs, { text, waitsFor: 'person' });
    }
    return allowed;
  }

  /**
   * Sends decisions whose makers may (still) rate. Nobody reads them back before the call has ended: it ends before their
   * lease does.
   */
  async function sendCampaign(
    ref: AccountRef,
    campaign: CampaignId,
    open: readonly TaskWithDecision[],
  ): Promise<void> {
    for (const group of groupIntoCalls(await keepAllowed(ref, open))) {
      const client = await deps.marketplace.of(ref).catch((error: unknown) => asPaused(error));
      // Cards of decisions that wait for the marketplace say so; those that already say so are left unchanged.
      const isAway = client instanceof Paused;
      const late = client instanceof Error ? [] : group.filter(isLateRevise);
      // Until then, the answer of an attempt that Redis has lost may still be outstanding.
      await outcomes.markUnknown(ref, await claim(ref, late), { waitMs: marketplaceMs });
      const claimed = await claim(
        ref,
        group.filter((task) => (isAway ? isFirstAttempt(task) : !late.includes(task))),
      );
      if (claimed.length > 0) await jobs.faults('claimed, not sent');
      const claimedAt = clock.now();
      if (isAway) {
        const text = sentenceForCode(client.code) ?? noAnswer;
        await outcomes.hold(ref, claimed, client.waitMs, { text });
        throw client;
      }
      if (claimed.length === 0) continue;
      const leases = claimed.map(({ decision }) => dueAtOf(decision));
      const deadlineMs = Math.min(claimedAt + marketplaceMs, ...leases) - clock.now();
      // Redis may have delayed the claim so long that the call could hardly end in time.
      if (deadlineMs < Math.min(marketplaceMs, sendLeaseMs) / 2) {
        await outcomes.markUnknown(ref, claimed, { wasRejected: true });
        continue;
      }
      try {
        if (client instanceof NotConnected) throw client;
        await call(ref, campaign, claimed, client, deadlineMs);
      } catch (error) {
        deps.log.warn({ campaign, tasks: claimed.length, err: error }, 'rating call failed');
        await outcomes.failed(ref, claimed, error);
      }
    }
  }

  /** Rates tasks of one campaign with the same fields. It ends within `deadlineMs`. */
  async function call(
    ref: AccountRef,
    campaign: CampaignId,
    sent: readonly TaskWithDecision[],
    marketplace: MarketplaceClient,
    deadlineMs: number,
  ): Promise<void> {
    const [first] = sent;
    /** Recorded before the outcome of each decision is. */
    const recordRated = () => deps.campaigns.recordRated(ref, campaign, clock.now());
    if (sent.length === 1 && first && first.decision.verdict !== 'REVISE') {
      await marketplace.rateTask(campaign, entryOf(first), { deadlineMs });
      await jobs.faults('sent, not recorded');
      await recordRated();
      return outcomes.accepted(ref, sent);
    }
    const answers = await marketplace.rateTasks(campaign, sent.map(entryOf), { deadlineMs });
    await jobs.faults('sent, not recorded');
    if (answers.some((answer) => answer?.success)) await recordRated();
    await runTogether(sent, (task, index) => outcomes.answered(ref, task, answers[index]));
  }

  return {
    jobs: {
      async send(ref: Payload<'send'>): Promise<void> {
        const at = clock.now();
        const ids = await tasks.find(ref, 'due', { until: at + batchWindowMs, limit: 500 });
        const found = (await tasks.getMany(ref, ids)).filter(hasDecision);
        const isDue = ({ decision }: TaskWithDecision) => dueAtOf(decision) <= at;
        const coming = found.filter((task) => !isDue(task));
        const due = found.filter(isDue);
        const failures: Error[] = [];
        const collectFailure = (error: Error) => void failures.push(error);
        const isSent = ({ decision }: TaskWithDecision) => decision.state === 'sending';
        // Decisions ready to send come first, because read-back may block on a marketplace that does not answer.
        const unsent = due.filter((task) => !isSent(task));
        const ready = readyToSend(unsent, coming, at);
        for (const [campaign, some] of groupBy(ready, (task) => task.campaign))
          await sendCampaign(ref, campaign, some).catch(collectFailure);
        await settleUnknown(ref, due.filter(isSent), collectFailure);
        const away = failures.find((failure) => failure instanceof Paused);
        // One job waits for the marketplace, instead of one per send time.
        if (away) await jobs.add('send', ref, { delayMs: away.waitMs, uniqueKey: `${ref.account} away` });
        else await scheduleNext(ref);
        const failure = failures.find((one) => !(one instanceof Paused));
        if (failure) throw failure;
      },

      /** Sends held decisions now, because a campaign accepts ratings again, or a key works again. */
      async release({ campaign, ...ref }: Payload<'release'>): Promise<void> {
        const ids = await tasks.find(ref, 'due', { limit: 10_000 });
        for (const task of (await tasks.getMany(ref, ids)).filter(hasDecision)) {
          if (task.decision.state !== 'held' || (campaign && task.campaign !== campaign)) continue;
          await tasks.apply(ref, task.id, { type: 'released', decision: task.decision.id, at: clock.now() });
        }
        await jobs.add('send', ref);
      },
    },
  };

  /** Queues the job that sends the next decision when it is due. */
  async function scheduleNext(ref: AccountRef): Promise<void> {
    const next = await tasks.lowest(ref, 'due');
    if (next === undefined) return;
    const second = Math.ceil(Math.max(next, clock.now() + 1_000) / 1_000);
    await jobs.add('send', ref, {
      delayMs: second * 1_000 - clock.now(),
      uniqueKey: `${ref.account} ${second}`,
    });
  }
}

/** Returns why a job cannot call the marketplace now. Throws errors of other kinds. */
function asPaused(error: unknown): Paused | NotConnected {
  if (error instanceof Paused || error instanceof NotConnected) return error;
  throw error;
}

function isFirstAttempt({ decision }: TaskWithDecision): boolean {
  return decision.state === 'waiting';
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
 * Groups decisions into calls. A call's arrays are matched by position, so all decisions of one call have the same
 * fields (rate_tasks, "Form fields are arrays").
 */
function groupIntoCalls(sent: readonly TaskWithDecision[]): TaskWithDecision[][] {
  const fields = ({ decision }: TaskWithDecision) =>
    `${decision.bonus !== undefined} ${decision.favorite !== undefined}`;
  return [...groupBy(sent, fields).values()].flatMap((group) => chunksOf(group, maxPerCall));
}

/**
 * Returns the due decisions to send now: those of campaigns without more decisions coming due in a moment. In a burst, a
 * campaign thus gets one call instead of one per second. No decision is sent before it is due, and each can be undone
 * until it is sent.
 * @param coming decisions that come due within {@link batchWindowMs}
 * @param at the time (ms)
 */
export function readyToSend(
  due: readonly TaskWithDecision[],
  coming: readonly TaskWithDecision[],
  at: number,
): TaskWithDecision[] {
  const withMore = new Set(coming.filter(isUntried).map(({ campaign }) => campaign));
  const mayWait = (task: TaskWithDecision) => isUntried(task) && at - dueAtOf(task.decision) < longestWaitMs;
  return [...groupBy(due, ({ campaign }) => campaign)].flatMap(([campaign, group]) =>
    withMore.has(campaign) && group.every(mayWait) ? [] : group,
  );
}

/** Returns whether a decision was neither tried nor held yet; one that was has already waited. */
function isUntried({ decision }: TaskWithDecision): boolean {
  return decision.state === 'waiting' && decision.attempts === 0;
}

/**
 * Creates the permission check at send time: whether the decider may still rate, and still pay a bonus that nobody had to
 * approve. Slack's data may be up to 5 minutes old; for a bonus they must be fresh. A decision that was checked when it
 * was made stays valid while Slack cannot be asked, and after its maker removed their own key used for it: neither speaks
 * against it.
 */
export function createSenderCheck({ people }: Modules) {
  async function mayStill(
    ref: AccountRef,
    { by, ownBonus, ownKey, bonus }: TaskWithDecision['decision'],
  ): Promise<boolean> {
    const needed = ownBonus ? 'bonus' : 'rate';
    const someone = { workspace: ref.workspace, team: ref.workspace, member: by };
    const asked = { enough: leastRole(needed) };
    let { role, refusal } = await people.access.roleIn(someone, ref, {
      ...asked,
      isFresh: bonus !== undefined,
    });
    if (bonus !== undefined && refusal === 'unchecked')
      ({ role, refusal } = await people.access.roleIn(someone, ref, asked));
    if (may(role, needed) || refusal === 'unchecked') return true;
    if (refusal !== undefined || !ownKey) return false;
    const { isShared } = await people.accounts.owners(ref);
    return !isShared && !(await people.grants.of(ref)).former?.includes(by);
  }

  /** Returns due decisions by what is done with them. Those of a member that are checked alike are asked about once. */
  return async (ref: AccountRef, due: readonly TaskWithDecision[]) => {
    const allowed: TaskWithDecision[] = [];
    const barred: TaskWithDecision[] = [];
    // Without a key nothing is sent, and the cards say so. Rights that depend on that key are checked once there is one.
    const hasKey = due.length > 0 && (await people.accounts.keyOf(ref)) !== undefined;
    const answers = new Map<string, boolean>();
    for (const task of due) {
      const { by, ownBonus, ownKey, bonus } = task.decision;
      const kind = `${by} ${ownBonus} ${ownKey} ${bonus !== undefined}`;
      const answer = answers.get(kind) ?? (!hasKey || (await mayStill(ref, task.decision)));
      answers.set(kind, answer);
      (answer ? allowed : barred).push(task);
    }
    return { allowed, barred };
  };
}
