import { type CardState, formerOf, type PostEvent } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import { isOpen, isPending } from '../../domain/task.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import { retireFormer } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import type { Subscription } from '../../store/channels.ts';
import { createChannelCheck } from './check.ts';
import { type AccountCards, createAccountCards, createMove, createRetire } from './move.ts';

/** Check interval per channel (ms), regardless of Slack's events, and the minimum time between two checks. */
const looks = { everyMs: 30_000, apartMs: 1_500 };

/** Creates the handling of channels that disappear or return: their cards move, wait, or link to their new place. */
export function createChannels(context: Modules) {
  const { jobs, log, channels, clock, tasks } = context;
  const cards = createAccountCards(context);
  const parts = { ...context, cards };
  const { problemOf, checkLater, suspect, job } = createChannelCheck(parts);

  /** Looks at one of an account's channels when due, in case an event or the job of a lost one was missed. */
  async function watch({ workspace }: AccountRef, subscribed: readonly Subscription[]): Promise<void> {
    const lost = await channels.lost.all(workspace);
    const own = [...new Set([...subscribed.map(({ channel }) => channel), ...lost.keys()])];
    const channel = await channels.lost.nextToCheck(workspace, own, clock.now(), looks);
    if (channel === undefined) return;
    const isLost = (await channels.lost.get(workspace, channel)) !== undefined;
    if (isLost || (await problemOf(workspace, channel)) !== undefined)
      await checkLater({ workspace, channel });
  }

  /** Searches an account's channels for deleted cards, and retires leftover former ones. */
  async function sweep(ref: AccountRef): Promise<void> {
    const withCards = new Set((await channels.subscriptions.ofAccount(ref)).map(({ channel }) => channel));
    for await (const { card } of cards.needed(ref)) {
      if (card.state === 'posted') withCards.add(card.channel);
    }
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

  const feature: Feature = {
    channelEvents: {
      channel_archive: suspect,
      channel_left: suspect,
      channel_deleted: suspect,
      channel_unarchive: checkLater,
      async member_joined_channel(event) {
        if (event.member === (await context.slack.botUserOf(event.workspace))) await checkLater(event);
      },
    },
  };

  return {
    feature,
    jobs: {
      'check-channel': job,
      'move-cards': createMove(parts),
      'retire-cards': createRetire(parts),
      'check-cards': createDeletedMessages(parts),
    },

    /** Runs with each poll of an account. */
    afterPoll: (ref: AccountRef, subscribed: readonly Subscription[]) =>
      attempt('channels', () => watch(ref, subscribed)),
    /** Runs with each sweep of an account. */
    afterSweep: (ref: AccountRef) => attempt('cards', () => sweep(ref)),

    problemOf,
    suspect,
  };
}

/** Messages per call: Slack recommends no more than 200. */
const pageSize = 200;
/** Interval between two pages (ms): Slack allows 50 a minute. */
const apartMs = 1_500;
/** Retry delay when Slack does not answer (ms). */
const waitMs = 10_000;

/** A message that must be in the channel, by its timestamp; `apply` records that it is not. */
interface Expected {
  readonly ts: string;
  readonly apply: (event: PostEvent) => Promise<unknown>;
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
    const expect = (card: CardState, apply: Expected['apply']) => {
      if (card.state === 'posted' && card.channel === channel && (before === undefined || card.ts <= before))
        found.push({ ts: card.ts, apply });
    };
    for await (const task of cards.needed(ref))
      if (isOpen(task) || isPending(task)) expect(task.card, (event) => tasks.apply(ref, task.id, event));
    const reminder = await slack.reminders.get(ref, channel);
    if (reminder) expect(reminder.card, (event) => slack.reminders.apply(ref, channel, event));
    for (const message of await slack.queueMessages.shown(ref))
      if (message.waiting > 0)
        expect(message.card, (event) => slack.queueMessages.apply(ref, queueMessageId(message), event));
    return found.sort((a, b) => (a.ts < b.ts ? 1 : -1));
  }

  async function lookAt({ channel, before, ...ref }: Payload<'check-cards'>): Promise<void> {
    const expected = await expectedIn(ref, channel, before);
    const [latest] = expected;
    if (latest === undefined) return;
    const messenger = slack.messengerOf(ref.workspace);
    const callSlack = slack.callOf(ref.workspace);
    const { timestamps, hasEarlier } = await callSlack({ method: 'conversations.history', channel }, () =>
      messenger.messagesUpTo(channel, latest.ts, pageSize),
    );
    const seen = new Set(timestamps);
    const earliest = hasEarlier ? (timestamps.at(-1) ?? '') : '';
    for (const { ts, apply } of expected) {
      if (ts < earliest || seen.has(ts)) continue;
      const messageRef = { channel, ts };
      const isThere = await callSlack({ method: 'chat.getPermalink', channel }, () =>
        messenger.isThere(messageRef),
      );
      if (isThere) continue;
      log.info(messageRef, 'deleted message found');
      await apply({ type: 'card-gone', messageRef });
    }
    const next = expected.find(({ ts }) => ts < earliest);
    if (next === undefined) return;
    const rest = { ...ref, channel, before: next.ts };
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
