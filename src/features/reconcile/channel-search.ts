import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { cardTagType } from '../../slack/card-tag.ts';
import type { TaggedPage } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createFoundCards, type FoundCardsParts } from './found-cards.ts';
import { createFoundMessages, type FoundMessagesParts } from './found-messages.ts';

export type ChannelSearchParts = FoundCardsParts &
  FoundMessagesParts &
  Pick<FeatureContext, 'epochs' | 'logger' | 'messengerOf' | 'now' | 'rateLimiter'>;

/** Result of a channel search. */
export interface SearchResult {
  /** Tasks whose card shows their current record. */
  readonly current: ReadonlySet<TaskId>;
  /** Number of the bot's messages that belong to the account. */
  readonly messages: number;
  /** Number of those that show state missing from the records. */
  readonly newer: number;
  /** Number of decisions on cards that contradict the records. */
  readonly contradicted: number;
  /** The channels that could not be read; state only on their cards is lost. */
  readonly unreadable: ReadonlySet<ChannelId>;
}

/** Cursor of a finished channel search. */
const end = 'end';

/**
 * Creates the search of channels for the bot's own messages missing from the records. Each message carries its account
 * and record. Slack rate-limits reading, so an interrupted search resumes where it stopped, in any process. Throws
 * {@link Reschedule} or a SlackError when a channel cannot be read now.
 */
export function createChannelSearch(context: ChannelSearchParts) {
  const { epochs, rateLimiter } = context;
  const foundCards = createFoundCards(context);
  const foundMessages = createFoundMessages(context);

  /** Reads a page of history, or returns undefined if the bot may not read the channel. */
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
      return await context.messengerOf(ref.workspace).taggedPage(channel, since, before);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') await rateLimiter.blockFor(call, error.retryAfterMs);
      if (error.kind !== 'refused') throw error;
      // Without permission to read the channel, a duplicate card is better than none.
      context.logger.warn({ channel, code: error.code }, 'channel not searched for cards');
      return undefined;
    }
  }

  /** @param sinceOf returns the start (ms) of a channel's search */
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
