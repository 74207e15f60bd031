import { formerOf } from '../../domain/live-message.ts';
import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { retireFormer } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';
import type { ChannelEvent, Feature } from '../../slack/feature.ts';
import type { Subscription } from '../../store/channels.ts';
import { createAccountCards } from './account-cards.ts';
import { createChannelCheck } from './check.ts';
import { createDeletedMessages } from './deleted-messages.ts';
import { createFollow } from './follow.ts';
import { createMove, createRetire } from './move.ts';

/** Check interval per channel (ms), regardless of Slack's events, and the minimum time between two checks. */
const looks = { everyMs: 30_000, apartMs: 1_500 };

/** Creates the handling of channels that disappear or return: their cards move, wait, or link to their new place. */
export function createChannels(context: Modules) {
  const { jobs, log, channels, clock, tasks } = context;
  const cards = createAccountCards(context);
  const follow = createFollow({ ...context, cards });
  const parts = { ...context, cards, follow };
  const channelCheck = createChannelCheck(parts);
  /** Channels with cards at the last sweep, by account; may include channels no longer subscribed. */
  const channelsWithCards = new Map<string, readonly ChannelId[]>();
  const nameOf = ({ workspace, account }: AccountRef) => `${workspace} ${account}`;

  /** Checks one of an account's channels when due, in case an event was missed. */
  async function watch(ref: AccountRef, subscribed: readonly Subscription[]): Promise<void> {
    const { workspace } = ref;
    const subscribedTo = subscribed.map(({ channel }) => channel);
    const own = [...new Set([...subscribedTo, ...(channelsWithCards.get(nameOf(ref)) ?? [])])];
    const channel = await channels.lost.nextToCheck(workspace, own, clock.now(), looks);
    if (channel === undefined) return;
    const problem = await channelCheck.problemOf(workspace, channel);
    const isLost = (await channels.lost.get(workspace, channel)) !== undefined;
    if (problem === undefined && isLost) await channelCheck.check(workspace, channel);
    // A lost channel is checked by its own job, which is requeued here in case it was lost.
    else if (problem !== undefined && problem !== 'unknown')
      await channelCheck.suspect(workspace, channel, problem);
  }

  /** Searches an account's channels for deleted cards, and retires leftover former ones. */
  async function sweep(ref: AccountRef): Promise<void> {
    const withCards = new Set((await channels.subscriptions.ofAccount(ref)).map(({ channel }) => channel));
    for await (const { card } of cards.needed(ref)) {
      if (card.state === 'posted') withCards.add(card.channel);
    }
    channelsWithCards.set(nameOf(ref), [...withCards]);
    const keyOf = ({ channel }: { channel: string }) => `${ref.account} ${channel}`;
    const payloads = [...withCards].map((channel) => ({ ...ref, channel }));
    await jobs.addAll('check-cards', payloads, keyOf);
    const moved = await tasks.getMany(ref, await tasks.find(ref, 'moved', { limit: 10_000 }));
    await retireFormer(
      context,
      ref,
      moved.flatMap(({ card }) => formerOf(card)),
    );
  }

  /** Runs an action that is repeated later; failures are only logged. */
  async function attempt(what: string, run: () => Promise<void>): Promise<void> {
    await run().catch((error: unknown) => log.warn({ what, reason: messageOf(error) }, 'not looked at'));
  }

  const cameBack = async ({ workspace, channel }: ChannelEvent) => {
    if (await channelCheck.check(workspace, channel)) await channelCheck.checkLater(workspace, channel);
  };

  const feature: Feature = {
    channelIdChanged: ({ workspace, from, to }) => channelCheck.followTo(workspace, from, to),
    channelEvents: {
      async member_joined_channel(event) {
        if (event.member === (await context.slack.botUserOf(event.workspace))) await cameBack(event);
      },
      channel_unarchive: cameBack,
      channel_archive: ({ workspace, channel }) => channelCheck.suspect(workspace, channel, 'is_archived'),
      channel_left: ({ workspace, channel }) => channelCheck.suspect(workspace, channel, 'not_in_channel'),
      channel_deleted: ({ workspace, channel }) =>
        channelCheck.suspect(workspace, channel, 'channel_deleted'),
    },
  };

  return {
    feature,
    jobs: {
      'follow-channel': follow.job,
      'check-channel': channelCheck.job,
      'move-cards': createMove(parts),
      'retire-cards': createRetire(parts),
      'check-cards': createDeletedMessages(parts),
    },

    /** Runs with each poll of an account. */
    afterPoll: (ref: AccountRef, subscribed: readonly Subscription[]) =>
      attempt('channels', () => watch(ref, subscribed)),
    /** Runs with each sweep of an account. */
    afterSweep: (ref: AccountRef) => attempt('cards', () => sweep(ref)),

    /** Moves a lost channel's messages after another one was subscribed in its place. */
    async replaced(ref: AccountRef, channel: ChannelId): Promise<void> {
      if ((await channels.lost.get(ref.workspace, channel)) === undefined) return;
      await jobs.add('move-cards', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
    },

    /** Checks whether a channel is gone, or works again. */
    async check(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
      await channelCheck.check(workspace, channel);
    },
  };
}
