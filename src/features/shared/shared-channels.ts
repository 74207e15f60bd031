import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { SlackBusy } from '../../jobs/runner.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Grants } from '../../store/rights.ts';

/** How long the shared status of a channel is cached (ms); short, because it can change any time. */
const believedMs = 5_000;

/** Runs a call to Slack: at once for people; a job's waits while calls to Slack pause. */
type RunCall = <T>(call: () => Promise<T>) => Promise<T>;
const atOnce: RunCall = (call) => call();

/**
 * Creates the check of shared channels: one shared with another company gets nothing until an owner of the account has
 * confirmed exactly that channel.
 */
export function createSharedChannels({
  grants,
  messengerOf,
  now,
  onWaiting,
}: {
  readonly grants: Pick<Grants, 'of'>;
  readonly messengerOf: (workspace: WorkspaceId) => Pick<Messenger, 'channel'>;
  readonly now: () => number;
  /** Runs when a message has to wait: the owners are told once. */
  readonly onWaiting: (ref: AccountRef, channel: ChannelId) => Promise<void>;
}) {
  const known = new Map<string, { readonly at: number; readonly isShared: boolean }>();

  /** Returns whether a channel is shared with another company; undefined while Slack cannot be asked. */
  async function isShared(
    workspace: WorkspaceId,
    channel: ChannelId,
    run = atOnce,
  ): Promise<boolean | undefined> {
    const name = `${workspace} ${channel}`;
    const before = known.get(name);
    if (before && Math.abs(now() - before.at) < believedMs) return before.isShared;
    try {
      const found = await run(() => messengerOf(workspace).channel(channel));
      known.set(name, { at: now(), isShared: found.isShared });
      return found.isShared;
    } catch (error) {
      // Slack limits these calls too: what was known has to do.
      if (error instanceof SlackBusy && before !== undefined) return before.isShared;
      if (!(error instanceof SlackError)) throw error;
      // A channel Slack refuses to describe accepts no post either; the post finds out why.
      return before?.isShared ?? (error.kind === 'refused' ? false : undefined);
    }
  }

  /** Returns whether an account's messages must wait: the channel is, or may be, shared, and no owner has confirmed it. */
  async function mustWait(ref: AccountRef, channel: ChannelId, run = atOnce): Promise<boolean> {
    if ((await isShared(ref.workspace, channel, run)) === false) return false;
    const { confirmedChannels } = await grants.of(ref);
    return !confirmedChannels.includes(channel);
  }

  return {
    isShared,
    mustWait,

    /** Returns whether an account's messages may be posted in a channel. If it is known to be shared, owners are told. */
    async mayPost(ref: AccountRef, channel: ChannelId, run = atOnce): Promise<boolean> {
      if (!(await mustWait(ref, channel, run))) return true;
      if (await isShared(ref.workspace, channel, run)) await onWaiting(ref, channel);
      return false;
    },

    /** Invalidates the cache for a channel that has changed. */
    forget(workspace: WorkspaceId, channel: ChannelId): void {
      known.delete(`${workspace} ${channel}`);
    },
  };
}
