import type { JobsOptions } from 'bullmq';
import { z } from 'zod';
import { BulkRatingId } from '../domain/bulk-rating.ts';
import {
  AccountId,
  CampaignId,
  ChannelId,
  MemberId,
  MessageId,
  TaskId,
  WorkspaceId,
} from '../domain/terms.ts';

const account = { workspace: WorkspaceId, account: AccountId };

/**
 * All jobs: their queue and payload. A job carries ids, never state, and may run twice: its handler
 * reads the current state from Redis first.
 *
 * Separate queues keep different kinds of work from delaying each other: `polls` asks the marketplace what has changed, `imports`
 * reads what has, which may take long, `indexing` compares tasks and makes them findable, at low priority, `cards` posts within
 * Slack's rate limits, `answers` updates the card that somebody has just clicked, `ratings` sends decisions and other changes to
 * the marketplace.
 */
export const catalogue = {
  /** Polls an account: its list of campaigns, and its inbox. */
  poll: { queue: 'polls', payload: z.object(account) },
  /** Imports one campaign's results. */
  import: { queue: 'imports', payload: z.object({ ...account, campaign: CampaignId }) },
  /** Imports campaigns that were not imported for a while, since counts can cancel each other out. */
  sweep: { queue: 'polls', payload: z.object(account) },
  /** Posts a task's card, or updates it. */
  post: { queue: 'cards', payload: z.object({ ...account, task: TaskId }) },
  /** Updates a task's card, without waiting for posts. */
  redraw: { queue: 'answers', payload: z.object({ ...account, task: TaskId }) },
  /**
   * Updates the cards of an account that wait for it, those that somebody has clicked first; `isLimited`: those of channels in
   * which Slack has limited updates.
   */
  'update-cards': {
    queue: 'answers',
    payload: z.object({ ...account, isLimited: z.literal(true).exactOptional() }),
  },
  /** Compares tasks that are new or have changed with all others of the account. */
  'search-evidence': { queue: 'indexing', payload: z.object(account) },
  /** Indexes tasks that are new or have changed, so that they are found. */
  'index-tasks': { queue: 'indexing', payload: z.object(account) },
  /** Sends the account's decisions that are due. */
  send: { queue: 'ratings', payload: z.object(account) },
  /** Tells two reviewers that they differ, or what was decided between them. */
  'tell-difference': { queue: 'answers', payload: z.object({ ...account, task: TaskId }) },
  /** Sends held decisions at once: those of a campaign, or all of the account. */
  release: {
    queue: 'ratings',
    payload: z.object({ ...account, campaign: CampaignId.optional() }),
  },
  /** Changes a campaign's countries at the planned time. */
  'retarget-later': {
    queue: 'ratings',
    payload: z.object({ ...account, campaign: CampaignId, plan: z.string() }),
  },
  /** Goes on with a request for an approval: asks managers, does what was approved, or ends it. */
  approval: {
    queue: 'ratings',
    payload: z.object({ ...account, subject: z.string(), request: z.string() }),
  },
  /** Goes on with a bulk rating: decides, undoes, or looks what became of its tasks. */
  bulk: { queue: 'ratings', payload: z.object({ ...account, rating: BulkRatingId }) },
  /** Posts the progress of a bulk rating, or updates it. */
  'show-bulk': { queue: 'answers', payload: z.object({ ...account, rating: BulkRatingId }) },
  /** Announces an inbox message, or updates its announcement. */
  announce: { queue: 'cards', payload: z.object({ ...account, message: MessageId }) },
  /** Gives cards to waiting tasks where the windows of their channels have room. */
  'fill-windows': { queue: 'answers', payload: z.object(account) },
  /** Counts what waits in each campaign; queues the messages that say something else. */
  'count-queues': { queue: 'answers', payload: z.object(account) },
  /** Renders the message of what waits in a campaign. */
  'show-queue': {
    queue: 'cards',
    payload: z.object({ ...account, channel: ChannelId, campaign: CampaignId }),
  },
  /** Ends the summaries that earlier versions have posted. */
  'retire-summaries': { queue: 'cards', payload: z.object(account) },
  /** Renders a channel's reminder of what runs out soon. */
  remind: { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Tells a channel which campaigns have finished, paused or are blocked. */
  'campaign-notice': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Posts what was reviewed in a channel in a day. */
  daily: { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Counts what members have, and queues what they are told of it. */
  'count-assigned': { queue: 'cards', payload: z.object(account) },
  /** Tells a member which tasks they have. */
  'tell-assigned': { queue: 'cards', payload: z.object({ ...account, member: MemberId }) },
  /** Says in the account's channel what was lost with Redis: so many decisions, or all that was stored. */
  'tell-loss': {
    queue: 'cards',
    payload: z.object({
      ...account,
      loss: z.string(),
      at: z.number(),
      decisions: z.number().exactOptional(),
    }),
  },
  /** Finds out whether a channel is lost, tells people, and looks again until it is back. */
  'check-channel': {
    queue: 'cards',
    payload: z.object({ workspace: WorkspaceId, channel: ChannelId }),
  },
  /** Moves the messages that people need out of a lost channel, a few at a time. */
  'move-cards': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Makes the cards that stand in a channel which is back say where they continue. */
  'retire-cards': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Looks for cards that were deleted while nobody heard of it; `before`: from this timestamp back. */
  'check-cards': {
    queue: 'cards',
    payload: z.object({ ...account, channel: ChannelId, before: z.string().exactOptional() }),
  },
  /** Does what a reply in a thread asks for, which is read as it stands then. */
  'thread-reply': {
    queue: 'answers',
    payload: z.object({
      workspace: WorkspaceId,
      team: WorkspaceId,
      member: MemberId,
      channel: ChannelId,
      thread: z.string(),
      ts: z.string(),
      isNew: z.boolean(),
    }),
  },
  /** Seals what the audit has written lately: an account's trail, or the workspace's own. */
  seal: {
    queue: 'answers',
    payload: z.object({ workspace: WorkspaceId, account: AccountId.exactOptional() }),
  },
  /** Removes the entries of a workspace's trails that are older than AUDIT_DAYS. */
  'expire-audit': { queue: 'polls', payload: z.object({ workspace: WorkspaceId }) },
  /** Removes the details of tasks and messages that were dealt with long ago, a part at a time. */
  'remove-old-data': { queue: 'polls', payload: z.object({ workspace: WorkspaceId }) },
  /** Updates the home tabs that people have opened lately. */
  'refresh-homes': { queue: 'polls', payload: z.object({ workspace: WorkspaceId }) },
} as const satisfies Record<
  string,
  { queue: 'polls' | 'imports' | 'indexing' | 'cards' | 'answers' | 'ratings'; payload: z.ZodType }
>;

/** Returns the key by which the jobs of one card are deduplicated. */
export function cardJobKey({ account, task }: { readonly account: string; readonly task: string }): string {
  return `${account} ${task}`;
}

/** How many dead letters each queue keeps. */
export const maxDeadLetters = 1_000;

export type JobName = keyof typeof catalogue;
export type QueueName = (typeof catalogue)[JobName]['queue'];
export type Payload<Name extends JobName> = z.infer<(typeof catalogue)[Name]['payload']>;

/** How many jobs of a queue one process runs at once. */
export const concurrency: Readonly<Record<QueueName, number>> = {
  // A poll waits for Redis and the marketplace nearly all of its time.
  polls: 8,
  imports: 4,
  indexing: 4,
  cards: 4,
  answers: 16,
  ratings: 4,
};

/** Returns the wait before a job that has failed runs again (ms): doubles up to 30 times `firstMs`, less up to half as jitter. */
export function retryWait(failures: number, firstMs: number): number {
  return firstMs * Math.min(2 ** (failures - 1), 30) * (1 - Math.random() / 2);
}

/** Queues whose failed jobs are dropped: the next poll queues their work again. */
export const queuesWithoutDeadLetters: ReadonlySet<QueueName> = new Set(['polls', 'imports', 'indexing']);

/** Whether a failed job of this kind is dropped. */
export function isRepeated(name: JobName): boolean {
  return queuesWithoutDeadLetters.has(catalogue[name].queue);
}

/**
 * Returns a job's options. BullMQ tries each job once: the runner decides what runs again, and when. What can never succeed
 * stays as a dead letter.
 */
export function jobOptions(name: JobName): JobsOptions {
  return {
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: isRepeated(name) ? true : { count: maxDeadLetters },
  };
}
