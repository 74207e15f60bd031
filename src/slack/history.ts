import type { WebClient } from '@slack/web-api';
import type { MessageRef } from '../domain/live-message.ts';
import { type ChannelId, MemberId } from '../domain/terms.ts';
import type { MessageTag } from './messenger.ts';

type Call = <T>(method: string, run: () => Promise<T>) => Promise<T>;

/** The tag of the bot's answer to a reply: it carries the timestamp of that reply. */
export const replyTagType = 'proofdesk_reply';

export function replyTag(ts: string): MessageTag {
  return { type: replyTagType, payload: { reply: ts } };
}

/** A tag as read, not validated. */
export interface FoundTag {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The current state of a reply in a thread. */
export interface FoundReply {
  readonly member: MemberId;
  readonly text: string;
}

export interface FoundThread {
  /** The tag of the bot's message that the thread belongs to; absent when that is not the bot's. */
  readonly tag?: FoundTag;
  /** Absent when it was deleted. */
  readonly reply?: FoundReply;
  /** Whether the bot has answered it. */
  readonly isAnswered: boolean;
}

/** How many messages of a thread are read, starting with the reply. */
const pageSize = 200;

interface ApiMessage {
  readonly ts?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly text?: string;
  readonly subtype?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: unknown };
}

/**
 * Creates the reader of channels, threads and single messages.
 * @param botUser the bot's own user, once known: other apps may put anything into their own metadata
 */
export function createHistory(client: WebClient, call: Call, botUser: () => string | undefined) {
  const isOurs = ({ user, bot_id }: ApiMessage) =>
    botUser() === undefined ? bot_id !== undefined : user === botUser();

  function tagOf(message: ApiMessage | undefined): FoundTag | undefined {
    const payload = message?.metadata?.event_payload as FoundTag['payload'] | undefined;
    const type = message?.metadata?.event_type;
    return message && payload && type && isOurs(message) ? { type, payload } : undefined;
  }

  /** Returns the tag of the bot's message at a timestamp; undefined when there is none. */
  async function tagAt({ channel, ts }: MessageRef): Promise<FoundTag | undefined> {
    const page = await call('conversations.history', () =>
      client.conversations.history({
        channel,
        oldest: ts,
        latest: ts,
        inclusive: true,
        include_all_metadata: true,
        limit: 1,
      }),
    );
    return tagOf(page.messages?.find((message) => message.ts === ts));
  }

  return {
    tagAt,

    /**
     * Returns the timestamps of a page of a channel's messages from `latest` back, latest first, without deleted ones, and
     * whether there are earlier ones.
     */
    async messagesUpTo(
      channel: ChannelId,
      latest: string,
      limit: number,
    ): Promise<{ readonly timestamps: readonly string[]; readonly hasEarlier: boolean }> {
      const page = await call('conversations.history', () =>
        client.conversations.history({ channel, latest, inclusive: true, limit }),
      );
      const messages = page.messages ?? [];
      return {
        // A deleted message with replies leaves a tombstone.
        timestamps: messages.flatMap(({ ts, subtype }) => (ts && subtype !== 'tombstone' ? [ts] : [])),
        hasEarlier: page.has_more === true && messages.length > 0,
      };
    },

    /** Returns the current state of a reply: whose thread it is in, its text, and the bot's answer. */
    async threadOf(channel: ChannelId, thread: string, ts: string): Promise<FoundThread> {
      const page = await call('conversations.replies', () =>
        client.conversations.replies({
          channel,
          ts: thread,
          oldest: ts,
          inclusive: true,
          include_all_metadata: true,
          limit: pageSize,
        }),
      );
      const messages: readonly ApiMessage[] = page.messages ?? [];
      const first = messages.find((message) => message.ts === thread);
      // Slack returns the first message of a thread with every page; if it does not, the message is read separately.
      const tag = first === undefined ? await tagAt({ channel, ts: thread }) : tagOf(first);
      const found = messages.find((message) => message.ts === ts);
      const isAnswered = messages.some((message) => {
        const own = tagOf(message);
        return own?.type === replyTagType && own.payload.reply === ts;
      });
      const { user, text = '', bot_id } = found ?? {};
      const isOfPerson = user !== undefined && bot_id === undefined;
      return {
        ...(tag ? { tag } : {}),
        ...(isOfPerson ? { reply: { member: MemberId.parse(user), text } } : {}),
        isAnswered,
      };
    },
  };
}
