import { randomUUID } from 'node:crypto';
import {
  type ApprovalRequest,
  type AskReason,
  approvalMs,
  budgetOfAct,
  type SpendingAct,
  subjectOf,
  totalOf,
} from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import { Forbidden } from '../../domain/forbidden.ts';
import { type Money, money } from '../../domain/money.ts';
import { may } from '../../domain/permissions.ts';
import { excessOfDay, excessOfEach, type Limit, limitFor } from '../../domain/spending.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Actor } from '../../slack/feature.ts';
import type { Reservation } from '../../store/spending.ts';
import type { Someone } from './access.ts';
import { askedBeforeText, askedText, nobodyApprovesText } from './approval.view.ts';
import { approversOf, candidatesOf } from './approvers.ts';
import type { FeatureContext } from './context.ts';

type Parts = Pick<
  FeatureContext,
  | 'access'
  | 'approvals'
  | 'audit'
  | 'grants'
  | 'jobs'
  | 'messengerOf'
  | 'now'
  | 'slackPeople'
  | 'spendingStore'
>;

/** Somebody who spends, and how. */
type Spender = Someone & Pick<Actor, 'how'>;

/**
 * Whether somebody may spend: `granted`, and counted towards their day · `asked`: managers were asked, and a job does it
 * once one approves · `refused`: nobody can approve it. The sentences are mrkdwn.
 */
export type SpendingAnswer =
  | {
      readonly kind: 'granted';
      /** Counts it for good, just before it is done. Otherwise it counts for minutes: the process may have died. */
      readonly keep: () => Promise<void>;
      /** Takes it off their day again: it was not done after all. */
      readonly giveBack: () => Promise<void>;
    }
  | { readonly kind: 'asked' | 'refused'; readonly sentence: string };

export type Spend = ReturnType<typeof createSpending>;

/** Creates what stands between people and the account's money: roles, limits, and requests where these do not reach. */
export function createSpending(parts: Parts) {
  const { access, approvals, jobs, now, spendingStore } = parts;

  /** Counts an amount towards somebody's day. Returns why they have to ask instead, if they do. */
  async function reserve(
    ref: AccountRef,
    limit: Limit,
    reservation: Reservation,
    total: Money,
  ): Promise<AskReason | undefined> {
    const each = excessOfEach(limit, total);
    if (each !== undefined) return { kind: 'limit', excess: each };
    const most = limit.day === undefined ? undefined : money(limit.day);
    const { fits, spent } = await spendingStore.reserve(ref, reservation, total, most);
    const excess = fits ? undefined : excessOfDay(limit, total, spent);
    return excess && { kind: 'limit', excess };
  }

  /** Makes a request, unless there is one about the same thing. Says what becomes of it. */
  async function ask(
    { member, how }: Spender,
    ref: AccountRef,
    act: SpendingAct,
    reason: AskReason,
  ): Promise<SpendingAnswer> {
    const asked = await approversOf(parts, ref, member);
    if (asked.length === 0) {
      const candidates = await candidatesOf(parts, ref, member);
      return { kind: 'refused', sentence: nobodyApprovesText(act, reason, candidates) };
    }
    const at = now();
    const request: ApprovalRequest = {
      id: randomUUID(),
      act,
      total: totalOf(act),
      by: member,
      reason,
      at,
      until: at + approvalMs,
      asked,
      messages: [],
      stage: { state: 'waiting' },
    };
    return add(ref, request, how);
  }

  async function add(ref: AccountRef, request: ApprovalRequest, how: Actor['how']): Promise<SpendingAnswer> {
    const { act, by, id } = request;
    const subject = subjectOf(act);
    const entry = { what: 'ask approval', by, how, ...aboutRequest(request) } as const;
    if (!(await approvals.add(ref, request, parts.audit.writer.step(ref, entry)))) {
      const other = await approvals.get(ref, subject);
      return other === undefined
        ? add(ref, request, how)
        : { kind: 'asked', sentence: askedBeforeText(other, by) };
    }
    await queueApproval(parts, ref, request, 'ask');
    await jobs.add(
      'approval',
      { ...ref, subject, request: id },
      { delayMs: approvalMs, uniqueKey: `${id} expiry` },
    );
    return { kind: 'asked', sentence: askedText(request) };
  }

  /** Returns the limits that hold for somebody, or undefined when their role spends nothing. */
  async function limitOf(actor: Someone, ref: AccountRef, act: SpendingAct) {
    const { role, refusal } = await access.standing(actor, ref, { isFresh: true });
    if (role === undefined)
      throw new Forbidden({ ref, capability: act.kind, role, ...(refusal ? { refusal } : {}) });
    if (!may(role, act.kind)) return { role };
    return { role, limit: limitFor(await spendingStore.limits(ref), role, budgetOfAct(act)) };
  }

  return {
    /**
     * Decides whether somebody may spend now, and counts it towards their day. What is over a limit, or takes a higher role,
     * becomes a request. Throws Forbidden for people who have no role at all.
     * @param one.id identifies the act: asked twice, it counts once
     * @param one.at when it is done (ms): it counts for that day
     */
    async begin(
      actor: Spender,
      ref: AccountRef,
      act: SpendingAct,
      one: Pick<Reservation, 'id' | 'at'>,
    ): Promise<SpendingAnswer> {
      const { role, limit } = await limitOf(actor, ref, act);
      if (limit === undefined) return ask(actor, ref, act, { kind: 'role', role });
      const reservation = { member: actor.member, budget: budgetOfAct(act), ...one };
      const reason = await reserve(ref, limit, reservation, money(totalOf(act)));
      if (reason !== undefined) return ask(actor, ref, act, reason);
      return {
        kind: 'granted',
        keep: () => spendingStore.keep(ref, reservation),
        giveBack: () => spendingStore.giveBack(ref, reservation),
      };
    },
  };
}

/** Queues the job that goes on with a request. @param step which step it is for: a job that waits stops no other one */
export async function queueApproval(
  { jobs }: Pick<Parts, 'jobs'>,
  ref: AccountRef,
  { id, act }: ApprovalRequest,
  step: string,
): Promise<void> {
  const payload = { ...ref, subject: subjectOf(act), request: id };
  await jobs.add('approval', payload, { uniqueKey: `${id} ${step}` });
}

/** Returns what an entry of the audit says of any request. */
export function aboutRequest({ id, act, total }: ApprovalRequest): Omit<NewAuditEntry, 'what'> {
  return {
    act: id,
    money: total,
    ...(act.kind === 'create' ? { after: act.title } : { campaign: act.campaign }),
    ...(act.kind === 'bonus' ? { task: act.task, round: act.round } : {}),
    ...(act.kind === 'restart' ? { after: `${act.before + act.positions} positions` } : {}),
  };
}
