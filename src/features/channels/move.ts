import { formerOf } from '../../domain/live-message.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, MessageId, TaskId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/runner.ts';
import type { Modules } from '../../kit/modules.ts';
import type { AccountCards } from './account-cards.ts';

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
