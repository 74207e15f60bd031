import { formerOf, type PostEvent } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Subscription } from '../../store/channels.ts';
import { createChannelCheck } from './check.ts';
import { type AccountCards, createAccountCards, createMove, createRetire } from './move.ts';
import { retireFormer } from './routing.ts';

/** Check interval per channel (ms), regardless of Slack's events, and the minimum time between two checks. */
const looks = { everyMs: 30_000, apartMs: 1_500 };

/** Creates the handling of channels that disappear or return: their cards move, wait, or link to their new place. */
export function createChannels(context: Modules) {
  const { log, channels, clock, tasks } = context;
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

  const findDeleted = createDeletedMessages(parts);

  /** Finds deleted messages, and retires leftover former ones. */
  async function sweep(ref: AccountRef): Promise<void> {
    const moved = await tasks.getMany(ref, await tasks.find(ref, 'moved', { limit: 10_000 }));
    await retireFormer(
      context,
      ref,
      moved.flatMap(({ card }) => formerOf(card)),
    );
    await findDeleted(ref, await channels.lost.all(ref.workspace));
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

/** How many messages of an account a sweep looks for. */
const lookedFor = 100;

/**
 * Creates the search for messages whose deletion the bot missed, as Slack retries such an event for minutes only: those
 * that count waiting tasks, and the cards of the tasks that are most urgent. Others come back with their next change.
 */
function createDeletedMessages({ slack, log, tasks, cards }: Modules & { readonly cards: AccountCards }) {
  /** Yields the messages that may have to be there, with what records that one is not. */
  async function* expected(ref: AccountRef) {
    for (const message of await slack.queueMessages.shown(ref)) {
      const apply = (event: PostEvent): Promise<unknown> =>
        slack.queueMessages.apply(ref, queueMessageId(message), event);
      yield { card: message.card, apply };
    }
    for await (const { id, card } of cards.needed(ref)) {
      const apply = (event: PostEvent): Promise<unknown> => tasks.apply(ref, id, event);
      yield { card, apply };
    }
  }

  return async (ref: AccountRef, lost: ReadonlyMap<ChannelId, unknown>): Promise<void> => {
    const messenger = slack.messengerOf(ref.workspace);
    let asked = 0;
    for await (const { card, apply } of expected(ref)) {
      if (card.state !== 'posted' || lost.has(card.channel)) continue;
      asked += 1;
      if (asked > lookedFor) return;
      const messageRef = { channel: card.channel, ts: card.ts };
      const isThere = await slack
        .callOf(ref.workspace)({ method: 'chat.getPermalink', channel: card.channel }, () =>
          messenger.isThere(messageRef),
        )
        .catch((error: unknown) => {
          // Of this channel nothing is known now.
          if (error instanceof Paused || (error instanceof SlackError && error.kind === 'refused'))
            return true;
          throw error;
        });
      if (isThere) continue;
      log.info(messageRef, 'deleted message found');
      await apply({ type: 'card-gone', messageRef });
    }
  };
}
