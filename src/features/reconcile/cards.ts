import { chunksOf } from '../../domain/group.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { CardTag, cardTagType } from '../../slack/card-block.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FoundCard, PollRecord } from '../../store/campaigns.ts';
import type { FeatureContext } from '../shared/context.ts';
import { bySlack } from '../shared/slack-time.ts';

/** Polls further apart than this may mean that Redis was restored from an older copy in between. */
const gapMs = 300_000;
/**
 * Cards are searched for from this long before the last recorded poll. That poll is as old as the copy, whatever its age,
 * and so are all cards in it; clocks differ, and a copy is not made in a moment.
 */
const searchMarginMs = 300_000;
/** How far back cards are searched for at most. */
const searchLimitMs = 30 * 86_400_000;
/** How many records are loaded at once. */
const recordsAtOnce = 200;

/**
 * Creates the search for cards that stand in the channels without a record: records are lost when Redis is restored from
 * an older copy, or when a replica that lags behind takes over. Each card's message carries what it belongs to, so the
 * channels' history is searched, but only when there is a reason to doubt the records, since Slack limits that.
 */
export function createCardReconciliation(
  context: Pick<
    FeatureContext,
    | 'campaigns'
    | 'jobs'
    | 'leases'
    | 'logger'
    | 'messengerOf'
    | 'now'
    | 'rateLimiter'
    | 'slackAheadOf'
    | 'subscriptions'
    | 'tasks'
    | 'timeouts'
  >,
) {
  const { tasks, campaigns, now } = context;
  /** How many polls this process has seen per account: restoring a copy does not change that. */
  const seen = new Map<string, { polls: number; reconciledAt: number }>();
  const nameOf = ({ workspace, account }: AccountRef) => `${workspace} ${account}`;

  /**
   * Returns whether the records may be older than the channels: this process does not know what was there before it, another run
   * of Redis serves them, they count fewer polls than there were, or the last poll was long ago.
   */
  function isDoubtful(ref: AccountRef, recorded: PollRecord | undefined, server: string): boolean {
    const own = seen.get(nameOf(ref));
    if (own === undefined || recorded === undefined) return true;
    if (recorded.server !== server || recorded.polls < own.polls) return true;
    return now() - Math.max(recorded.at ?? 0, own.reconciledAt) > gapMs;
  }

  function recordPollCount(
    ref: AccountRef,
    polls: number,
    reconciledAt = seen.get(nameOf(ref))?.reconciledAt ?? 0,
  ) {
    seen.set(nameOf(ref), { polls, reconciledAt });
  }

  /**
   * Makes sure that no card is without a record. Resolves false while another job searches for them.
   * Throws {@link Reschedule} or a SlackError when the channels cannot be read.
   */
  async function ensureReconciled(ref: AccountRef): Promise<boolean> {
    const { recorded, server } = await campaigns.polls(ref);
    if (!isDoubtful(ref, recorded, server)) {
      recordPollCount(ref, recorded?.polls ?? 0);
      return true;
    }
    const lease = await context.leases.acquire(ref, 'recall', context.timeouts.leaseMs);
    if (lease === undefined) return false;
    try {
      await reconcile(ref, Math.max((recorded?.at ?? 0) - searchMarginMs, now() - searchLimitMs));
      await campaigns.recordReconciled(ref);
      recordPollCount(ref, recorded?.polls ?? 0, now());
      return true;
    } finally {
      await lease.release();
    }
  }

  async function reconcile(ref: AccountRef, since: number): Promise<void> {
    const subscribed = await context.subscriptions.ofAccount(ref);
    const cards = new Map<TaskId, FoundCard>();
    for (const channel of new Set(subscribed.map((subscription) => subscription.channel))) {
      await findCards(ref, channel, since, cards);
    }
    for (const ids of chunksOf([...cards.keys()], recordsAtOnce)) {
      for (const task of await tasks.getMany(ref, ids)) {
        const card = cards.get(task.id);
        // A card of a later round belongs to a correction that is not known yet.
        if (card === undefined || card.round > task.round) continue;
        cards.delete(task.id);
        if (card.round === task.round) await adopt(ref, task.id, card);
      }
    }
    await campaigns.storeFoundCards(ref, cards);
    if (cards.size > 0) context.logger.warn({ ...ref, cards: cards.size }, 'cards of unknown tasks found');
  }

  /** Records a card that was found in the channel as the task's own, so that it is updated and not posted again. */
  async function adopt(ref: AccountRef, id: TaskId, { channel, ts, round }: FoundCard): Promise<void> {
    await tasks.apply(ref, id, { type: 'card-wanted' });
    const posted = await tasks.apply(ref, id, { type: 'posted', messageRef: { channel, ts }, round });
    if (posted.kind === 'done') await context.jobs.add('redraw', { ...ref, task: id });
  }

  async function findCards(
    ref: AccountRef,
    channel: ChannelId,
    since: number,
    cards: Map<TaskId, FoundCard>,
  ): Promise<void> {
    const call = { workspace: ref.workspace, method: 'conversations.history', channel };
    const { waitMs } = await context.rateLimiter.acquire(call);
    if (waitMs > 0) throw new Reschedule(waitMs);
    try {
      const history = context
        .messengerOf(ref.workspace)
        .tagged(channel, bySlack(since, context), cardTagType);
      for await (const { ts, payload } of history) {
        const tag = CardTag.safeParse(payload).data;
        if (tag?.account !== ref.account) continue;
        const { task, round } = tag;
        if (round > (cards.get(task)?.round ?? 0)) cards.set(task, { channel, ts, round });
      }
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') await context.rateLimiter.blockFor(call, error.retryAfterMs);
      if (error.kind !== 'refused') throw error;
      // Without the right to read the channel, a second card is better than none.
      context.logger.warn({ channel, code: error.code }, 'channel not searched for cards');
    }
  }

  return {
    ensureReconciled,

    /** Like {@link ensureReconciled}, for callers that can come back later: a failure is logged and means false. */
    async tryEnsureReconciled(ref: AccountRef): Promise<boolean> {
      try {
        return await ensureReconciled(ref);
      } catch (error) {
        if (!(error instanceof SlackError) && !(error instanceof Reschedule)) throw error;
        context.logger.warn({ err: error, account: ref.account }, 'cards not reconciled yet');
        return false;
      }
    },

    /** Returns whether another run of Redis serves the records than the one that stored them. */
    async isOtherRedisRun(ref: AccountRef): Promise<boolean> {
      const { recorded, server } = await campaigns.polls(ref);
      return recorded !== undefined && recorded.server !== server;
    },

    recordPollCount: (ref: AccountRef, polls: number) => recordPollCount(ref, polls),
  };
}
