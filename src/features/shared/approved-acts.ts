import type { ActOfKind, ApprovalRequest, SpendingAct } from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';

/**
 * How an approved act ended; the sentence is mrkdwn. `unanswered`: the marketplace was certainly not reached, so it is tried
 * again. `canceled`: it can no longer be done.
 */
export interface ActOutcome {
  readonly kind: 'done' | 'refused' | 'unknown' | 'unanswered' | 'canceled';
  readonly sentence: string;
}

/** Who asked for something, and who approved it: for the audit. */
export type ApprovedBy = Required<Pick<NewAuditEntry, 'by' | 'member' | 'how'>>;

/** Returns what the entries of the audit about an approved act have in common. */
export function approvedBy(approver: MemberId, { by }: Pick<ApprovalRequest, 'by'>): ApprovedBy {
  return { by: approver, member: by, how: 'approval' };
}

/** How one kind of act is done once it is approved. A job calls it, and only one at a time. */
export interface ApprovedAct<Act extends SpendingAct> {
  /** Returns the act as it would be done now, or why it can no longer be done. Throws what a call of the marketplace throws. */
  current(ref: AccountRef, act: Act): Promise<Act | { readonly canceled: string }>;
  /** Returns the entry that says that it is about to be sent; undefined where another step writes it. */
  claim(act: Act): Omit<NewAuditEntry, 'by' | 'how'> | undefined;
  /** Does it. @param id the request's: with it, the act is done once */
  perform(ref: AccountRef, act: Act, id: string, by: ApprovedBy): Promise<ActOutcome>;
  /** Finds out what became of it: the process that did it has died. */
  settle(ref: AccountRef, act: Act, id: string, by: ApprovedBy): Promise<ActOutcome>;
}

export type ApprovedActs = {
  readonly [Kind in SpendingAct['kind']]: ApprovedAct<ActOfKind<Kind>>;
};
