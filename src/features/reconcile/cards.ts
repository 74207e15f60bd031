import { chunksOf } from '../../domain/group.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { CardTag, cardTagType } from '../../slack/card-block.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { FeatureContext } from '../shared/context.ts';
import { bySlack } from '../shared/slack-time.ts';

/** How many records are loaded at once. */
const recordsAtOnce = 200;

export type CardSearchParts = Pick<
  FeatureContext,
  | 'campaigns'
  | 'jobs'
  | 'logger'
  | 'messengerOf'
  | 'now'
  | 'rateLimiter'
  | 'slackAheadOf'
  | 'subscriptions'
  | 'tasks'
>;

/**
 * Creates the search for cards that stand in the channels without a record. Each card's message carries what it belongs
 * to, so the channels' history is searched, but only when there is a reason to doubt the records, since Slack limits that.
 * Throws {@link Reschedule} or a SlackError when the channels cannot be read.
 */
export function createCardSearch(context: CardSearchParts) {
  const { tasks, campaigns } = context;

  async function search(ref: AccountRef, since: number): Promise<void> {
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
        if (card.round === task.round) await adopt(ref, task, card);
      }
    }
    await campaigns.storeFoundCards(ref, cards);
    if (cards.size > 0) context.logger.warn({ ...ref, cards: cards.size }, 'cards of unknown tasks found');
  }

  /** Records a card that was found in the channel as the task's own, so that it is updated and not posted again. */
  async function adopt(ref: AccountRef, task: Task, { channel, ts, round }: FoundCard): Promise<void> {
    const { id, card } = task;
    // It moved there after the record was written, because its channel was lost.
    if (card.state === 'posted' && card.channel !== channel && card.ts < ts)
      await tasks.apply(ref, id, { type: 'channel-lost', channel: card.channel });
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
        const known = cards.get(task) ?? { round: 0, ts: '' };
        // Of two cards of a round, the later one is where the task continues.
        if (round > known.round || (round === known.round && ts > known.ts))
          cards.set(task, { channel, ts, round });
      }
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') await context.rateLimiter.blockFor(call, error.retryAfterMs);
      if (error.kind !== 'refused') throw error;
      // Without the right to read the channel, a second card is better than none.
      context.logger.warn({ channel, code: error.code }, 'channel not searched for cards');
    }
  }

  return search;
}
