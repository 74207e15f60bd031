import { z } from 'zod';
import { requestEvents, requestMessage } from './live-message.ts';
import { money } from './money.ts';
import { roles } from './permissions.ts';
import { type Budget, budgetOf, Excess, positionsTotal } from './spending.ts';
import { CampaignId, MemberId, TaskId } from './terms.ts';

/** The requested act. `payment`: per task at the time of the request; decimal text like all amounts. */
export const SpendingAct = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('restart'),
    campaign: CampaignId,
    title: z.string(),
    positions: z.number(),
    payment: z.string(),
    /** The campaign's number of positions, which later shows whether it was restarted. */
    before: z.number(),
  }),
  z.object({
    kind: z.literal('create'),
    title: z.string(),
    positions: z.number(),
    payment: z.string(),
    /** The draft to send, in the version that was shown. */
    draft: z.string(),
    version: z.number(),
  }),
  z.object({
    kind: z.literal('bonus'),
    campaign: CampaignId,
    title: z.string(),
    task: TaskId,
    round: z.number(),
    worker: z.string(),
    bonus: z.string(),
    /** The saved reason its comment was based on. */
    reason: z.string().exactOptional(),
    /** Absent if the marketplace has not reported one. */
    payment: z.string().exactOptional(),
    comment: z.string(),
    favorite: z.enum(['add', 'remove']).exactOptional(),
  }),
]);
export type SpendingAct = z.infer<typeof SpendingAct>;
export type ActOfKind<Kind extends SpendingAct['kind']> = Extract<SpendingAct, { kind: Kind }>;

/** Why approval is required: the role is too low (absent: there is none), or a limit is exceeded. */
const AskReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('role'), role: z.enum(roles) }),
  z.object({ kind: z.literal('limit'), excess: Excess }),
]);
export type AskReason = z.infer<typeof AskReason>;

/**
 * Outcome of a request. `done`, `refused` by the marketplace, `unknown`: it was approved. `canceled`: it is no longer
 * possible, or not as approved. `sentence`: mrkdwn.
 */
const ApprovalEnd = z
  .object({
    kind: z.enum(['done', 'refused', 'unknown', 'declined', 'expired', 'canceled']),
    sentence: z.string().exactOptional(),
    /** Who approved or declined. */
    by: MemberId.exactOptional(),
  })
  .readonly();
export type ApprovalEnd = z.infer<typeof ApprovalEnd>;

/**
 * A request to spend more than a member may alone. `waiting` for a manager · `approved`: to be carried out · `sending`:
 * a process carries it out; past `until` its outcome is unknown · `ended`: stored only until everybody was told.
 */
export const ApprovalRequest = z
  .object({
    id: z.string(),
    act: SpendingAct,
    /** Its cost; for a bonus, the bonus alone. */
    total: z.string(),
    by: MemberId,
    reason: AskReason,
    at: z.number(),
    /** When it expires, in any state. */
    until: z.number(),
    /** The members asked; absent while they are searched for. */
    asked: z.array(MemberId).readonly().exactOptional(),
    stage: z
      .discriminatedUnion('state', [
        z.object({ state: z.literal('waiting') }),
        z.object({ state: z.literal('approved'), by: MemberId }),
        z.object({ state: z.literal('sending'), by: MemberId, until: z.number() }),
        z.object({ state: z.literal('ended'), end: ApprovalEnd }),
      ])
      .readonly(),
  })
  .readonly();
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** The message that asks a manager, or tells whoever asked what became of their request. */
export const ApprovalMessage = requestMessage(ApprovalRequest);
export type ApprovalMessage = z.infer<typeof ApprovalMessage>;

const stages = { waiting: 0, approved: 1, sending: 1, ended: 2 } as const;

/** Applies an event to such a message. */
export const applyApprovalEvent = requestEvents<ApprovalRequest>(({ stage }) => stages[stage.state]);

/** Returns the subject of a request; each subject has at most one request at a time. */
export function subjectOf(act: SpendingAct): string {
  switch (act.kind) {
    case 'restart':
      return `restart ${act.campaign}`;
    case 'create':
      return `create ${act.draft}`;
    case 'bonus':
      return taskSubject(act.task);
  }
}

/** Returns the subject of a request for a bonus. */
export function taskSubject(task: TaskId): string {
  return `task ${task}`;
}

/** Returns the cost of an act; for a bonus, the bonus alone. */
export function totalOf(act: SpendingAct): string {
  return act.kind === 'bonus'
    ? money(act.bonus).toFixed()
    : positionsTotal(money(act.payment), act.positions).toFixed();
}

/** Returns the budget charged for an act. */
export function budgetOfAct({ kind }: SpendingAct): Budget {
  return budgetOf(kind);
}

/** Returns whether an act still has the approved cost. */
export function costsTheSame(a: SpendingAct, b: SpendingAct): boolean {
  return totalOf(a) === totalOf(b) && paymentOf(a) === paymentOf(b);
}

function paymentOf({ payment }: SpendingAct): string | undefined {
  return payment === undefined ? undefined : money(payment).toFixed();
}
