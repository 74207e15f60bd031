import { z } from 'zod';

/**
 * The glossary: each term of the field once. Everything here is data; nothing imports anything of the project.
 *
 * - **workspace**: a Slack workspace (team) in which the bot is installed.
 * - **member**: a person in a workspace. A member who rates is a **reviewer**.
 * - **account**: an employer's account at the marketplace, as seen by one workspace. Members who hold the same API
 *   key share one account.
 * - **campaign**: paid micro-task work with a number of positions (the marketplace's "HG campaign").
 * - **task**: one position filled by a worker: their **proof** (text per slot, and files) and its rating.
 * - **rating**: the marketplace's word on a task.
 * - **verdict**: what a reviewer may say: OK, NOK (refuse) or REVISE (ask for a correction).
 * - **decision**: one reviewer's verdict on one round of one task, with comment, bonus and favorite. It waits for Undo, is
 *   sent, and ends applied, refused or overtaken; while it cannot be sent it is **held**. Once applied it is a rating and
 *   cannot be undone.
 * - **round**: a review of a task. A task that comes back after REVISE starts the next round.
 * - **subscription**: which channel gets the cards of an account, or of one of its campaigns, and the inbox messages.
 * - **poll**: one request for an account's list of campaigns and one for its inbox, every `POLL_SECONDS`.
 * - **import**: reading one campaign's results in full, and storing what is new.
 * - **window**: the open cards of a channel: at most so many at a time. A task without a card waits in the **backlog** until
 *   the window has room.
 *
 * - **live message**: a message in Slack that mirrors a record, posted once and updated with it. There are four kinds:
 *   - **card**: shows a task and carries its buttons.
 *   - **announcement**: shows an inbox message of the marketplace.
 *   - **queue message**: says what waits in a campaign beyond the window of a channel.
 *   - **reminder**: says which tasks are due soon.
 * - **focus review**: one member going through the waiting tasks in one modal. Each view of it is a **step**.
 * - **selection**: one member selecting several tasks, page by page, to decide on them together; confirmed, it is a
 *   **bulk rating**.
 *
 * - **revision**: counts the changes of a record that its live message must show.
 * - **needs render**: said of a record whose live message does not show its latest revision yet (the set `stale` in Redis).
 *
 * - **lease**: the right of one process to do something, such as rendering a message, until it releases it or is gone.
 * - **idempotency key**: names a delivery or request, so that only the first one with that name takes effect.
 * - **reconcile**: to find out how things stand elsewhere when the outcome of a call or an earlier run is unknown: whether a
 *   rating was applied at the marketplace, which cards stand in a channel.
 * - **incident**: something that does not work at present, such as a channel that rejects posts. People are told once.
 * - **dead letter**: a job that failed at its last attempt and waits for a person to retry or discard it.
 */

export const CampaignId = z.string().brand<'CampaignId'>();
export type CampaignId = z.infer<typeof CampaignId>;

export const TaskId = z.string().brand<'TaskId'>();
export type TaskId = z.infer<typeof TaskId>;

/** An inbox message of the marketplace. */
export const MessageId = z.string().brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;

/** A worker at the marketplace. */
export const WorkerId = z.string().brand<'WorkerId'>();
export type WorkerId = z.infer<typeof WorkerId>;

/** Slack ids: workspace (team), member (user) and channel. */
export const WorkspaceId = z.string().brand<'WorkspaceId'>();
export type WorkspaceId = z.infer<typeof WorkspaceId>;

export const MemberId = z.string().brand<'MemberId'>();
export type MemberId = z.infer<typeof MemberId>;

export const ChannelId = z.string().brand<'ChannelId'>();
export type ChannelId = z.infer<typeof ChannelId>;

/** An account within a workspace, see `accountIdOf` in src/store/accounts.ts. */
export const AccountId = z.string().brand<'AccountId'>();
export type AccountId = z.infer<typeof AccountId>;

/** Name of the account of MARKETPLACE_API_KEY. */
export const sharedAccountName = 'default';
/** Maximum length of an account's name. */
export const longestAccountName = 40;

/** An account within its workspace: all data of an account is stored under both ids. */
export const AccountRef = z.object({ workspace: WorkspaceId, account: AccountId }).readonly();
export type AccountRef = z.infer<typeof AccountRef>;

/** "Task rating values" of the marketplace API. */
export const ratings = ['NOTREVIEWED', 'NOTRATED', 'OK', 'NOK', 'REVISE'] as const;
export type Rating = (typeof ratings)[number];

/** What a reviewer may decide: the values of `rating` in rate_task and rate_tasks. */
export const verdicts = ['OK', 'REVISE', 'NOK'] as const;
export type Verdict = (typeof verdicts)[number];

/** "States and transitions" of the marketplace API. */
export const campaignStatuses = [
  'BLOCKED',
  'PENDING_REVIEW',
  'PENDING_RESTART',
  'PAUSED',
  'PAUSED_ADMIN',
  'RUNNING',
  'PAUSED_SYSTEM',
  'FINISHED',
] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/** Returns whether a verdict must carry a comment that the worker reads (rate_task: "mandatory for NOK or REVISE"). */
export function needsComment(verdict: Verdict): boolean {
  return verdict !== 'OK';
}
