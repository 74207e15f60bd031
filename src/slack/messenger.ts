import type { EntityMetadata, HomeView, ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { MessageRef } from '../domain/live-message.ts';
import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import { slackFetch } from './client.ts';
import { createAttachments, createUploads } from './files.ts';
import { createMembers } from './members.ts';
import { type Call, SlackError } from './slack-error.ts';

type TagValue = string | number;

/** Metadata on a message, by which it can be found again. */
export interface MessageTag {
  readonly type: string;
  readonly payload: Readonly<Record<string, TagValue | Readonly<Record<string, TagValue>>>>;
}

/** A tag as read, not validated. */
interface FoundTag {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The current state of a reply in a thread. */
export interface FoundThread {
  /** The tag of the bot's message that the thread belongs to; absent when that is not the bot's. */
  readonly tag?: FoundTag;
  /** What a person wrote; absent when the reply was deleted. */
  readonly text?: string;
}

export interface Address {
  readonly member: MemberId;
  readonly channel?: ChannelId | undefined;
  readonly threadTs?: string | undefined;
  readonly responseUrl?: string | undefined;
}

export type Messenger = ReturnType<typeof createMessenger>;

/** Method name for answers by response_url, which are not Web API calls and need no token. */
const responseUrlMethod = 'response_url';

/** How many messages are read at once: the most that Slack returns, so that a long search needs few rate-limited calls. */
const historyPageSize = 999;
/** How many messages of a thread are read, starting with the reply. */
const threadPageSize = 200;

interface ApiMessage {
  readonly ts?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly text?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: unknown };
}

/**
 * Creates the bot's client for Slack in one workspace. Every failure is a {@link SlackError}.
 * @param onResult records the result of each Web API call (undefined on success), how long ago it began (ms), and its method.
 * A failure is recorded before its caller sees it. Never rejects.
 * @param bot the bot's token and its user as last known, where the client has no token of its own
 */
export function createMessenger(
  client: WebClient,
  onResult: (failure: SlackError | undefined, ageMs: number, method: string) => Promise<void> = async () =>
    undefined,
  bot?: { readonly token: () => Promise<string | undefined>; readonly user: () => MemberId | undefined },
) {
  const call: Call = async (method, run) => {
    const began = performance.now();
    const age = () => performance.now() - began;
    try {
      const answer = await run();
      if (method !== responseUrlMethod) void onResult(undefined, age(), method);
      return answer;
    } catch (error) {
      const failure = new SlackError(method, error);
      if (method !== responseUrlMethod) await onResult(failure, age(), method);
      throw failure;
    }
  };

  const content = ({ text, blocks }: Message) => ({
    text,
    blocks: [...blocks],
    unfurl_links: false,
    unfurl_media: false,
  });

  const metadata = (tag: MessageTag | undefined, { entity }: Message) =>
    tag === undefined
      ? {}
      : {
          metadata: {
            event_type: tag.type,
            event_payload: { ...tag.payload },
            ...(entity && { entities: [entity] }),
          },
        };

  async function post(
    channel: ChannelId,
    message: Message,
    { tag, threadTs }: { tag?: MessageTag; threadTs?: string } = {},
  ): Promise<MessageRef> {
    const answer = await call('chat.postMessage', () =>
      client.chat.postMessage({
        channel,
        ...content(message),
        ...(threadTs ? { thread_ts: threadTs } : {}),
        ...metadata(tag, message),
      }),
    );
    // A member's id as the channel is answered by that of their direct messages, which an update needs.
    return { channel: ChannelId.parse(answer.channel), ts: answer.ts ?? '' };
  }

  /** Returns the channel of the bot's direct messages with a member. */
  async function directChannel(member: MemberId): Promise<ChannelId> {
    const conversation = await call('conversations.open', () => client.conversations.open({ users: member }));
    return ChannelId.parse(conversation.channel?.id);
  }

  async function direct(member: MemberId, message: Message): Promise<void> {
    await post(await directChannel(member), message);
  }

  async function respond(responseUrl: string, body: Record<string, unknown>): Promise<void> {
    await call(responseUrlMethod, async () => {
      const answer = await slackFetch(responseUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
    });
  }

  /** The bot's own user, once known: other apps and people may put anything into their own metadata. */
  let botUser: string | undefined;

  function tagOf(message: ApiMessage | undefined): FoundTag | undefined {
    const { event_type: type, event_payload: found } = message?.metadata ?? {};
    const payload = found as FoundTag['payload'] | undefined;
    const ownUser = bot?.user() ?? botUser;
    const isOurs = ownUser === undefined ? message?.bot_id !== undefined : message?.user === ownUser;
    return isOurs && type && payload ? { type, payload } : undefined;
  }

  return {
    post,
    direct,
    directChannel,
    attachments: createAttachments(client, call, bot?.token ?? (async () => client.token)),
    ...createUploads(client, call),
    ...createMembers(client, call),

    /** Updates a message. Without `tag`, it keeps its tag. */
    async update({ channel, ts }: MessageRef, message: Message, tag?: MessageTag): Promise<void> {
      await call('chat.update', () =>
        client.chat.update({ channel, ts, ...content(message), ...metadata(tag, message) }),
      );
    },

    /**
     * Answers one person privately: by the response_url of their action, else as an ephemeral message where they are, else
     * (the bot is not there) in a direct message.
     */
    async answer({ member, channel, threadTs, responseUrl }: Address, message: Message): Promise<void> {
      if (responseUrl) {
        try {
          await respond(responseUrl, {
            response_type: 'ephemeral',
            replace_original: false,
            ...content(message),
          });
          return;
        } catch {
          // Used up or expired: falls through to the other ways.
        }
      }
      if (channel) {
        try {
          await call('chat.postEphemeral', () =>
            client.chat.postEphemeral({
              channel,
              user: member,
              ...content(message),
              ...(threadTs ? { thread_ts: threadTs } : {}),
            }),
          );
          return;
        } catch (error) {
          if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
        }
      }
      await direct(member, message);
    },

    /** Replaces the ephemeral message in which somebody has just clicked. */
    async replaceEphemeral(responseUrl: string, message: Message): Promise<void> {
      await respond(responseUrl, { replace_original: true, ...content(message) });
    },

    async openModal(triggerId: string, view: ModalView): Promise<string> {
      const answer = await call('views.open', () => client.views.open({ trigger_id: triggerId, view }));
      return answer.view?.id ?? '';
    },

    async pushModal(triggerId: string, view: ModalView): Promise<string> {
      const answer = await call('views.push', () => client.views.push({ trigger_id: triggerId, view }));
      return answer.view?.id ?? '';
    },

    /**
     * Updates a modal. Returns the view's new hash.
     * @param hash refuses with `hash_conflict` when the view has changed since
     */
    async updateModal(viewId: string, view: ModalView, hash?: string): Promise<string> {
      const unchanged = hash === undefined ? {} : { hash };
      const answer = await call('views.update', () =>
        client.views.update({ view_id: viewId, view, ...unchanged }),
      );
      return answer.view?.hash ?? '';
    },

    /** Shows what somebody opened beside a message, or says why not. */
    async presentDetails(
      triggerId: string,
      shown: EntityMetadata | { readonly problem: string },
    ): Promise<void> {
      const answer =
        'problem' in shown
          ? { error: { status: 'custom', custom_message: shown.problem } }
          : { metadata: shown };
      await call('entity.presentDetails', () =>
        client.entity.presentDetails({ trigger_id: triggerId, ...answer }),
      );
    },

    async publishHome(member: MemberId, view: HomeView): Promise<void> {
      await call('views.publish', () => client.views.publish({ user_id: member, view }));
    },

    /**
     * Finds a message of the bot by its tag among a channel's messages since a time (ms). Returns undefined when there is
     * none; throws when the channel cannot be read.
     */
    async findTagged(channel: ChannelId, since: number, tag: MessageTag): Promise<MessageRef | undefined> {
      let before: string | undefined;
      for (;;) {
        const { messages = [], has_more } = await call('conversations.history', () =>
          client.conversations.history({
            channel,
            oldest: String(Math.floor(since / 1_000)),
            ...(before ? { latest: before } : {}),
            include_all_metadata: true,
            limit: historyPageSize,
          }),
        );
        for (const message of messages) {
          const { type, payload = {} } = tagOf(message) ?? {};
          const isSame = Object.entries(tag.payload).every(([name, value]) => payload[name] === value);
          if (message.ts && type === tag.type && isSame && !payload.moved) return { channel, ts: message.ts };
        }
        before = has_more ? messages.at(-1)?.ts : undefined;
        if (before === undefined) return undefined;
      }
    },

    /** Returns the current state of a reply: whose thread it is in, and its text. */
    async threadOf(channel: ChannelId, thread: string, ts: string): Promise<FoundThread> {
      const page = await call('conversations.replies', () =>
        client.conversations.replies({
          channel,
          ts: thread,
          oldest: ts,
          inclusive: true,
          include_all_metadata: true,
          limit: threadPageSize,
        }),
      );
      const messages: readonly ApiMessage[] = page.messages ?? [];
      // Slack returns the first message of a thread with every page.
      const tag = tagOf(messages.find((message) => message.ts === thread));
      const { user, text = '', bot_id } = messages.find((message) => message.ts === ts) ?? {};
      const isOfPerson = user !== undefined && bot_id === undefined;
      return {
        ...(tag ? { tag } : {}),
        ...(isOfPerson ? { text } : {}),
      };
    },

    permalink: createPermalinks(client),

    /** Returns whether a message still exists where it was posted. Throws when the channel is unreachable. */
    async isThere({ channel, ts }: MessageRef): Promise<boolean> {
      try {
        await call('chat.getPermalink', () => client.chat.getPermalink({ channel, message_ts: ts }));
        return true;
      } catch (error) {
        if (error instanceof SlackError && error.code === 'message_not_found') return false;
        throw error;
      }
    },

    /**
     * Returns whether the bot is in a channel, whether it is archived, and whether people of another company are in it or
     * invited to it (Slack Connect).
     */
    async channel(channel: ChannelId) {
      const { channel: found } = await call('conversations.info', () =>
        client.conversations.info({ channel }),
      );
      return {
        isMember: found?.is_member ?? found?.is_im ?? false,
        isArchived: found?.is_archived === true,
        isShared: found?.is_ext_shared === true || found?.is_pending_ext_shared === true,
      };
    },

    /** Returns the bot's identity. Throws when the token is not accepted. */
    async identity() {
      const { team_id, user_id, bot_id } = await call('auth.test', () => client.auth.test());
      botUser = user_id;
      return {
        workspace: WorkspaceId.parse(team_id ?? ''),
        botUserId: MemberId.parse(user_id ?? ''),
        botId: bot_id ?? '',
      };
    },
  };
}

const most = 5_000;

/** Creates the cache of links to messages. A message's link never changes, so Slack is asked for it once. */
function createPermalinks(client: Pick<WebClient, 'chat'>) {
  const known = new Map<string, string>();

  /** Returns a link to a message, or undefined when Slack returns none. */
  return async ({ channel, ts }: MessageRef): Promise<string | undefined> => {
    const key = `${channel} ${ts}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    try {
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts });
      if (permalink === undefined) return undefined;
      if (known.size >= most) known.delete(known.keys().next().value ?? '');
      known.set(key, permalink);
      return permalink;
    } catch {
      return undefined;
    }
  };
}
