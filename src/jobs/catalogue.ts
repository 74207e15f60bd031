import type { JobsOptions } from 'bullmq';
import { z } from 'zod';
import { BulkRatingId } from '../domain/bulk-rating.ts';
import { AccountId, CampaignId, ChannelId, MemberId, TaskId, WorkspaceId } from '../domain/terms.ts';

const account = { workspace: WorkspaceId, account: AccountId };

/** The kinds of live messages, besides cards. */
export const messageKinds = [
  'announcement',
  'waiting',
  'due',
  'daily',
  'campaignNotice',
  'assigned',
  'bulk',
  'approval',
  'roleRequest',
] as const;
export type MessageKind = (typeof messageKinds)[number];

/**
 * All jobs: their queue and payload. A job carries ids, never state, and may run twice: its handler first reads the current
 * state from Redis.
 *
 * Separate queues keep different kinds of work from delaying each other: `polls` reads from the marketplace what has
 * changed, `imports` reads the changed results, which may take long, `indexing` compares tasks and makes them searchable, at
 * low priority, `cards` posts within Slack's rate limits, `answers` updates the card that somebody has just clicked,
 * `ratings` sends decisions and other changes to the marketplace.
 */
export const catalogue = {
  /** Posts or updates the live message of a record. */
  show: { queue: 'cards', payload: z.object({ ...account, kind: z.enum(messageKinds), id: z.string() }) },
  /** Polls an account: its list of campaigns, and its inbox. */
  poll: { queue: 'polls', payload: z.object(account) },
  /** Imports one campaign's results. */
  import: { queue: 'imports', payload: z.object({ ...account, campaign: CampaignId }) },
  /** Imports campaigns that were not imported recently, since changes can cancel each other out in their counts. */
  sweep: { queue: 'polls', payload: z.object(account) },
  /** Posts the cards that wait in a channel's line, one after another. */
  'post-cards': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Updates the cards that wait in the account's line, those clicked first; each click has a job of its own. */
  'update-cards': { queue: 'answers', payload: z.object({ ...account, isClicked: z.boolean() }) },
  /** Posts or updates a card that has failed in its line, or has to wait by itself. */
  card: { queue: 'cards', payload: z.object({ ...account, task: TaskId }) },
  /** Compares new or changed tasks with all others of the account. */
  'search-evidence': { queue: 'indexing', payload: z.object(account) },
  /** Indexes new or changed tasks for search. */
  'index-tasks': { queue: 'indexing', payload: z.object(account) },
  /** Sends the account's decisions that are due. */
  send: { queue: 'ratings', payload: z.object(account) },
  /** Sends held decisions at once: those of a campaign, or all of the account. */
  release: {
    queue: 'ratings',
    payload: z.object({ ...account, campaign: CampaignId.optional() }),
  },
  /** Continues an approval request: asks managers, performs the approved action, or ends it. */
  approval: {
    queue: 'ratings',
    payload: z.object({ ...account, subject: z.string(), request: z.string() }),
  },
  /** Asks the owners of an account for the role that a member has requested. */
  'ask-owners': { queue: 'answers', payload: z.object({ workspace: WorkspaceId, request: z.string() }) },
  /** Tells the owners of an account that its messages wait because a channel is shared with another company. */
  'tell-shared': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Continues a bulk rating: decides, undoes, or checks the results of its tasks. */
  bulk: { queue: 'ratings', payload: z.object({ ...account, rating: BulkRatingId }) },
  /** Gives cards to waiting tasks where the windows of their channels have room. */
  'fill-windows': { queue: 'answers', payload: z.object(account) },
  /** Counts the waiting tasks of each campaign for their messages. */
  'count-queues': { queue: 'answers', payload: z.object(account) },
  /** Counts members' assigned tasks for the notices to them. */
  'count-assigned': { queue: 'cards', payload: z.object(account) },
  /** Determines whether a channel is lost, tells people, and checks again until it is back. */
  'check-channel': {
    queue: 'cards',
    payload: z.object({ workspace: WorkspaceId, channel: ChannelId }),
  },
  /** Moves the cards that people need out of a lost channel, a few at a time. */
  'move-cards': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Marks the old cards in a restored channel with where they continue. */
  'retire-cards': { queue: 'cards', payload: z.object({ ...account, channel: ChannelId }) },
  /** Keeps a reply in a thread as a note; the reply is read as it is at that time. */
  'thread-reply': {
    queue: 'answers',
    payload: z.object({
      workspace: WorkspaceId,
      team: WorkspaceId,
      member: MemberId,
      channel: ChannelId,
      thread: z.string(),
      ts: z.string(),
    }),
  },
  /** Removes the entries of a workspace's trails that are older than AUDIT_DAYS. */
  'expire-audit': { queue: 'polls', payload: z.object({ workspace: WorkspaceId }) },
  /** Removes the details of tasks and messages that were finished long ago, in batches. */
  'remove-old-data': { queue: 'polls', payload: z.object({ workspace: WorkspaceId }) },
  /** Updates the home tabs that people have opened recently. */
  'refresh-homes': { queue: 'polls', payload: z.object({ workspace: WorkspaceId }) },
} as const satisfies Record<
  string,
  { queue: 'polls' | 'imports' | 'indexing' | 'cards' | 'answers' | 'ratings'; payload: z.ZodType }
>;

/** How many dead letters each queue keeps. */
export const maxDeadLetters = 1_000;

export type JobName = keyof typeof catalogue;
export type QueueName = (typeof catalogue)[JobName]['queue'];
export type Payload<Name extends JobName> = z.infer<(typeof catalogue)[Name]['payload']>;

/** How many jobs of a queue one process runs at once. */
export const concurrency: Readonly<Record<QueueName, number>> = {
  // A poll waits for Redis and the marketplace nearly all of the time.
  polls: 8,
  imports: 4,
  indexing: 4,
  // A job mostly waits until it may post, in a channel of its own.
  cards: 40,
  answers: 16,
  ratings: 4,
};

/**
 * Returns the backoff before a failed job is retried (ms): doubles up to 30 times `firstMs`, minus up to half of it as
 * jitter.
 */
export function retryWait(failures: number, firstMs: number): number {
  return firstMs * Math.min(2 ** (failures - 1), 30) * (1 - Math.random() / 2);
}

const queueNamesWithoutDeadLetters = ['polls', 'imports', 'indexing'] as const satisfies QueueName[];

/** Queues whose failed jobs are dropped: the next poll queues their work again. */
export const queuesWithoutDeadLetters: ReadonlySet<QueueName> = new Set(queueNamesWithoutDeadLetters);

/** A job that becomes a dead letter when it can never succeed. */
export type JobWithDeadLetters = {
  [Name in JobName]: (typeof catalogue)[Name]['queue'] extends (typeof queueNamesWithoutDeadLetters)[number]
    ? never
    : Name;
}[JobName];

/** Whether a failed job of this kind is dropped. */
export function isDroppedOnFailure(name: JobName): boolean {
  return queuesWithoutDeadLetters.has(catalogue[name].queue);
}

/**
 * Returns a job's options. BullMQ tries each job once: the runner decides about retries. A job that can never succeed stays
 * as a dead letter.
 */
export function jobOptions(name: JobName): JobsOptions {
  return {
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: isDroppedOnFailure(name) ? true : { count: maxDeadLetters },
  };
}
