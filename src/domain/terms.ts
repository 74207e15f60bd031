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
 * - **decision**: one reviewer's verdict on one round of one task, with comment, bonus and favorite. It waits, is sent,
 *   and ends applied or refused. Once applied it is a rating and cannot be taken back.
 * - **round**: a review of a task. A task that comes back after REVISE starts the next round.
 * - **card**: the one message in a channel that shows a task and carries its buttons.
 * - **subscription**: the wish of a channel to get the cards (and inbox messages) of an account or one of its campaigns.
 * - **look**: one glance at an account: its campaigns and its inbox. **read**: one campaign's results in full.
 * - **backlog**: tasks that waited already at the first look; only the newest get cards by themselves.
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
