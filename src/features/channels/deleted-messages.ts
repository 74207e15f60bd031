import type { MessageRef } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import { isOpen, isPending } from '../../domain/task.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import type { AccountCards } from './account-cards.ts';

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
      if (card.state !== 'posted' || card.channel !== channel || message.state !== 'waiting') continue;
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
