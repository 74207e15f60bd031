import type { ActOfKind, ApprovalRequest, SpendingAct } from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';

/**
 * Outcome of an approved act; the sentence is mrkdwn. `unanswered`: the request certainly did not reach the marketplace,
 * so it is retried. `canceled`: the act is no longer possible.
 */
export interface ActOutcome {
  readonly kind: 'done' | 'refused' | 'unknown' | 'unanswered' | 'canceled';
  readonly sentence: string;
}

/** The requester and the approver, for the audit. */
export type ApprovedBy = Required<Pick<NewAuditEntry, 'by' | 'member' | 'how'>>;

/** Returns the fields shared by all audit entries about an approved act. */
export function approvedBy(approver: MemberId, { by }: Pick<ApprovalRequest, 'by'>): ApprovedBy {
  return { by: approver, member: by, how: 'approval' };
}

/** How one kind of act runs once approved. A job calls it, one at a time. */
export interface ApprovedAct<Act extends SpendingAct> {
  /** Returns the act with its current data, or why it is no longer possible. Throws the errors of a marketplace call. */
  current(ref: AccountRef, act: Act): Promise<Act | { readonly canceled: string }>;
  /** Returns the audit entry written just before sending; undefined if another step writes it. */
  claim(act: Act): Omit<NewAuditEntry, 'by' | 'how'> | undefined;
  /** Performs the act. @param id the request's id, used as the idempotency key */
  perform(ref: AccountRef, act: Act, id: string, by: ApprovedBy): Promise<ActOutcome>;
  /** Determines the outcome of an act whose process died. */
  settle(ref: AccountRef, act: Act, id: string, by: ApprovedBy): Promise<ActOutcome>;
}

export type ApprovedActs = {
  readonly [Kind in SpendingAct['kind']]: ApprovedAct<ActOfKind<Kind>>;
};
