import { z } from 'zod';
import {
  AccountId,
  type AccountRef,
  CampaignId,
  ChannelId,
  MemberId,
  MessageId,
  ratings,
  TaskId,
  verdicts,
  WorkerId,
  type WorkspaceId,
} from './terms.ts';

/** Every act that changes something, here or at the marketplace. Its words are in src/features/ops/audit-sentence.ts. */
export const auditedActs = [
  // A task's record, see src/store/audit.ts.
  'decided',
  'undone',
  'applied',
  'refused',
  'overtaken',
  'rate in bulk',
  'undo bulk',
  'came back',
  'rated elsewhere',
  'take',
  'assign',
  'release',
  // At the marketplace.
  'restart',
  'retarget',
  'create',
  'submit',
  'exclude worker',
  'include worker',
  'clear exclude list',
  'exclude employers',
  'read message',
  'trash message',
  // Here.
  'subscribe',
  'unsubscribe',
  'channel lost',
  'channel back',
  'connect',
  'replace key',
  'disconnect',
  'give role',
  'withdraw role',
  'ask for role',
  'decline role',
  'confirm shared channel',
  'withdraw shared channel',
  'ask approval',
  'approve',
  'decline',
  'end request',
  'set limits',
  'set time to rate',
  'set channel',
  'choose inbox channel',
  'add reason',
  'change reason',
  'remove reason',
  'leave note',
  'change note',
  'remove note',
  'retry job',
  'discard job',
  'remove details',
] as const;
const AuditedAct = z.enum(auditedActs);
export type AuditedAct = z.infer<typeof AuditedAct>;

/**
 * How an act came about: a person clicked, typed a command, submitted a form, replied in a thread, approved another's
 * request, or worked at the desk · a job ran automatically · a setting applied at the start · `elsewhere`: outside of Slack,
 * as seen at the marketplace.
 */
const ActedBy = z.enum([
  'click',
  'command',
  'form',
  'reply',
  'desk',
  'approval',
  'job',
  'setting',
  'elsewhere',
]);
export type ActedBy = z.infer<typeof ActedBy>;

/**
 * An act at the marketplace has two entries with the same `act`: `claimed`, written before sending, and its outcome. An
 * act with only the first one was interrupted, and its outcome is unknown.
 */
const ActStage = z.enum(['claimed', 'done', 'failed', 'unknown']);
export type ActStage = z.infer<typeof ActStage>;

/** An entry of the audit trail. */
export const AuditEntry = z
  .object({
    /** Milliseconds since 1970. */
    at: z.number(),
    what: AuditedAct,
    /** Who acted, or decided what a job did. Absent: the bot on its own, or somebody outside of Slack. */
    by: MemberId.exactOptional(),
    how: ActedBy.exactOptional(),
    /** The other member concerned: whose decision was undone, whose request was approved, who got a role. */
    member: MemberId.exactOptional(),
    /** In a workspace's trail: the account concerned. */
    account: AccountId.exactOptional(),
    act: z.string().exactOptional(),
    stage: ActStage.exactOptional(),

    campaign: CampaignId.exactOptional(),
    task: TaskId.exactOptional(),
    round: z.number().exactOptional(),
    worker: WorkerId.exactOptional(),
    message: MessageId.exactOptional(),
    channel: ChannelId.exactOptional(),

    /** The task's rating afterwards. */
    rating: z.enum(ratings).exactOptional(),
    verdict: z.enum(verdicts).exactOptional(),
    comment: z.string().exactOptional(),
    favorite: z.enum(['add', 'remove']).exactOptional(),
    /** The decision's id. */
    decision: z.string().exactOptional(),

    /** The values before and after, in the marketplace's words or in figures. */
    before: z.string().exactOptional(),
    after: z.string().exactOptional(),
    /** Its cost, as decimal text in the campaign's currency; for a decision, its bonus. */
    money: z.string().exactOptional(),
    /** The marketplace's answer. */
    answer: z.string().exactOptional(),
  })
  .readonly();
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry as features write it; the time is added. */
export const NewAuditEntry = AuditEntry.unwrap().omit({ at: true }).readonly();
export type NewAuditEntry = z.infer<typeof NewAuditEntry>;

/**
 * Where entries are kept: in an account's trail, or in a workspace's (without `account`) for data stored per workspace:
 * keys and subscriptions. A trail and the subjects of its entries are on the same cluster node, so that one Redis step
 * writes both.
 */
export interface Trail {
  readonly workspace: WorkspaceId;
  readonly account?: AccountRef['account'];
}
