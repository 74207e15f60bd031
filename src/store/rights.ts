import type { Redis } from 'ioredis';
import { z } from 'zod';
import { ApprovalRequest, subjectOf } from '../domain/approval.ts';
import type { NewAuditEntry } from '../domain/audit.ts';
import { keyOf, spentSeconds } from '../domain/index-changes.ts';
import type { Money } from '../domain/money.ts';
import { AccountRights, changedRights, noRights, type RightsChange, RoleRequest } from '../domain/rights.ts';
import {
  amountFields,
  amountOf,
  type Budget,
  defaultLimits,
  maxUnits,
  SpendingLimits,
  unitsOf,
} from '../domain/spending.ts';
import { dayIn } from '../domain/task.ts';
import { AccountId, type AccountRef, type MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditStep, type AuditWriter, createAuditWriter, rightsEntryOf } from './audit.ts';
import { accountKey, createCodec, workspaceKey } from './format.ts';
import { change, changeIf, scriptIn } from './scripts.ts';
import { createStoredHash, createStoredValues, type ErrorLogger } from './stored-hash.ts';

export const accountRightsCodec = createCodec('account-rights', AccountRights);

/** Creates the store of account owners' decisions about who may do what. */
export function createGrants(redis: Redis, logger?: ErrorLogger, audit: AuditWriter = createAuditWriter()) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'rights');
  const stored = createStoredHash(redis, { codec: accountRightsCodec, field: z.string(), key }, logger);

  return {
    async of({ workspace, account }: AccountRef): Promise<AccountRights> {
      return (await stored.get(workspace, account)) ?? noRights;
    },

    /**
     * Changes the rights in an account: the only place that does. Resolves to the previous and the new rights.
     * @param actor who changes them and how, for the audit
     */
    async change(
      { workspace, account }: AccountRef,
      change: RightsChange,
      actor: Pick<NewAuditEntry, 'by' | 'how'>,
      isAllowed: (after: AccountRights) => boolean = () => true,
    ): Promise<{ readonly changed: boolean; readonly before: AccountRights; readonly after: AccountRights }> {
      let after = noRights;
      let changed = false;
      const before = await stored.update(
        workspace,
        account,
        (stands) => {
          const current = stands ?? noRights;
          const next = changedRights(current, change);
          changed = next !== current && isAllowed(next);
          after = changed ? next : current;
          return changed ? next : stands;
        },
        (stands) => audit({ workspace }, { ...rightsEntryOf(stands ?? noRights, change), ...actor, account }),
      );
      return { changed, before: before ?? noRights, after };
    },
  };
}

/** How long owners may think about a request (s). */
const answerSeconds = 7 * 86_400;

export const roleRequestCodec = createCodec('role-request', RoleRequest);

/** Creates the store of requests for roles. A damaged one counts as gone. */
export function createRoleRequests(redis: Redis) {
  const key = (workspace: WorkspaceId, id: string) => workspaceKey(workspace, 'role-request', id);
  const stored = createStoredValues(redis, roleRequestCodec, key, answerSeconds);

  return {
    put: stored.set,
    get: stored.get,

    /** Stores which owners are asked. Resolves to the request. */
    async asked(
      workspace: WorkspaceId,
      id: string,
      asked: readonly MemberId[],
    ): Promise<RoleRequest | undefined> {
      return (await stored.update(workspace, id, (before) => ({ ...before, asked }))).value;
    },

    /**
     * Stores an answer unless there is one: only the first one counts. Resolves to the request with the answer that counts.
     * @param step the audit entry of the answer, unless it is added elsewhere
     */
    async answer(
      workspace: WorkspaceId,
      id: string,
      answer: NonNullable<RoleRequest['answer']>,
      step?: AuditStep,
    ): Promise<RoleRequest | undefined> {
      const answered = (before: RoleRequest) =>
        before.answer === undefined ? { ...before, answer } : undefined;
      return (await stored.update(workspace, id, answered, step)).value;
    },

    /** Marks the answer as carried out. */
    async done(workspace: WorkspaceId, id: string): Promise<void> {
      await stored.update(workspace, id, (before) =>
        before.isDone ? undefined : { ...before, isDone: true },
      );
    },
  };
}

export const spendingLimitsCodec = createCodec('spending-limits', SpendingLimits);

/** A reservation that was not confirmed within this time expires (ms): its process died before it acted on it. */
export const reservationMs = 600_000;

const reserveSpending = scriptIn('reserve-spending');

/** A part of a member's spending for a day. */
export interface Reservation {
  readonly member: MemberId;
  readonly budget: Budget;
  /** Idempotency key: the same act counts once. */
  readonly id: string;
  /** When it was made (ms): it counts towards that day. */
  readonly at: number;
}

/**
 * Creates the store of members' spending: the limits of each account, and what each member has spent on a day.
 * @param zone the marketplace's, as in its own records: a day is the same for every member, wherever they are
 */
