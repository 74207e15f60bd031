import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Grants } from '../../store/grants.ts';

/** How long it is believed whether a channel is shared (ms): it could be any time. */
const believedMs = 5_000;

export type SharedChannels = ReturnType<typeof createSharedChannels>;

/**
 * Creates the answer to whether a channel may get anything: one that is shared with another company may not, until an owner
 * of the account has confirmed exactly that channel.
 */
export function createSharedChannels({
  grants,
  messengerOf,
  now,
}: {
  readonly grants: Pick<Grants, 'of'>;
  readonly messengerOf: (workspace: WorkspaceId) => Pick<Messenger, 'channel'>;
  readonly now: () => number;
}) {
  const known = new Map<string, { readonly at: number; readonly isShared: boolean }>();

  async function isShared(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    const name = `${workspace} ${channel}`;
    const before = known.get(name);
    if (before && Math.abs(now() - before.at) < believedMs) return before.isShared;
    try {
      const found = await messengerOf(workspace).channel(channel);
      known.set(name, { at: now(), isShared: found.isShared });
      return found.isShared;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      // A channel that Slack does not tell of is as it was; a post there fails by itself.
      return before?.isShared ?? false;
    }
  }

  return {
    isShared,

    /** Returns whether an account's messages must wait: the channel is shared, and no owner has confirmed it. */
    async mustWait(ref: AccountRef, channel: ChannelId): Promise<boolean> {
      const { confirmedChannels } = await grants.of(ref);
      return !confirmedChannels.includes(channel) && (await isShared(ref.workspace, channel));
    },

    /** Forgets what is known of a channel: it has changed. */
    forget(workspace: WorkspaceId, channel: ChannelId): void {
      known.delete(`${workspace} ${channel}`);
    },
  };
}
