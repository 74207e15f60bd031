import { formerOf, type MessageRef } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import { isOpen, isPending } from '../../domain/task.ts';
import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import { retireFormer } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';
import type { ChannelEvent, Feature } from '../../slack/feature.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import type { Subscription } from '../../store/channels.ts';
import { createChannelCheck, createFollow } from './check.ts';
import { type AccountCards, createAccountCards, createMove, createRetire } from './move.ts';

/** Check interval per channel (ms), regardless of Slack's events, and the minimum time between two checks. */
const looks = { everyMs: 30_000, apartMs: 1_500 };

/** Creates the handling of channels that disappear or return: their cards move, wait, or link to their new place. */
export function createChannels(context: Modules) {
  const { jobs, log, channels, clock, tasks } = context;
  const cards = createAccountCards(context);
  const parts = { ...context, cards };
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
      'follow-channel': createFollow(parts),
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

/** Messages per call: Slack recommends no more than 200. */
const pageSize = 200;
/** Interval between two pages (ms): Slack allows 50 a minute. */
const apartMs = 1_500;
/** Retry delay when Slack does not answer (ms). */
const waitMs = 10_000;

/** A message that must be in the channel, and what to do if it is not. */
interface Expected {
  readonly messageRef: MessageRef;
  readonly gone: () => Promise<void>;
}

/**
 * Creates the search for cards, reminders and queue messages whose deletion the bot missed: Slack retries such an event
 * for minutes only. The channel's history is read around the expected messages, page by page; a missing one is requested
 * individually before it counts as deleted.
 */
export function createDeletedMessages({
  slack,
  channels,
  jobs,
  log,
  clock,
  tasks,
  cards,
}: Modules & { readonly cards: AccountCards }) {
  /** Returns the messages expected in the channel up to a timestamp, latest first. */
  async function expectedIn(ref: AccountRef, channel: ChannelId, before: string | undefined) {
    const found: Expected[] = [];
    for await (const task of cards.needed(ref)) {
      const { card, id } = task;
      if (card.state !== 'posted' || card.channel !== channel || !(isOpen(task) || isPending(task))) continue;
      const messageRef = { channel, ts: card.ts };
      found.push({
        messageRef,
        async gone() {
          const { task } = await tasks.apply(ref, id, { type: 'card-gone', messageRef });
          if (task !== undefined) await slack.cards.changed(ref, [task]);
        },
      });
    }
    const reminder = await slack.reminders.get(ref, channel);
    if (reminder?.card.state === 'posted') {
      const messageRef = { channel, ts: reminder.card.ts };
      found.push({
        messageRef,
        async gone() {
          await slack.reminders.apply(ref, channel, { type: 'card-gone', messageRef });
        },
      });
    }
    for (const message of await slack.queueMessages.shown(ref)) {
      const { card } = message;
      if (card.state !== 'posted' || card.channel !== channel || message.waiting === 0) continue;
      const messageRef = { channel, ts: card.ts };
      found.push({
        messageRef,
        async gone() {
          await slack.queueMessages.apply(ref, queueMessageId(message), { type: 'card-gone', messageRef });
        },
      });
    }
    return found
      .filter(({ messageRef: { ts } }) => before === undefined || ts <= before)
      .sort((a, b) => (a.messageRef.ts < b.messageRef.ts ? 1 : -1));
  }

  async function lookAt({ channel, before, ...ref }: Payload<'check-cards'>): Promise<void> {
    const expected = await expectedIn(ref, channel, before);
    const [latest] = expected;
    if (latest === undefined) return;
    const messenger = slack.messengerOf(ref.workspace);
    const callSlack = slack.callOf(ref.workspace);
    const { timestamps, hasEarlier } = await callSlack({ method: 'conversations.history', channel }, () =>
      messenger.messagesUpTo(channel, latest.messageRef.ts, pageSize),
    );
    const seen = new Set(timestamps);
    const earliest = hasEarlier ? (timestamps.at(-1) ?? '') : '';
    for (const { messageRef, gone } of expected) {
      if (messageRef.ts < earliest || seen.has(messageRef.ts)) continue;
      const isThere = await callSlack({ method: 'chat.getPermalink', channel }, () =>
        messenger.isThere(messageRef),
      );
      if (isThere) continue;
      log.info({ channel, ts: messageRef.ts }, 'deleted message found');
      await gone();
    }
    const next = expected.find(({ messageRef: { ts } }) => ts < earliest);
    if (next === undefined) return;
    const rest = { ...ref, channel, before: next.messageRef.ts };
    await jobs.add('check-cards', rest, { delayMs: apartMs, uniqueKey: `${ref.account} ${channel} rest` });
  }

  return async (payload: Payload<'check-cards'>): Promise<JobEnd> => {
    const { workspace, channel } = payload;
    if ((await channels.lost.get(workspace, channel)) !== undefined) return;
    const began = clock.now();
    try {
      await lookAt(payload);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind !== 'refused') return { again: waitMs };
      if (isChannelError(error)) await channels.health.reportFailure(workspace, channel, error.code, began);
      else log.warn({ channel, code: error.code }, 'channel not searched for deleted cards');
    }
  };
}
