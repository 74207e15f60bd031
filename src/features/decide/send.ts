import { chunksOf, groupBy, runTogether } from '../../domain/collections.ts';
import { money } from '../../domain/money.ts';
import { leastRole, may } from '../../domain/permissions.ts';
import { decisionDueAt, type Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { inDelivery } from '../../logger.ts';
import type { MarketplaceClient, RatingEntry } from '../../marketplace/index.ts';
import { createReadBack } from './read-back.ts';
import { createSendOutcome, hasDecision, type TaskWithDecision } from './send-outcome.ts';

/** A REVISE that leaves later than this after it was due (ms) is read back first. */
const lateMs = 5_000;

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
  const { settleUnknown } = createReadBack(deps, outcomes, sendAllowed);

  /** Claims decisions, so that only this process sends them. Returns the claimed ones. */
  async function claim(ref: AccountRef, due: readonly TaskWithDecision[]): Promise<TaskWithDecision[]> {
    const claims = await runTogether(due, (task) => {
      const at = clock.now();
      const leaseUntil = at + deps.jobs.timeouts.sendLeaseMs;
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

  /** Returns the decisions that may be sent. Holds or refuses the others; their cards say why. */
  async function keepAllowed(
    ref: AccountRef,
    due: readonly TaskWithDecision[],
  ): Promise<readonly TaskWithDecision[]> {
    const { allowed, barred, unasked, refused } = await checkSenders(ref, due);
    const { recordBarred, recordUnasked, recordMakerRefused } = outcomes;
    for (const [some, record] of [
      [barred, recordBarred],
      [unasked, recordUnasked],
      [refused, recordMakerRefused],
    ] as const) {
      for (const task of await claim(ref, some)) await record(ref, task);
    }
    return allowed;
  }

  /** Sends decisions that read-back found still open. Their makers may have lost the right to rate since the last attempt. */
  async function sendAllowed(
    ref: AccountRef,
    campaign: CampaignId,
    open: readonly TaskWithDecision[],
  ): Promise<void> {
    await sendCampaign(ref, campaign, await keepAllowed(ref, open));
  }

  /** Sends decisions. Nobody reads them back before the call has ended: it ends before their lease does. */
  async function sendCampaign(
    ref: AccountRef,
    campaign: CampaignId,
    open: readonly TaskWithDecision[],
  ): Promise<void> {
    for (const group of groupIntoCalls(open)) {
      const client = await deps.marketplace.of(ref).catch((error: unknown) => asPaused(error));
      // Cards of decisions that wait for the marketplace say so; those that already say so are left unchanged.
      const isAway = client instanceof Paused;
      const late = client instanceof Error ? [] : group.filter(isLateRevise);
      await outcomes.recordToBeReadBack(ref, await claim(ref, late));
      const claimed = await claim(
        ref,
        group.filter((task) => (isAway ? isFirstAttempt(task) : !late.includes(task))),
      );
      if (claimed.length > 0) await jobs.faults('claimed, not sent');
      const claimedAt = clock.now();
      if (isAway) {
        await outcomes.recordAway(ref, claimed, client);
        throw client;
      }
      if (claimed.length === 0) continue;
      const { marketplaceMs, sendLeaseMs } = deps.jobs.timeouts;
      const leases = claimed.map(({ decision }) => decision.dueAt ?? 0);
      const deadlineMs = Math.min(claimedAt + marketplaceMs, ...leases) - clock.now();
      // Redis may have delayed the claim so long that the call could hardly end in time.
      if (deadlineMs < Math.min(marketplaceMs, sendLeaseMs) / 2) {
        await outcomes.recordNotSent(ref, claimed);
        continue;
      }
      try {
        if (client instanceof NotConnected) throw client;
        await inDelivery(deliveriesOf(claimed), () => call(ref, campaign, claimed, client, deadlineMs));
      } catch (error) {
        const delivery = deliveriesOf(claimed);
        deps.log.warn({ campaign, tasks: claimed.length, err: error, delivery }, 'rating call failed');
        await outcomes.recordFailure(ref, claimed, error);
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
    if (sent.length === 1 && first && first.decision.verdict !== 'REVISE') {
      await marketplace.rateTask(campaign, entryOf(first), { deadlineMs });
      await jobs.faults('sent, not recorded');
      await outcomes.markRated(ref, campaign);
      await outcomes.recordApplied(ref, sent);
      return;
    }
    const answers = await marketplace.rateTasks(campaign, sent.map(entryOf), { deadlineMs });
    await jobs.faults('sent, not recorded');
    if (answers.some((answer) => answer?.success)) await outcomes.markRated(ref, campaign);
    await runTogether(sent, (task, index) => outcomes.recordAnswer(ref, task, answers[index]));
  }

  return {
    jobs: {
      async send(ref: Payload<'send'>): Promise<void> {
        const at = clock.now();
        const ids = await tasks.find(ref, 'due', { until: at + batchWindowMs, limit: 500 });
        const found = (await tasks.getMany(ref, ids)).filter(hasDecision);
        const isDue = (task: Task) => (decisionDueAt(task) ?? 0) <= at;
        const coming = found.filter((task) => !isDue(task));
        const due = found.filter(isDue);
        const failures: Error[] = [];
        const collectFailure = (error: Error) => void failures.push(error);
        const isSent = ({ decision }: TaskWithDecision) => decision.state === 'sending';
        // Decisions ready to send come first, because read-back may block on a marketplace that does not answer.
        const ready = readyToSend(
          due.filter((task) => !isSent(task)),
          coming,
          at,
        );
        const allowed = await keepAllowed(ref, ready);
        for (const [campaign, some] of groupBy(allowed, (task) => task.campaign))
          await sendCampaign(ref, campaign, some).catch(collectFailure);
        await settleUnknown(ref, due.filter(isSent), collectFailure);
        const away = failures.find((failure) => failure instanceof Paused);
        if (away) await sendAfter(ref, away.waitMs);
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

  /** Queues one job that waits for the marketplace, instead of one per send time. */
  async function sendAfter(ref: AccountRef, delayMs: number): Promise<void> {
    await jobs.add('send', ref, { delayMs, uniqueKey: `${ref.account} away` });
  }

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

/** Returns the deliveries from Slack that made decisions, for the log. */
function deliveriesOf(claimed: readonly TaskWithDecision[]): string | undefined {
  const ids = new Set(claimed.flatMap(({ decision: { delivery } }) => delivery ?? []));
  return ids.size > 0 ? [...ids].join(' ') : undefined;
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
  const mayWait = (task: TaskWithDecision) =>
    isUntried(task) && at - (decisionDueAt(task) ?? 0) < longestWaitMs;
  return [...groupBy(due, ({ campaign }) => campaign)].flatMap(([campaign, group]) =>
    withMore.has(campaign) && group.every(mayWait) ? [] : group,
  );
}

/** Returns whether a decision was neither tried nor held yet; one that was has already waited. */
function isUntried({ decision }: TaskWithDecision): boolean {
  return decision.state === 'waiting' && decision.attempts === 0;
}

/** Decisions of one member whose permission is checked the same way. */
type Kind = Pick<TaskWithDecision['decision'], 'by' | 'ownBonus' | 'ownKey' | 'unchecked'> & {
  readonly isMoney: boolean;
};

/**
 * What is done with a due decision: sent · held, its maker may no longer rate (`barred`) · held until Slack can be asked
 * whether they may (`unasked`) · refused, they never might.
 */
type Answer = 'allowed' | 'barred' | 'unasked' | 'refused';

/**
 * Creates the permission check at send time: whether the decider may still rate, and still pay a bonus that nobody had to
 * approve. Slack's data may be up to 5 minutes old; for a bonus they must be fresh. A decision that was checked when it
 * was made stays valid while Slack cannot be asked, and after its maker removed their own key used for it: neither speaks
 * against it.
 */
export function createSenderCheck({ people }: Modules) {
  async function answerOf(
    ref: AccountRef,
    { by, ownBonus, ownKey, isMoney, unchecked }: Kind,
  ): Promise<Answer> {
    const needed = ownBonus ? 'bonus' : 'rate';
    const someone = { workspace: ref.workspace, team: ref.workspace, member: by };
    const asked = { enough: leastRole(needed), isFresh: isMoney };
    let { role, refusal } = await people.access.roleIn(someone, ref, asked);
    if (isMoney && refusal === 'unchecked')
      ({ role, refusal } = await people.access.roleIn(someone, ref, { enough: leastRole(needed) }));
    if (may(role, needed)) return 'allowed';
    if (refusal === 'unchecked') return unchecked ? 'unasked' : 'allowed';
    if (unchecked) return 'refused';
    if (refusal !== undefined || !ownKey) return 'barred';
    const { isShared } = await people.accounts.owners(ref);
    return !isShared && !(await people.grants.of(ref)).former?.includes(by) ? 'allowed' : 'barred';
  }

  /** Returns due decisions by what is done with them. */
  return async (
    ref: AccountRef,
    due: readonly TaskWithDecision[],
  ): Promise<Readonly<Record<Answer, readonly TaskWithDecision[]>>> => {
    const none = { allowed: [], barred: [], unasked: [], refused: [] };
    if (due.length === 0) return none;
    // Without a key nothing is sent, and the cards say so. Rights that depend on that key are checked once there is one.
    const hasKey = (await people.accounts.keyOf(ref)) !== undefined;
    const kinds = new Map(due.map(({ decision }) => [nameOf(decision), kindOf(decision)]));
    const answers = new Map(
      await Promise.all(
        [...kinds].map(async ([name, kind]) => {
          if (hasKey) return [name, await answerOf(ref, kind)] as const;
          return [name, kind.unchecked ? 'unasked' : 'allowed'] as const;
        }),
      ),
    );
    const byAnswer = groupBy(due, ({ decision }) => answers.get(nameOf(decision)) ?? 'barred');
    return { ...none, ...Object.fromEntries(byAnswer) };
  };
}

function kindOf({ by, ownBonus, ownKey, bonus, unchecked }: TaskWithDecision['decision']): Kind {
  return {
    by,
    isMoney: bonus !== undefined,
    ...(ownBonus ? { ownBonus } : {}),
    ...(ownKey ? { ownKey } : {}),
    ...(unchecked ? { unchecked } : {}),
  };
}

function nameOf(decision: TaskWithDecision['decision']): string {
  const { by, ownBonus, ownKey, isMoney, unchecked } = kindOf(decision);
  return `${by} ${ownBonus} ${ownKey} ${isMoney} ${unchecked}`;
}
