import { z } from 'zod';
import { money } from './money.ts';
import { roles } from './permissions.ts';
import { type Budget, budgetOf, Excess, positionsTotal } from './spending.ts';
import { CampaignId, ChannelId, MemberId, TaskId } from './terms.ts';

/** How long managers may think about a request (ms); it is done within this time or not at all. */
export const approvalMs = 24 * 3_600_000;

/** What somebody asks for. `payment`: per task, as it was when they asked; decimal text like all amounts. */
export const SpendingAct = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('restart'),
    campaign: CampaignId,
    title: z.string(),
    positions: z.number(),
    payment: z.string(),
    /** How many positions the campaign had: shows afterwards whether it was restarted. */
    before: z.number(),
  }),
  z.object({
    kind: z.literal('create'),
    title: z.string(),
    positions: z.number(),
    payment: z.string(),
    /** The draft that is sent, in the version that was shown. */
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
    /** The saved reason that its comment was chosen from. */
    reason: z.string().exactOptional(),
    /** Absent: the marketplace has told none. */
    payment: z.string().exactOptional(),
    comment: z.string(),
    favorite: z.enum(['add', 'remove']).exactOptional(),
  }),
]);
export type SpendingAct = z.infer<typeof SpendingAct>;
export type ActOfKind<Kind extends SpendingAct['kind']> = Extract<SpendingAct, { kind: Kind }>;

/** Why somebody has to ask: their role is too low (absent: they have none), or it is over a limit. */
const AskReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('role'), role: z.enum(roles) }),
  z.object({ kind: z.literal('limit'), excess: Excess }),
]);
export type AskReason = z.infer<typeof AskReason>;

/**
 * How a request ended. `done`, `refused` by the marketplace, `unknown`: it was approved. `canceled`: it can no longer be
 * done, or not as it was approved. `sentence`: mrkdwn.
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
 * A request to spend more than somebody may alone. `waiting` for a manager · `approved`: to be done · `sending`: a process
 * does it; past `until` its outcome is unknown · `ended`: stored only until everybody was told.
 */
export const ApprovalRequest = z
  .object({
    id: z.string(),
    act: SpendingAct,
    /** What it costs: of a bonus, the bonus alone. */
    total: z.string(),
    by: MemberId,
    reason: AskReason,
    at: z.number(),
    /** It ends then, whatever became of it. */
    until: z.number(),
    /** The total that was asked for before, when the payment has changed since. */
    previousTotal: z.string().exactOptional(),
    /** The members who are asked, and the messages that ask them. */
    asked: z.array(MemberId).readonly(),
    messages: z.array(z.object({ member: MemberId, channel: ChannelId, ts: z.string() })).readonly(),
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

/** Returns what a request is about: there is one request at a time about the same thing. */
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

/** Returns what a request for a bonus is about. */
export function taskSubject(task: TaskId): string {
  return `task ${task}`;
}

/** Returns what an act costs: of a bonus, the bonus alone. */
export function totalOf(act: SpendingAct): string {
  return act.kind === 'bonus'
    ? money(act.bonus).toFixed()
    : positionsTotal(money(act.payment), act.positions).toFixed();
}

/** Returns the budget that an act counts towards. */
export function budgetOfAct({ kind }: SpendingAct): Budget {
  return budgetOf(kind);
}

/** Returns whether an act would cost what was approved. */
export function costsTheSame(a: SpendingAct, b: SpendingAct): boolean {
  return totalOf(a) === totalOf(b) && paymentOf(a) === paymentOf(b);
}

function paymentOf({ payment }: SpendingAct): string | undefined {
  return payment === undefined ? undefined : money(payment).toFixed();
}
