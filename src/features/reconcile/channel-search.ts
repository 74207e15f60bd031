import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { cardTagType } from '../../slack/card-tag.ts';
import type { TaggedPage } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { FeatureContext } from '../shared/context.ts';
import { bySlack } from '../shared/slack-time.ts';
import { createFoundCards, type FoundCardsParts } from './found-cards.ts';
import { createFoundMessages, type FoundMessagesParts } from './found-messages.ts';

export type ChannelSearchParts = FoundCardsParts &
  FoundMessagesParts &
  Pick<FeatureContext, 'epochs' | 'logger' | 'messengerOf' | 'now' | 'rateLimiter' | 'slackAheadOf'>;

/** What a search has found. */
export interface SearchResult {
  /** Tasks whose card shows their record as it is. */
  readonly current: ReadonlySet<TaskId>;
  /** How many of the bot's messages belong to the account. */
  readonly messages: number;
  /** How many of them show what no record knows. */
  readonly newer: number;
  /** How many decisions on cards contradict those of the records. */
  readonly contradicted: number;
  /** The channels that could not be read: what only their cards showed is lost. */
  readonly unreadable: ReadonlySet<ChannelId>;
}

/** Where a channel's search ends up. */
const end = 'end';

/**
 * Creates the search of channels for the bot's own messages that the records may not know. Each carries what it belongs to.
 * Slack limits reading, so a search that was interrupted goes on where it was, in whichever process.
 * Throws {@link Reschedule} or a SlackError when a channel cannot be read now.
 */
export function createChannelSearch(context: ChannelSearchParts) {
  const { epochs, rateLimiter } = context;
  const foundCards = createFoundCards(context);
  const foundMessages = createFoundMessages(context);

  /** Reads a page of history, or undefined when the bot may not read the channel. */
  async function readPage(
    ref: AccountRef,
    channel: ChannelId,
    since: number,
    before: string | undefined,
  ): Promise<TaggedPage | undefined> {
    const call = { workspace: ref.workspace, method: 'conversations.history', channel };
    const { waitMs } = await rateLimiter.acquire(call);
    if (waitMs > 0) throw new Reschedule(waitMs);
    try {
      return await context.messengerOf(ref.workspace).taggedPage(channel, bySlack(since, context), before);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') await rateLimiter.blockFor(call, error.retryAfterMs);
      if (error.kind !== 'refused') throw error;
      // Without the right to read the channel, a second card is better than none.
      context.logger.warn({ channel, code: error.code }, 'channel not searched for cards');
      return undefined;
    }
  }

  /** @param sinceOf returns from when on (ms) a channel's messages are searched for */
  async function search(
    ref: AccountRef,
    epoch: DataEpoch,
    channels: Iterable<ChannelId>,
    sinceOf: (channel: ChannelId) => number,
  ): Promise<SearchResult> {
    const current = new Set<TaskId>();
    const unreadable = new Set<ChannelId>();
    const notices = new Map<string, string>();
    let [messages, newer, contradicted] = [0, 0, 0];
    for (const channel of channels) {
      let search = await epochs.searchOf(ref, epoch, channel);
      for (const [about, ts] of Object.entries(search.notices)) notices.set(about, ts);
      while (search.to !== end) {
        const page = await readPage(ref, channel, sinceOf(channel), search.to);
        const own = page?.tagged.filter(({ payload }) => payload.account === ref.account) ?? [];
        const cards = await foundCards.takeUp(
          ref,
          channel,
          own.filter(({ type }) => type === cardTagType),
        );
        await foundMessages.takeUp(ref, channel, own, notices);
        search = {
          to: page?.next ?? end,
          isUnreadable: page === undefined,
          messages: search.messages + own.length,
          newer: search.newer + cards.newer,
          contradicted: search.contradicted + cards.contradicted,
          notices: Object.fromEntries(notices),
          current: [...search.current, ...cards.current],
        };
        await epochs.recordSearch(ref, epoch, channel, search);
      }
      messages += search.messages;
      newer += search.newer;
      contradicted += search.contradicted;
      if (search.isUnreadable) unreadable.add(channel);
      for (const id of search.current) current.add(id);
    }
    return { current, messages, newer, contradicted, unreadable };
  }

  return {
    search,
    /** Returns whether the bot may read a channel. */
    mayRead: async (ref: AccountRef, channel: ChannelId): Promise<boolean> =>
      (await readPage(ref, channel, context.now(), undefined)) !== undefined,
  };
}
