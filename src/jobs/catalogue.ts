import type { JobsOptions } from 'bullmq';
import { z } from 'zod';
import { AccountId, CampaignId, ChannelId, MessageId, TaskId, WorkspaceId } from '../domain/terms.ts';

const account = { workspace: WorkspaceId, account: AccountId };

/**
 * All jobs: their queue, payload, and number of attempts. A job carries ids, never state, and may run twice: its handler
 * reads the current state from Redis first.
 *
 * Separate queues keep different kinds of work from delaying each other: `polls` reads the marketplace, `cards` posts within Slack's rate
 * limits, `answers` updates the card that somebody has just clicked, `ratings` sends decisions and other changes to the
 * marketplace.
 */
export const catalogue = {
  /** Polls an account: its list of campaigns, and its inbox. */
  poll: { queue: 'polls', payload: z.object(account), attempts: 1 },
  /** Imports one campaign's results. */
  import: { queue: 'polls', payload: z.object({ ...account, campaign: CampaignId }), attempts: 1 },
  /** Imports campaigns that were not imported for a while, since counts can cancel each other out. */
  sweep: { queue: 'polls', payload: z.object(account), attempts: 1 },
  /** Posts a task's card, or updates it. */
  post: { queue: 'cards', payload: z.object({ ...account, task: TaskId }), attempts: 8 },
  /** Updates a task's card, without waiting for posts. */
  redraw: { queue: 'answers', payload: z.object({ ...account, task: TaskId }), attempts: 8 },
  /** Sends the account's decisions that are due. */
  send: { queue: 'ratings', payload: z.object(account), attempts: 8 },
  /** Sends held decisions at once: those of a campaign, or all of the account. */
  release: {
    queue: 'ratings',
    payload: z.object({ ...account, campaign: CampaignId.optional() }),
    attempts: 8,
  },
  /** Changes a campaign's countries at the planned time. */
  'retarget-later': {
    queue: 'ratings',
    payload: z.object({ ...account, campaign: CampaignId, plan: z.string() }),
    attempts: 8,
  },
  /** Announces an inbox message, or updates its announcement. */
  announce: { queue: 'cards', payload: z.object({ ...account, message: MessageId }), attempts: 8 },
  /** Counts a channel's tasks without a card in its summary. */
  summarize: { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }), attempts: 8 },
  /** Finds out whether a channel is lost, tells people, and looks again until it is back. */
  'check-channel': {
    queue: 'cards',
    payload: z.object({ workspace: WorkspaceId, channel: ChannelId }),
    attempts: 8,
  },
  /** Moves the messages that people need out of a lost channel, a few at a time. */
  'move-cards': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }), attempts: 8 },
  /** Makes the cards that stand in a channel which is back say where they continue. */
  'retire-cards': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }), attempts: 8 },
  /** Looks for cards that were deleted while nobody heard of it; `before`: from this timestamp back. */
  'check-cards': {
    queue: 'cards',
    payload: z.object({ ...account, channel: ChannelId, before: z.string().exactOptional() }),
    attempts: 8,
  },
  /** Updates the home tabs that people have opened lately. */
  'refresh-homes': { queue: 'polls', payload: z.object({ workspace: WorkspaceId }), attempts: 1 },
} as const satisfies Record<
  string,
  { queue: 'polls' | 'cards' | 'answers' | 'ratings'; payload: z.ZodType; attempts: number }
>;

/** Returns the key by which the jobs of one card are deduplicated. */
export function cardJobKey({ account, task }: { readonly account: string; readonly task: string }): string {
  return `${account} ${task}`;
}

export type JobName = keyof typeof catalogue;
export type QueueName = (typeof catalogue)[JobName]['queue'];
export type Payload<Name extends JobName> = z.infer<(typeof catalogue)[Name]['payload']>;

/** How many jobs of a queue one process runs at once. */
export const concurrency: Readonly<Record<QueueName, number>> = {
  polls: 4,
  cards: 4,
  answers: 16,
  ratings: 4,
};

/** Returns the wait before the next attempt (ms): doubles from `firstMs` up to 15 times that, less up to half as jitter. */
export function retryWait(attemptsMade: number, firstMs: number): number {
  return firstMs * Math.min(2 ** (attemptsMade - 1), 15) * (1 - Math.random() / 2);
}

/** Returns a job's options: retries after {@link retryWait}; completed jobs are removed, dead letters stay. */
export function retryPolicy(name: JobName): JobsOptions {
  const { attempts } = catalogue[name];
  return {
    attempts,
    backoff: { type: 'custom' },
    removeOnComplete: true,
    removeOnFail: attempts === 1 ? true : { count: 1_000 },
  };
}
