import {
  type ActOfKind,
  type ApprovalRequest,
  type AskReason,
  budgetOfAct,
  type SpendingAct,
  subjectOf,
  totalOf,
} from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import { money } from '../../domain/money.ts';
import { Forbidden, leastRole, may, type Role } from '../../domain/permissions.ts';
import { excessOf, limitFor } from '../../domain/spending.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Again } from '../../jobs/queue.ts';
import type { Searched, Someone } from '../../kit/access.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Actor } from '../../slack/feature.ts';
import type { Reservation } from '../../store/rights.ts';
import { askedBeforeText, askedText, nobodyApprovesText } from './spending.view.ts';

type Spender = Someone & Pick<Actor, 'how'>;

/**
 * Whether somebody may spend: `granted`, and counted towards their day · `asked`: managers were asked, and a job acts
 * once one approves · `refused`: nobody can approve it. Sentences are mrkdwn.
 */
export type SpendingAnswer =
  | {
      readonly kind: 'granted';
      /**
       * Makes the reservation permanent, just before the act. Otherwise it expires after minutes, in case the process
       * died.
       */
      readonly keep: () => Promise<void>;
      /** Releases the reservation, because the act did not happen. */
      readonly giveBack: () => Promise<void>;
    }
  | { readonly kind: 'asked' | 'refused'; readonly sentence: string };

/** Creates the spending guard: roles, limits, and approval requests beyond these. */
export function createSpending(parts: Modules) {
  const { people, clock } = parts;

  /** Creates a request, unless one about the same thing exists. Returns the answer to the member. */
  async function ask(
    { member, how }: Spender,
    ref: AccountRef,
    act: SpendingAct,
    reason: AskReason,
  ): Promise<SpendingAnswer> {
    const { members: asked } = await approversOf(parts, ref, member);
    if (asked?.length === 0) return { kind: 'refused', sentence: nobodyApprovesText(act, reason) };
    const at = clock.now();
    const request: ApprovalRequest = {
      id: crypto.randomUUID(),
      act,
      total: totalOf(act),
      by: member,
      reason,
      at,
      until: at + parts.jobs.timeouts.approvalMs,
      ...(asked === undefined ? {} : { asked }),
      stage: { state: 'waiting' },
    };
    const entry = { what: 'ask approval', by: member, how, ...aboutRequest(request) } as const;
    while (!(await people.approvals.add(ref, request, parts.audit.step(ref, entry)))) {
      const other = await people.approvals.get(ref, subjectOf(act));
      if (other !== undefined) return { kind: 'asked', sentence: askedBeforeText(other, member) };
    }
    await queueApproval(parts, ref, request, 'ask');
    await queueApproval(parts, ref, request, 'expiry', parts.jobs.timeouts.approvalMs);
    return { kind: 'asked', sentence: askedText(request) };
  }

  /** Returns somebody's role. Throws Forbidden for people without any. */
  async function roleOf(actor: Someone, ref: AccountRef, act: SpendingAct): Promise<Role> {
    const { role, refusal } = await people.access.roleIn(actor, ref, { isFresh: true });
    if (role !== undefined) return role;
    throw new Forbidden({ ref, capability: act.kind, role, ...(refusal ? { refusal } : {}) });
  }

  return {
    /**
     * Decides whether somebody may spend now, and reserves it in their daily budget. Amounts over a limit, or beyond the
     * role, become a request. Throws Forbidden for people without any role.
     * @param one.id idempotency key of the act
     * @param one.at when it is done (ms): it counts for that day
     */
    async begin(
      actor: Spender,
      ref: AccountRef,
      act: SpendingAct,
      one: Pick<Reservation, 'id' | 'at'>,
    ): Promise<SpendingAnswer> {
      const role = await roleOf(actor, ref, act);
      if (!may(role, act.kind)) return ask(actor, ref, act, { kind: 'role', role });
      const total = money(totalOf(act));
      const budget = budgetOfAct(act);
      const limit = limitFor(await people.spending.limits(ref), role, budget);
      const reservation = { member: actor.member, budget, ...one };
      const { fits, spent } = await people.spending.reserve(ref, reservation, total, limit);
      if (limit !== undefined && !fits)
        return ask(actor, ref, act, { kind: 'limit', excess: excessOf(limit, total, spent) });
      return {
        kind: 'granted',
        keep: () => people.spending.keep(ref, reservation),
        giveBack: () => people.spending.giveBack(ref, reservation),
      };
    },
  };
}

