import type { Redis } from 'ioredis';
import { dayIn } from '../domain/days.ts';
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
import { AccountId, type AccountRef, type MemberId, type WorkspaceId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const spendingLimitsCodec = createCodec('spending-limits', SpendingLimits);

/** A reservation that was not confirmed within this time expires (ms): its process died before it acted on it. */
export const reservationMs = 600_000;

/**
 * Prelude of scripts that read spending: expires reservations that were not confirmed in time. KEYS: the day's hash,
 * reservations by expiry time. ARGV: now (ms).
 */
const endOld = `
for _, fields in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])) do
  local member, reserved = string.match(fields, '^([^\\n]*)\\n(.*)$')
  local counted = redis.call('HGET', KEYS[1], reserved)
  if counted and counted ~= '0' then redis.call('HINCRBY', KEYS[1], member, '-' .. counted) end
  redis.call('HDEL', KEYS[1], reserved)
  redis.call('ZREM', KEYS[2], fields)
end
`;

const spentScript = `${endOld}
return redis.call('HGET', KEYS[1], ARGV[2]) or '0'`;

/**
 * KEYS: … ARGV: …, the member's field, the reservation's field, amount, limit ('' for none), time to live (s), largest
 * amount, when it expires (ms). Returns whether it fits and what was spent before; an existing reservation fits again.
 */
const reserveScript = `${endOld}
local spent = tonumber(redis.call('HGET', KEYS[1], ARGV[2]) or '0')
local before = redis.call('HGET', KEYS[1], ARGV[3])
if before then return {1, string.format('%.0f', spent - tonumber(before))} end
local amount = tonumber(ARGV[4])
if ARGV[5] ~= '' and spent + amount > tonumber(ARGV[5]) then return {0, string.format('%.0f', spent)} end
local counted = string.format('%.0f', math.min(amount, tonumber(ARGV[7]) - spent))
redis.call('HINCRBY', KEYS[1], ARGV[2], counted)
redis.call('HSET', KEYS[1], ARGV[3], counted)
redis.call('ZADD', KEYS[2], ARGV[8], ARGV[2] .. '\\n' .. ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return {1, string.format('%.0f', spent)}`;

/** KEYS: as above. ARGV: the member's field, the reservation's field. Returns 1 when it was reserved. */
const giveBackScript = `
redis.call('ZREM', KEYS[2], ARGV[1] .. '\\n' .. ARGV[2])
local counted = redis.call('HGET', KEYS[1], ARGV[2])
if not counted then return 0 end
if counted ~= '0' then redis.call('HINCRBY', KEYS[1], ARGV[1], '-' .. counted) end
redis.call('HDEL', KEYS[1], ARGV[2])
return 1`;

/** A part of a member's spending for a day. */
export interface Reservation {
  readonly member: MemberId;
  readonly budget: Budget;
  /** Idempotency key: the same act counts once. */
  readonly id: string;
  /** When it was made (ms): it counts towards that day. */
  readonly at: number;
}

export type SpendingStore = ReturnType<typeof createSpendingStore>;

/**
 * Creates the store of members' spending: the limits of each account, and what each member has spent on a day.
 * @param zone the marketplace's, as in its own records: a day is the same for every member, wherever they are
 */
export function createSpendingStore(redis: Redis, zone: string, logger?: ErrorLogger) {
  const limitsKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'spending-limits');
  const stored = createStoredHash(redis, { codec: spendingLimitsCodec, field: AccountId }, logger);
  const keysOf = (ref: AccountRef, at: number): [string, string] => {
    const day = dayIn(at, zone);
    return [accountKey(ref, keyOf.spent(day)), accountKey(ref, keyOf.reserved(day))];
  };

  return {
    async limits({ workspace, account }: AccountRef): Promise<SpendingLimits> {
      return (await stored.get(limitsKey(workspace), account)) ?? defaultLimits;
    },

    /** Sets the limits of an account. @param step their audit entry */
    async setLimits(
      { workspace, account }: AccountRef,
      limits: SpendingLimits,
      step: AuditStep,
    ): Promise<void> {
      await stored.update(
        limitsKey(workspace),
        account,
        () => limits,
        () => step,
      );
    },

    /** Returns what a member has spent on the day of `at`, up to then. */
    async spent(
      ref: AccountRef,
      { member, budget, at }: Pick<Reservation, 'member' | 'budget' | 'at'>,
    ): Promise<Money> {
      return amountOf(
        String(
          await redis.eval(
            spentScript,
            2,
            ...keysOf(ref, at),
            at,
            amountFields({ member, budget, id: '' }).memberField,
          ),
        ),
      );
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
      const [fits, spent] = (await redis.eval(
        reserveScript,
        2,
        ...keysOf(ref, reservation.at),
        reservation.at,
        memberField,
        idField,
        unitsOf(total),
        limit === undefined ? '' : unitsOf(limit),
        spentSeconds,
        maxUnits,
        reservation.at + reservationMs,
      )) as [number, string];
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
      await redis.eval(giveBackScript, 2, ...keysOf(ref, reservation.at), memberField, idField);
    },
  };
}
