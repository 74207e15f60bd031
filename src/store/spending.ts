import Big from 'big.js';
import type { Redis } from 'ioredis';
import { DateTime } from 'luxon';
import { type Money, money } from '../domain/money.ts';
import { type Budget, defaultLimits, SpendingLimits } from '../domain/spending.ts';
import { AccountId, type AccountRef, type MemberId, type WorkspaceId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const spendingLimitsCodec = createCodec('spending-limits', SpendingLimits);

/** What was spent on a day is kept so long (s): longer than that day lasts anywhere. */
const keptSeconds = 3 * 86_400;

/** Amounts are counted in the marketplace's smallest unit: whole numbers, which Redis adds up exactly. */
const unitsPerOne = 100_000;
/** The largest whole number that a script compares exactly. */
const maxUnits = 9_007_199_254_740_991;

/**
 * KEYS: the day's hash. ARGV: the member's field, the reservation's field, amount, limit ('' for none), time to live (s),
 * largest amount. Returns whether it fits and what was spent before; a reservation that is there already fits again.
 */
const reserveScript = `
local spent = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local before = redis.call('HGET', KEYS[1], ARGV[2])
if before then return {1, string.format('%.0f', spent - tonumber(before))} end
local amount = tonumber(ARGV[3])
if ARGV[4] ~= '' and spent + amount > tonumber(ARGV[4]) then return {0, string.format('%.0f', spent)} end
local counted = string.format('%.0f', math.min(amount, tonumber(ARGV[6]) - spent))
redis.call('HINCRBY', KEYS[1], ARGV[1], counted)
redis.call('HSET', KEYS[1], ARGV[2], counted)
redis.call('EXPIRE', KEYS[1], ARGV[5])
return {1, string.format('%.0f', spent)}`;

/** KEYS: the day's hash. ARGV: the member's field, the reservation's field. Returns 1 when it was reserved. */
const giveBackScript = `
local counted = redis.call('HGET', KEYS[1], ARGV[2])
if not counted then return 0 end
if counted ~= '0' then redis.call('HINCRBY', KEYS[1], ARGV[1], '-' .. counted) end
redis.call('HDEL', KEYS[1], ARGV[2])
return 1`;

/** A part of what a member may spend on a day. */
export interface Reservation {
  readonly member: MemberId;
  readonly budget: Budget;
  /** Identifies it, so that the same act counts once. */
  readonly id: string;
  /** When it was made (ms): it counts for that day. */
  readonly at: number;
}

export type SpendingStore = ReturnType<typeof createSpendingStore>;

/**
 * Creates the store of what members spend: the limits of each account, and what each member has spent on a day.
 * @param zone the day is that of the marketplace, as in its own records: it is the same for every member, wherever they are
 */
export function createSpendingStore(redis: Redis, zone: string, logger?: ErrorLogger) {
  const limitsKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'spending-limits');
  const stored = createStoredHash(redis, { codec: spendingLimitsCodec, field: AccountId }, logger);
  const dayKey = (ref: AccountRef, at: number) =>
    accountKey(ref, 'spent', DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd'));
  const fieldOf = ({ member, budget }: Pick<Reservation, 'member' | 'budget'>) => `${budget} of ${member}`;
  const idField = ({ id }: Reservation) => `reserved ${id}`;

  return {
    async limits({ workspace, account }: AccountRef): Promise<SpendingLimits> {
      return (await stored.get(limitsKey(workspace), account)) ?? defaultLimits;
    },

    /** Sets the limits of an account. @param step what the audit says of it */
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

    /** Returns what a member has spent on the day of `at`. */
    async spent(
      ref: AccountRef,
      { member, budget, at }: Pick<Reservation, 'member' | 'budget' | 'at'>,
    ): Promise<Money> {
      return amountOf((await redis.hget(dayKey(ref, at), fieldOf({ member, budget }))) ?? '0');
    },

    /**
     * Counts an amount towards what a member spends on a day, unless it is then over the limit of the day. Of two at once,
     * the second sees the first. Resolves to whether it fits, and what was spent before.
     */
    async reserve(
      ref: AccountRef,
      reservation: Reservation,
      total: Money,
      limit: Money | undefined,
    ): Promise<{ readonly fits: boolean; readonly spent: Money }> {
      const [fits, spent] = (await redis.eval(
        reserveScript,
        1,
        dayKey(ref, reservation.at),
        fieldOf(reservation),
        idField(reservation),
        unitsOf(total),
        limit === undefined ? '' : unitsOf(limit),
        keptSeconds,
        maxUnits,
      )) as [number, string];
      return { fits: fits === 1, spent: amountOf(spent) };
    },

    /** Gives back what was reserved for something that was not done after all. May be called again. */
    async giveBack(ref: AccountRef, reservation: Reservation): Promise<void> {
      await redis.eval(
        giveBackScript,
        1,
        dayKey(ref, reservation.at),
        fieldOf(reservation),
        idField(reservation),
      );
    },
  };
}

/** Returns an amount in units, rounded up: what is smaller than a unit is not free. */
function unitsOf(amount: Money): string {
  const units = amount.times(unitsPerOne).round(0, Big.roundUp);
  return units.gt(maxUnits) ? String(maxUnits) : units.toFixed(0);
}

function amountOf(units: string): Money {
  return money(units).div(unitsPerOne);
}
