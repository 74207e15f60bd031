import { chunksOf } from '../../domain/collections.ts';
import { type CardState, formerOf, type MessageRef } from '../../domain/live-message.ts';
import { isOpen, isPending, type Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, MessageId, TaskId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { CallSlack } from '../../slack/client.ts';
import { cardTag, messageTag, movedTag } from '../../slack/message-tags.ts';
import type { MessageTag } from '../../slack/messenger.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import { updateMethod } from '../../store/pauses.ts';
import { movedAnnouncement, movedMessage, movedTask } from './channels.view.ts';

/** Batch size for loading records. */
const recordsAtOnce = 200;
const everyTask = { limit: 100_000 };

/** Creates the search for cards still needed: of open tasks, and of decisions whose result is not shown yet. */
export function createAccountCards({ slack, channels, tasks }: Modules) {
  /** Yields tasks whose cards are needed: first those with a decision, then open ones, most urgent first. */
  async function* needed(ref: AccountRef): AsyncGenerator<Task> {
    const ids = new Set<TaskId>([
      ...(await tasks.find(ref, 'due', everyTask)),
      ...(await tasks.find(ref, 'needs-render', everyTask)),
      ...(await tasks.find(ref, 'open', everyTask)),
    ]);
    for (const some of chunksOf([...ids], recordsAtOnce)) {
      for (const task of await tasks.getMany(ref, some)) {
        if (isOpen(task) || isPending(task) || task.decision !== undefined) yield task;
      }
    }
  }

  return {
    needed,

    /** Returns the unread messages announced in a channel. */
    async unreadIn(ref: AccountRef, channel: ChannelId): Promise<MessageId[]> {
      const found: MessageId[] = [];
      for (const [id, state] of await slack.announcements.known(ref)) {
        if (state !== 'unread') continue;
        const card = (await slack.announcements.get(ref, id))?.card;
        if (card?.state === 'posted' && card.channel === channel) found.push(id);
      }
      return found;
    },

    /** Returns a workspace's polled accounts: those with a subscription or unfinished work. */
    async accountsOf(workspace: WorkspaceId): Promise<AccountRef[]> {
      return (await channels.subscriptions.polledAccounts()).filter((ref) => ref.workspace === workspace);
    },
  };
}

export type AccountCards = ReturnType<typeof createAccountCards>;

/** Maximum number of messages being moved at a time, which bounds the delay of new tasks in the target channel. */
const atOnce = 20;
/** Pause before the next batch (ms). */
const pauseMs = 1_000;

/**
 * Creates the job that moves messages out of a lost channel. An event of its record marks each message as wanted again,
 * so that it moves once, however often the job runs; its former place is stored.
 */
export function createMove({
  slack,
  jobs,
  channels,
  tasks,
  cards,
}: Modules & {
  readonly cards: AccountCards;
}) {
  /** Counts the cards that left the channel and are not posted yet. */
  async function underWay(ref: AccountRef, channel: ChannelId): Promise<number> {
    const found = await tasks.getMany(ref, await tasks.find(ref, 'needs-render', { limit: 10_000 }));
    return found.filter(({ card }) => card.state === 'wanted' && formerOf(card).at(-1)?.channel === channel)
      .length;
  }

  /** Returns up to `limit` tasks whose card is in the channel and has a new destination. */
  async function movable(ref: AccountRef, channel: ChannelId, limit: number): Promise<TaskId[]> {
    const found: TaskId[] = [];
    for await (const { id, campaign, card } of cards.needed(ref)) {
      if (card.state !== 'posted' || card.channel !== channel) continue;
      const to = await channels.routing.forCampaign(ref, campaign);
      if (to === undefined || to === channel) continue;
      found.push(id);
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Returns up to `limit` announcements of unread messages in the channel that have a new destination. */
  async function movableMessages(ref: AccountRef, channel: ChannelId, limit: number): Promise<MessageId[]> {
    const to = await channels.routing.forInbox(ref);
    return to === undefined || to === channel ? [] : (await cards.unreadIn(ref, channel)).slice(0, limit);
  }

  return async ({ channel, ...ref }: Payload<'move-cards'>): Promise<JobEnd> => {
    const lost = { type: 'channel-lost', channel } as const;
    if ((await channels.lost.get(ref.workspace, channel)) === undefined) return;
    const limit = atOnce - (await underWay(ref, channel));
    if (limit <= 0) return { again: pauseMs };
    const found = await movable(ref, channel, limit);
    const wanted: Task[] = [];
    for (const id of found) {
      const { task } = await tasks.apply(ref, id, lost);
      if (task?.card.state === 'wanted') wanted.push(task);
    }
    await slack.cards.changed(ref, wanted);
    // Open tasks wait for room in the window of their new channel.
    if (found.length > 0) await jobs.add('fill-windows', ref, { uniqueKey: ref.account });
    const messages = await movableMessages(ref, channel, limit - found.length);
    for (const message of messages) await slack.announcements.apply(ref, message, lost);
    return found.length + messages.length > 0 ? { again: pauseMs } : undefined;
  };
}

/** Retry delay for former cards whose task has no card elsewhere yet (ms). */
const notYetMs = 5_000;

/**
 * Outcome for a former message: `later` while its record has no message elsewhere, `lost` if its channel is lost again.
 */
type Outcome = 'retired' | 'later' | 'lost';

/** Creates the job that updates leftover messages in a restored channel to link to their new place. */
export function createRetire({ slack, campaigns, log, channels, tasks }: Modules) {
  async function retire(
    ref: AccountRef,
    card: CardState,
    place: MessageRef,
    { what, tag }: { readonly what: string; readonly tag: MessageTag },
    callSlack: CallSlack,
  ): Promise<Outcome> {
    if (card.state === 'wanted') return 'later';
    const messenger = slack.messengerOf(ref.workspace);
    const now = card.state === 'posted' ? card : undefined;
    const message = movedMessage(what, now?.channel, now && (await messenger.permalink(now)));
    try {
      await callSlack({ method: updateMethod, channel: place.channel }, () =>
        messenger.update(place, message, movedTag(tag)),
      );
    } catch (error) {
      if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
      if (isChannelError(error)) return 'lost';
      // Deleted, or no longer editable.
      log.info({ channel: place.channel, code: error.code }, 'former card not changed');
    }
    return 'retired';
  }

  const inChannel = (card: CardState, channel: ChannelId) =>
    formerOf(card).filter((place) => place.channel === channel);

  /** Returns whether anything is left for later; undefined if the channel is lost again. */
  async function retireCards(
    ref: AccountRef,
    channel: ChannelId,
    callSlack: CallSlack,
  ): Promise<boolean | undefined> {
    let isLeft = false;
    for (const ids of chunksOf(await tasks.find(ref, 'moved', { limit: 100_000 }), recordsAtOnce)) {
      for (const { id, campaign, card, round } of await tasks.getMany(ref, ids)) {
        for (const messageRef of inChannel(card, channel)) {
          const what = movedTask(await campaigns.titleOf(ref, campaign));
          const tag = cardTag(ref.account, id, round);
          const outcome = await retire(ref, card, messageRef, { what, tag }, callSlack);
          if (outcome === 'lost') return undefined;
          if (outcome === 'later') isLeft = true;
          else await tasks.apply(ref, id, { type: 'former-retired', messageRef });
        }
      }
    }
    return isLeft;
  }

  async function retireAnnouncements(ref: AccountRef, channel: ChannelId, callSlack: CallSlack) {
    for (const id of (await slack.announcements.known(ref)).keys()) {
      const record = await slack.announcements.get(ref, id);
      if (record === undefined) continue;
      for (const messageRef of inChannel(record.card, channel)) {
        const outcome = await retire(
          ref,
          record.card,
          messageRef,
          { what: movedAnnouncement(record.subject), tag: messageTag('inbox', ref.account, { message: id }) },
          callSlack,
        );
        if (outcome === 'retired')
          await slack.announcements.apply(ref, id, { type: 'former-retired', messageRef });
      }
    }
  }

  return async ({ channel, ...ref }: Payload<'retire-cards'>): Promise<JobEnd> => {
    if ((await channels.lost.get(ref.workspace, channel)) !== undefined) return;
    const callSlack = slack.callOf(ref.workspace);
    try {
      const isLeft = await retireCards(ref, channel, callSlack);
      if (isLeft === undefined) return;
      await retireAnnouncements(ref, channel, callSlack);
      return isLeft ? { again: notYetMs } : undefined;
    } catch (error) {
      if (error instanceof SlackError) return { again: notYetMs };
      throw error;
    }
  };
}
