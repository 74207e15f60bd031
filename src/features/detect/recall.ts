import { chunksOf } from '../../domain/group.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { CardTag, cardTagType } from '../../slack/card-block.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FoundCard, PollRecord } from '../../store/campaigns.ts';
import type { DetectDeps } from './deps.ts';

/** Looks further apart than this may mean that Redis was restored from an older copy in between. */
const gapMs = 300_000;
/**
 * How far before the last look on record cards are looked for. That look is as old as the copy, whatever its age, and
 * so are all cards known in it; clocks differ, and a copy is not made in a moment.
 */
const marginMs = 300_000;
/** Cards are looked for so far back at most. */
const farthestMs = 30 * 86_400_000;
/** So many records are looked at together. */
const portion = 200;

export type Recall = ReturnType<typeof createRecall>;

/**
 * Cards that stand in the channels but of which nothing is known: their bookkeeping was lost, as when Redis is restored
 * from an older copy, or a replica takes over that lags behind. Each card's message says itself what it belongs to, so
 * the channels' history is asked; only when there is a reason to doubt what is on record, since Slack limits that.
 */
export function createRecall(deps: DetectDeps) {
  const { tasks, campaigns, now } = deps;
  /** What this process has seen of each account's looks: a copy cannot change that. */
  const seen = new Map<string, { looks: number; recalledAt: number }>();
  const nameOf = ({ workspace, account }: AccountRef) => `${workspace} ${account}`;

  /**
   * Whether the record may be older than what stands in the channels: this process does not know what was there before
   * it, another run of Redis serves it, it has fewer looks than there were, or they ended long ago.
   */
  function isDoubtful(ref: AccountRef, noted: PollRecord | undefined, server: string): boolean {
    const own = seen.get(nameOf(ref));
    if (own === undefined || noted === undefined) return true;
    if (noted.server !== server || noted.polls < own.looks) return true;
    return now() - Math.max(noted.at ?? 0, own.recalledAt) > gapMs;
  }

  function noteLooks(ref: AccountRef, looks: number, recalledAt = seen.get(nameOf(ref))?.recalledAt ?? 0) {
    seen.set(nameOf(ref), { looks, recalledAt });
  }

  /**
   * Makes sure that no card stands unknown. False: another job is looking for them now.
   * Throws {@link Reschedule} or a SlackFailure when the channels cannot be asked.
   */
  async function isSure(ref: AccountRef): Promise<boolean> {
    const { noted, server } = await campaigns.polls(ref);
    if (!isDoubtful(ref, noted, server)) {
      noteLooks(ref, noted?.polls ?? 0);
      return true;
    }
    const lock = await deps.leases.acquire(ref, 'recall', deps.timeouts.leaseMs);
    if (lock === undefined) return false;
    try {
      await recall(ref, Math.max((noted?.at ?? 0) - marginMs, now() - farthestMs));
      await campaigns.recordReconciled(ref);
      noteLooks(ref, noted?.polls ?? 0, now());
      return true;
    } finally {
      await lock.release();
    }
  }

  async function recall(ref: AccountRef, since: number): Promise<void> {
    const subscribed = await deps.subscriptions.ofAccount(ref);
    const cards = new Map<TaskId, FoundCard>();
    for (const channel of new Set(subscribed.map((subscription) => subscription.channel))) {
      await findCards(ref, channel, since, cards);
    }
    for (const ids of chunksOf([...cards.keys()], portion)) {
      for (const task of await tasks.getMany(ref, ids)) {
        const card = cards.get(task.id);
        // A card of a later round is that of a correction which is not known yet.
        if (card === undefined || card.round > task.round) continue;
        cards.delete(task.id);
        if (card.round === task.round) await adopt(ref, task.id, card);
      }
    }
    await campaigns.storeFoundCards(ref, cards);
    if (cards.size > 0) deps.logger.warn({ ...ref, cards: cards.size }, 'found cards of unknown tasks');
  }

  /** Its card stands there already: it is not posted (again), but shows from now on what is known. */
  async function adopt(ref: AccountRef, id: TaskId, { channel, ts, round }: FoundCard): Promise<void> {
    await tasks.apply(ref, id, { type: 'card-wanted' });
    const posted = await tasks.apply(ref, id, { type: 'posted', place: { channel, ts }, round });
    if (posted.kind === 'done') await deps.jobs.add('redraw', { ...ref, task: id });
  }

  async function findCards(
    ref: AccountRef,
    channel: ChannelId,
    since: number,
    cards: Map<TaskId, FoundCard>,
  ): Promise<void> {
    const call = { workspace: ref.workspace, method: 'conversations.history', channel };
    const { waitMs } = await deps.rateLimiter.acquire(call);
    if (waitMs > 0) throw new Reschedule(waitMs);
    try {
      const history = deps.messengerOf(ref.workspace).tagged(channel, since, cardTagType);
      for await (const { ts, payload } of history) {
        const tag = CardTag.safeParse(payload).data;
        if (tag?.account !== ref.account) continue;
        const { task, round } = tag;
        if (round > (cards.get(task)?.round ?? 0)) cards.set(task, { channel, ts, round });
      }
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') await deps.rateLimiter.blockFor(call, error.retryAfterMs);
      if (error.kind !== 'refused') throw error;
      // No right to read the channel, or none there: better a second card than none.
      deps.logger.warn({ channel, code: error.code }, 'cannot look for cards in the channel');
    }
  }

  return {
    isSure,

    /** As {@link isSure}, for who can come back later; a failure is only noted. */
    async triesToBeSure(ref: AccountRef): Promise<boolean> {
      try {
        return await isSure(ref);
      } catch (error) {
        if (!(error instanceof SlackError) && !(error instanceof Reschedule)) throw error;
        deps.logger.warn({ err: error, account: ref.account }, 'cannot look for cards yet');
        return false;
      }
    },

    /** For a start, before any other work: whether another run of Redis serves what is on record. */
    async isServedAnew(ref: AccountRef): Promise<boolean> {
      const { noted, server } = await campaigns.polls(ref);
      return noted !== undefined && noted.server !== server;
    },

    noteLooks: (ref: AccountRef, looks: number) => noteLooks(ref, looks),
  };
}
