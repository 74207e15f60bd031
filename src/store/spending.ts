import type { Redis } from 'ioredis';
import { z } from 'zod';
import { ApprovalRequest, subjectOf } from '../domain/approval.ts';
import { keyOf, spentSeconds } from '../domain/index-changes.ts';
import type { Money } from '../domain/money.ts';
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
import type { AuditStep } from './audit.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { change, changeIf, scriptIn } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

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