/**
 * Queues the job that continues a request. @param step which step it is for, so that a waiting job blocks no other step
 */
export async function queueApproval(
  { jobs }: Modules,
  ref: AccountRef,
  { id, act }: ApprovalRequest,
  step: string,
  delayMs = 0,
): Promise<void> {
  const payload = { ...ref, subject: subjectOf(act), request: id };
  await jobs.add('approval', payload, { uniqueKey: `${id} ${step}`, delayMs });
}

/** Returns the audit fields common to all entries about a request. */
export function aboutRequest({ id, act, total }: ApprovalRequest): Omit<NewAuditEntry, 'what'> {
  return {
    act: id,
    money: total,
    ...(act.kind === 'create' ? { after: act.title } : { campaign: act.campaign }),
    ...(act.kind === 'bonus' ? { task: act.task, round: act.round } : {}),
    ...(act.kind === 'restart' ? { after: `${act.before + act.positions} positions` } : {}),
  };
}

const maxAsked = 10;

/** Returns the other members who may approve a member's request: owners first, then managers. */
export async function approversOf(modules: Modules, ref: AccountRef, asker: MemberId): Promise<Searched> {
  const { people } = modules;
  const { workspace } = ref;
  const [owners, rights] = await Promise.all([ownersOrAdmins(modules, ref), people.grants.of(ref)]);
  if (owners.members === undefined) return owners;
  const given = rights.grants.filter(({ role }) => may(role, 'approve'));
  const members = await Promise.all(
    given.map(async ({ to }) =>
      to.kind === 'member' ? [to.id] : people.slack.members(workspace, to.id, { isFresh: true }),
    ),
  );
  const found: MemberId[] = [];
  for (const member of new Set([...owners.members, ...members.flat()])) {
    if (member === asker || found.length >= maxAsked) continue;
    // A role may have been granted to a guest or a deactivated user.
    const someone = { workspace, team: workspace, member };
    const { role } = await people.access.roleIn(someone, ref, { enough: leastRole('approve') });
    if (may(role, 'approve')) found.push(member);
  }
  return { members: found };
}

/** Returns the known owners of an account, or else the admins of the workspace. */
export async function ownersOrAdmins({ people }: Modules, ref: AccountRef): Promise<Searched> {
  const owners = await people.access.ownersOf(ref);
  return owners.length > 0 ? { members: owners } : people.slack.admins(ref.workspace);
}

/**
 * Outcome of an approved act; the sentence is mrkdwn. `unanswered`: the request certainly did not reach the marketplace,
 * so it is retried. `canceled`: the act is no longer possible.
 */
export interface ActOutcome {
  readonly kind: 'done' | 'refused' | 'unknown' | 'unanswered' | 'canceled';
  readonly sentence: string;
}

export type ApprovedBy = Required<Pick<NewAuditEntry, 'by' | 'member' | 'how'>>;

/** Returns the fields shared by all audit entries about an approved act. */
export function approvedBy(approver: MemberId, { by }: Pick<ApprovalRequest, 'by'>): ApprovedBy {
  return { by: approver, member: by, how: 'approval' };
}

/** How one kind of act runs once approved. A job calls it, one at a time. */
export interface ApprovedAct<Act extends SpendingAct> {
  /**
   * Returns the act with its current data, why it is no longer possible, or when to ask again. Throws the errors of a
   * marketplace call.
   */
  current(ref: AccountRef, act: Act): Promise<Act | { readonly canceled: string } | Again>;
  /** Returns the audit entry written just before sending; undefined if another step writes it. */
  claim(act: Act): Omit<NewAuditEntry, 'by' | 'how'> | undefined;
  /** Performs the act. @param id the request's id, used as the idempotency key */
  perform(ref: AccountRef, act: Act, id: string, by: ApprovedBy): Promise<ActOutcome>;
  /** Determines the outcome of an act whose process died, or when to ask again. */
  settle(ref: AccountRef, act: Act, id: string, by: ApprovedBy): Promise<ActOutcome | Again>;
}

export type ApprovedActs = {
  readonly [Kind in SpendingAct['kind']]: ApprovedAct<ActOfKind<Kind>>;
};