export function createSpendingStore(redis: Redis, zone: string, logger?: ErrorLogger) {
  const limitsKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'spending-limits');
  const stored = createStoredHash(
    redis,
    { codec: spendingLimitsCodec, field: AccountId, key: limitsKey },
    logger,
  );
  const keysOf = (ref: AccountRef, at: number): [string, string] => {
    const day = dayIn(at, zone);
    return [accountKey(ref, keyOf.spent(day)), accountKey(ref, keyOf.reserved(day))];
  };

  return {
    async limits({ workspace, account }: AccountRef): Promise<SpendingLimits> {
      return (await stored.get(workspace, account)) ?? defaultLimits;
    },

    /** Sets the limits of an account. @param step their audit entry */
    async setLimits(
      { workspace, account }: AccountRef,
      limits: SpendingLimits,
      step: AuditStep,
    ): Promise<void> {
      const text = spendingLimitsCodec.encode(limits);
      await change(redis, step, ['HSET', limitsKey(workspace), account, text]);
    },

    /** Returns what a member has spent on the day of `at`, up to then. */
    async spent(
      ref: AccountRef,
      { member, budget, at }: Pick<Reservation, 'member' | 'budget' | 'at'>,
    ): Promise<Money> {
      const { memberField } = amountFields({ member, budget, id: '' });
      const [, spent] = (await reserveSpending(redis, keysOf(ref, at), [at, memberField])) as [
        number,
        string,
      ];
      return amountOf(spent);
    },

    /**
     * Reserves an amount of a member's spending for a day, unless it would exceed the day's limit. Of two concurrent
     * reservations, the second sees the first. It expires after {@link reservationMs} unless it is kept. Resolves to whether
     * it fits, and what was spent before.
     */
    async reserve(
      ref: AccountRef,
      reservation: Reservation,
      total: Money,
      limit: Money | undefined,
    ): Promise<{ readonly fits: boolean; readonly spent: Money }> {
      const { memberField, idField } = amountFields(reservation);
      const [fits, spent] = (await reserveSpending(redis, keysOf(ref, reservation.at), [
        reservation.at,
        memberField,
        idField,
        unitsOf(total),
        limit === undefined ? '' : unitsOf(limit),
        spentSeconds,
        maxUnits,
        reservation.at + reservationMs,
      ])) as [number, string];
      return { fits: fits === 1, spent: amountOf(spent) };
    },

    /** Confirms a reservation: its action is done now, or may be done by any process. */
    async keep(ref: AccountRef, reservation: Reservation): Promise<void> {
      const [, reserved] = keysOf(ref, reservation.at);
      const { memberField, idField } = amountFields(reservation);
      await redis.zrem(reserved, `${memberField}\n${idField}`);
    },

    /** Releases a reservation whose action was not done after all. May be called again. */
    async giveBack(ref: AccountRef, reservation: Reservation): Promise<void> {
      const { memberField, idField } = amountFields(reservation);
      const [spent, reserved] = keysOf(ref, reservation.at);
      const counted = await redis.hget(spent, idField);
      if (counted === null) return;
      await changeIf(
        redis,
        [[counted, 'HGET', spent, idField]],
        [
          ['HINCRBY', spent, memberField, -Number(counted)],
          ['HDEL', spent, idField],
          ['ZREM', reserved, `${memberField}\n${idField}`],
        ],
      );
    },
  };
}

export const approvalRequestCodec = createCodec('approval-request', ApprovalRequest);

/** Creates the store of approval requests that are waiting or being carried out: one per subject. */
export function createApprovals(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'approvals');
  const stored = createStoredHash(redis, { codec: approvalRequestCodec, field: z.string(), key }, logger);

  return {
    get: stored.get,

    /** Returns all requests of an account, oldest first. */
    async all(ref: AccountRef): Promise<ApprovalRequest[]> {
      const requests = [...(await stored.all(ref)).values()];
      return requests.sort((a, b) => a.at - b.at || a.id.localeCompare(b.id));
    },

    /** Adds a request. Resolves to false when there is one about the same subject. */
    async add(ref: AccountRef, request: ApprovalRequest, step: AuditStep): Promise<boolean> {
      return stored.replace(ref, subjectOf(request.act), undefined, request, step);
    },

    /**
     * Replaces `before`, as it was read, by `after`; undefined removes it. Resolves to false when it has changed since.
     * @param step its audit entry
     */
    async swap(
      ref: AccountRef,
      before: ApprovalRequest,
      after: ApprovalRequest | undefined,
      step?: AuditStep,
    ): Promise<boolean> {
      return stored.replace(ref, subjectOf(before.act), before, after, step);
    },
  };
}

/**
 * Limits of one member's requests: `atOnce` of them in a burst, and one more every `everyMs`. Limits only requests that
 * occupy the marketplace, Slack or memory for long, far above what anybody does by hand.
 */
export const memberLimits = {
  results: { atOnce: 10, everyMs: 10_000 },
  files: { atOnce: 60, everyMs: 1_000 },
  // Each reply is read in its thread, where Slack allows 50 reads a minute for everybody together.
  replies: { atOnce: 30, everyMs: 3_000 },
} as const;

export type LimitedAction = keyof typeof memberLimits;

/** Creates the limits of single members' requests, which all processes share. */
export function createMemberLimits(redis: Redis, now: () => number) {
  return {
    /** Takes a token of a member's limit. Returns the wait when there is none (ms); 0: it was taken. */
    async take(workspace: WorkspaceId, member: MemberId, action: LimitedAction): Promise<number> {
      const { atOnce, everyMs } = memberLimits[action];
      const key = workspaceKey(workspace, 'limit', action, member);
      for (;;) {
        const text = (await redis.get(key)) ?? '';
        const at = now();
        /** When all tokens are free again (ms). */
        const free = Math.max(Number(text), at);
        const wait = free - (atOnce - 1) * everyMs - at;
        if (wait > 0) return Math.ceil(wait);
        const after = Math.round(free + everyMs);
        const set = ['SET', key, after, 'PX', Math.max(1, Math.round(after - at))] as const;
        if (await changeIf(redis, [[text, 'GET', key]], [set])) return 0;
      }
    },
  };
}
