import { chunksOf } from '../../domain/collections.ts';
import { formerOf } from '../../domain/live-message.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { cardTag, movedTag } from '../../slack/message-tags.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import { updateMethod } from '../../store/pauses.ts';
import { movedCard } from './channels.view.ts';

/** Batch size for loading records. */
const recordsAtOnce = 200;
const everyTask = { limit: 100_000 };

/** Creates the search for cards still needed: of open tasks, and of decisions whose result is not shown yet. */
export function createAccountCards({ channels, tasks }: Modules) {
  /** Yields tasks whose cards are needed: first those with a decision, then open ones, most urgent first. */
  async function* needed(ref: AccountRef): AsyncGenerator<Task> {
    const ids = new Set<TaskId>([
      ...(await tasks.find(ref, 'due', everyTask)),
      ...(await tasks.find(ref, 'needs-render', everyTask)),
      ...(await tasks.find(ref, 'open', everyTask)),
    ]);
    for (const some of chunksOf([...ids], recordsAtOnce)) {
      for (const task of await tasks.getMany(ref, some)) {
        if (isOpen(task) || task.decision !== undefined) yield task;
      }
    }
  }

  return {
    needed,

    /** Returns a workspace's polled accounts: those with a subscription or unfinished work. */
    async accountsOf(workspace: WorkspaceId): Promise<AccountRef[]> {
      return (await channels.subscriptions.polledAccounts()).filter((ref) => ref.workspace === workspace);
    },
  };
}

export type AccountCards = ReturnType<typeof createAccountCards>;

/** Maximum number of cards being moved at a time, which bounds the delay of new tasks in the target channel. */
const atOnce = 20;
/** Pause before the next batch (ms). */
const pauseMs = 1_000;

/**
 * Creates the job that moves cards out of a lost channel. An event of its task marks each card as wanted again, so that
 * it moves once, however often the job runs; its former place is stored.
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

  return async ({ channel, ...ref }: Payload<'move-cards'>): Promise<JobEnd> => {
    const lost = { type: 'channel-lost', channel } as const;
    if ((await channels.lost.get(ref.workspace, channel)) === undefined) return;
    const room = atOnce - (await underWay(ref, channel));
    if (room <= 0) return { again: pauseMs };
    let moved = 0;
    const wanted: Task[] = [];
    for await (const { id, campaign, card } of cards.needed(ref)) {
      if (card.state !== 'posted' || card.channel !== channel) continue;
      const to = await channels.routing.forCampaign(ref, campaign);
      if (to === undefined || to === channel) continue;
      const { task } = await tasks.apply(ref, id, lost);
      if (task?.card.state === 'wanted') wanted.push(task);
      moved += 1;
      if (moved === room) break;
    }
    await slack.cards.changed(ref, wanted);
    // Open tasks wait for room in the window of their new channel.
    if (moved > 0) await jobs.add('fill-windows', ref, { uniqueKey: ref.account });
    return moved > 0 ? { again: pauseMs } : undefined;
  };
}

/** Retry delay for former cards whose task has no card elsewhere yet (ms). */
const notYetMs = 5_000;

/** Creates the job by which the cards left in a channel that works again link to their new place. */
export function createRetire({ slack, log, channels, tasks }: Modules) {
  /** Yields the tasks whose cards may have moved. */
  async function* movedTasks(ref: AccountRef) {
    for (const ids of chunksOf(await tasks.find(ref, 'moved', everyTask), recordsAtOnce))
      yield* await tasks.getMany(ref, ids);
  }

  return async ({ channel, ...ref }: Payload<'retire-cards'>): Promise<JobEnd> => {
    if ((await channels.lost.get(ref.workspace, channel)) !== undefined) return;
    const callSlack = slack.callOf(ref.workspace);
    const messenger = slack.messengerOf(ref.workspace);
    let isLeft = false;
    try {
      for await (const { id, card, round } of movedTasks(ref))
        for (const messageRef of formerOf(card).filter((place) => place.channel === channel)) {
          if (card.state === 'wanted') {
            isLeft = true;
            continue;
          }
          const now = card.state === 'posted' ? card : undefined;
          const message = movedCard(now?.channel, now && (await messenger.permalink(now)));
          await callSlack({ method: updateMethod, channel }, () =>
            messenger.update(messageRef, message, movedTag(cardTag(ref.account, id, round))),
          ).catch((error: unknown) => {
            if (!(error instanceof SlackError) || error.kind !== 'refused' || isChannelError(error))
              throw error;
            // Deleted, or no longer editable.
            log.info({ channel, code: error.code }, 'former card not changed');
          });
          await tasks.apply(ref, id, { type: 'former-retired', messageRef });
        }
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      // Refused: its channel is lost again.
      return error.kind === 'refused' ? undefined : { again: notYetMs };
    }
    return isLeft ? { again: notYetMs } : undefined;
  };
}
