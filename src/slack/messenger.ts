import type { HomeView, ModalView, PlainTextOption } from '@slack/types';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { MessageRef } from '../domain/live-message.ts';
import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { createAttachments } from './attachments.ts';
import { type Message, option } from './blocks.ts';
import { createHistory } from './history.ts';
import { limits } from './limits.ts';
import { createPermalinks } from './permalinks.ts';
import { type Person, personOf } from './person.ts';
import { SlackError } from './slack-error.ts';
import { slackFetch } from './slack-fetch.ts';
import { createUploads } from './uploads.ts';

type TagValue = string | number;

/** Metadata on a message, by which it is found again. */
export interface MessageTag {
  readonly type: string;
  readonly payload: Readonly<Record<string, TagValue | Readonly<Record<string, TagValue>>>>;
}

/** A page of a channel's history: the bot's own messages that carry a tag. */
export interface TaggedPage {
  readonly tagged: readonly {
    readonly ts: string;
    readonly type: string;
    readonly payload: Readonly<Record<string, unknown>>;
  }[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/** Where a person can be answered privately. */
export interface Address {
  readonly member: MemberId;
  readonly channel?: ChannelId | undefined;
  /** The thread in which they are. */
  readonly threadTs?: string | undefined;
  readonly responseUrl?: string | undefined;
}

export type Messenger = ReturnType<typeof createMessenger>;

/** Stands for answers by response_url, which are no calls of the Web API and need no token. */
const responseUrlMethod = 'response_url';

/** How many messages are read at once: the most that Slack returns, so that a long search takes few of its limited calls. */
const historyPageSize = 999;

/**
 * Returns the options of every Web API client: it never retries or queues by itself, since a retried post may post twice
 * and one limited method would block all others. Jobs wait instead.
 */
export function clientOptions(
  apiUrl: string | undefined,
  logger: NonNullable<WebClientOptions['logger']>,
  timeoutMs = 10_000,
) {
  return {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    logger,
    fetch: slackFetch,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    maxRequestConcurrency: 100,
  } satisfies WebClientOptions;
}

/**
 * Creates what the bot says and asks in one workspace. Every failure is a {@link SlackError}.
 * @param onResult called with the result of each Web API call (undefined when it succeeded), and how long ago it began (ms)
 */
export function createMessenger(
  client: WebClient,
  onResult: (failure: SlackError | undefined, ageMs: number) => void = () => undefined,
) {
  async function call<T>(method: string, run: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const age = () => performance.now() - began;
    try {
      const answer = await run();
      if (method !== responseUrlMethod) onResult(undefined, age());
      return answer;
    } catch (error) {
      const failure = new SlackError(method, error);
      if (method !== responseUrlMethod) onResult(failure, age());
      throw failure;
    }
  }

  const content = ({ text, blocks }: Message) => ({
    text,
    blocks: [...blocks],
    unfurl_links: false,
    unfurl_media: false,
  });

  const metadata = (tag: MessageTag | undefined) =>
    tag ? { metadata: { event_type: tag.type, event_payload: { ...tag.payload } } } : {};

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
        ...metadata(tag),
      }),
    );
    return { channel: ChannelId.parse(answer.channel ?? channel), ts: answer.ts ?? '' };
  }

  /** Returns the channel of the bot's direct messages with a member. */
  async function directChannel(member: MemberId): Promise<ChannelId> {
    const conversation = await call('conversations.open', () => client.conversations.open({ users: member }));
    return ChannelId.parse(conversation.channel?.id ?? member);
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

  /** The bot's own user, once it is known: other apps and people may put anything into the metadata of theirs. */
  let botUser: string | undefined;

  /**
   * Returns one page of the bot's messages in a channel that carry a tag, the latest first: those since a moment (ms), up to
   * but without the timestamp `before`. `next` is the `before` of the next page; undefined at the end.
   */
  async function taggedPage(channel: ChannelId, since: number, before?: string): Promise<TaggedPage> {
    const page = await call('conversations.history', () =>
      client.conversations.history({
        channel,
        oldest: String(Math.floor(since / 1_000)),
        ...(before ? { latest: before } : {}),
        include_all_metadata: true,
        limit: historyPageSize,
      }),
    );
    const messages = page.messages ?? [];
    return {
      tagged: messages.flatMap(({ ts, user, metadata: found }) => {
        const payload = found?.event_payload as Record<string, unknown> | undefined;
        const type = found?.event_type;
        if (payload === undefined || !type || !ts || (botUser !== undefined && user !== botUser)) return [];
        return [{ ts, type, payload }];
      }),
      next: page.has_more ? messages.at(-1)?.ts : undefined,
    };
  }

  return {
    post,
    direct,
    directChannel,
    /** Files that people attach in modals. */
    attachments: createAttachments(client, call),
    ...createUploads(client, call),
    ...createHistory(client, call, () => botUser),

    /** Updates a message. Without `tag`, it keeps the one it has. */
    async update({ channel, ts }: MessageRef, message: Message, tag?: MessageTag): Promise<void> {
      await call('chat.update', () =>
        client.chat.update({ channel, ts, ...content(message), ...metadata(tag) }),
      );
    },

    /**
     * Answers one person, for their eyes only: by the response_url of what they did, else as an ephemeral message where
     * they are, else (the bot is not there) in a direct message.
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
          // Used up or too old: the other ways follow.
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

    /** Publishes a member's home tab of the app. */
    async publishHome(member: MemberId, view: HomeView): Promise<void> {
      await call('views.publish', () => client.views.publish({ user_id: member, view }));
    },

    /**
     * Finds a message of the bot by its tag among a channel's messages since a moment (ms). Returns undefined when there
     * is none; throws when the channel cannot be read.
     */
    async findTagged(channel: ChannelId, since: number, tag: MessageTag): Promise<MessageRef | undefined> {
      let before: string | undefined;
      do {
        const page = await taggedPage(channel, since, before);
        for (const { ts, type, payload } of page.tagged) {
          const isSame = Object.entries(tag.payload).every(([name, value]) => payload[name] === value);
          if (type === tag.type && isSame) return { channel, ts };
        }
        before = page.next;
      } while (before !== undefined);
      return undefined;
    },

    taggedPage,

    permalink: createPermalinks(client),

    /** Returns a member's name, for texts without mentions; their id when Slack does not return a name. */
    async memberName(member: MemberId): Promise<string> {
      try {
        const { user } = await client.users.info({ user: member });
        return user?.profile?.display_name || user?.real_name || user?.name || member;
      } catch {
        return member;
      }
    },

    /** Returns what Slack says of a person, whichever workspace they are of. */
    async person(member: MemberId): Promise<Person> {
      const { user } = await call('users.info', () => client.users.info({ user: member }));
      return personOf(user ?? {});
    },

    /** Returns who is in a channel. */
    async channelMembers(channel: ChannelId): Promise<MemberId[]> {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('conversations.members', () =>
          client.conversations.members({ channel, limit: 1_000, ...(cursor ? { cursor } : {}) }),
        );
        found.push(...(page.members ?? []));
        cursor = page.response_metadata?.next_cursor || undefined;
      } while (cursor !== undefined);
      return found.map((id) => MemberId.parse(id));
    },

    /** Returns who is in a user group. */
    async groupMembers(group: string): Promise<MemberId[]> {
      const { users } = await call('usergroups.users.list', () =>
        client.usergroups.users.list({ usergroup: group }),
      );
      return (users ?? []).map((id) => MemberId.parse(id));
    },

    /** Returns the workspace's user groups, as options of a select: as many as it takes. */
    async groupOptions(): Promise<PlainTextOption[]> {
      const { usergroups } = await call('usergroups.list', () => client.usergroups.list({}));
      return (usergroups ?? [])
        .flatMap(({ id, name, handle }) => (id ? [option(name || handle || id, id)] : []))
        .slice(0, limits.options);
    },

    /** Returns the admins of the workspace, those that are people. */
    async admins(): Promise<MemberId[]> {
      const found: MemberId[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('users.list', () =>
          client.users.list({ limit: 200, ...(cursor ? { cursor } : {}) }),
        );
        for (const user of page.members ?? []) {
          const { isAdmin, isBot, isDeactivated } = personOf(user);
          if (user.id && isAdmin && !isBot && !isDeactivated) found.push(MemberId.parse(user.id));
        }
        cursor = page.response_metadata?.next_cursor || undefined;
      } while (cursor !== undefined);
      return found;
    },

    /**
     * Returns whether a message still stands where it was posted. Throws when the channel cannot be reached.
     */
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
     * Returns whether the bot is in a channel, whether it is archived, and whether people of another company read it, or
     * are invited to (Slack Connect).
     */
    async channel(
      channel: ChannelId,
    ): Promise<{ isMember: boolean; isArchived: boolean; isShared: boolean }> {
      const { channel: found } = await call('conversations.info', () =>
        client.conversations.info({ channel }),
      );
      return {
        isMember: found?.is_member ?? found?.is_im ?? false,
        isArchived: found?.is_archived ?? false,
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

export function createWebClient(token: string, options: WebClientOptions): WebClient {
  return new WebClient(token, options);
}
