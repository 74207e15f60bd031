import Big from 'big.js';
import { z } from 'zod';
import { formatMoney, type Money, money, readMoney, tryMoney } from './money.ts';
import type { Role } from './permissions.ts';
import type { MemberId } from './terms.ts';

/** What a member spends the account's money on. */
export type Spending = 'bonus' | 'restart' | 'create';

/** Budgets: bonuses; and positions, by a restart or in a new campaign. */
export const budgets = ['bonus', 'positions'] as const;
export type Budget = (typeof budgets)[number];

/** Returns the budget charged for a spending. */
export function budgetOf(spending: Spending): Budget {
  return spending === 'bonus' ? 'bonus' : 'positions';
}

/** A stored limit: decimal text. */
const Amount = z.string().refine((text) => tryMoney(text) !== undefined);

/** Limits of one budget; absent values mean no limit. */
const Limit = z.object({ each: Amount.exactOptional(), day: Amount.exactOptional() }).readonly();
export type Limit = z.infer<typeof Limit>;

/** What managers may spend in an account without approval: per act, and per member and day. */
export const SpendingLimits = z
  .object({
    bonus: Limit,
    positions: Limit,
    /** Whether owners have the same limits, instead of none. */
    areForOwners: z.boolean(),
  })
  .readonly();
export type SpendingLimits = z.infer<typeof SpendingLimits>;

/** Limits of an account whose owners have set none. */
export const defaultLimits: SpendingLimits = {
  bonus: { each: '1', day: '20' },
  positions: { each: '500', day: '1000' },
  areForOwners: false,
};

/** Returns a role's limit. Throws RangeError for a role that may not spend at all. */
export function limitFor(limits: SpendingLimits, role: Role, budget: Budget): Limit {
  if (role === 'owner') return limits.areForOwners ? limits[budget] : {};
  if (role !== 'manager') throw new RangeError(`${role} spends nothing`);
  return limits[budget];
}

/** Returns the cost of positions without fees, which the marketplace does not report. */
export function positionsTotal(payment: Money, positions: number): Money {
  return payment.times(positions);
}

/** Returns the cost of a restart; undefined if the marketplace's payment is no decimal. */
export function restartTotal(paymentPerTask: string, positions: number): Money | undefined {
  const payment = tryMoney(paymentPerTask);
  return payment && positionsTotal(payment, positions);
}

/** Returns the cost of an accepted task with a bonus. */
export function bonusTotal(payment: Money, bonus: Money): Money {
  return payment.plus(bonus);
}

/** How much a limit is exceeded. Amounts are decimal text. */
export const Excess = z
  .object({
    limit: z.enum(['each', 'day']),
    allowed: z.string(),
    over: z.string(),
    /** The member's spending on that day so far. */
    spent: z.string().exactOptional(),
  })
  .readonly();
export type Excess = z.infer<typeof Excess>;

/** Returns how much an amount exceeds the limit per act; undefined if it does not. */
export function excessOfEach({ each }: Limit, total: Money): Excess | undefined {
  if (each === undefined || total.lte(money(each))) return undefined;
  return { limit: 'each', allowed: each, over: total.minus(money(each)).toFixed() };
}

/** Returns how much an amount exceeds the day's remaining budget; undefined if it does not. */
export function excessOfDay({ day }: Limit, total: Money, spent: Money): Excess | undefined {
  if (day === undefined) return undefined;
  const over = spent.plus(total).minus(money(day));
  return over.gt(0)
    ? { limit: 'day', allowed: day, over: over.toFixed(), spent: spent.toFixed() }
    : undefined;
}

const eachWords: Readonly<Record<Budget, string>> = {
  bonus: 'one bonus',
  positions: 'one restart or new campaign',
};

const dayWords: Readonly<Record<Budget, string>> = {
  bonus: 'bonuses',
  positions: 'restarts and new campaigns',
};

/** Returns which limit is exceeded and by how much, as a sentence about its holder. */
export function excessText(excess: Excess, budget: Budget, whose: 'your' | 'their'): string {
  const { limit, allowed, over, spent = '0' } = excess;
  const [most, much, already] = [allowed, over, spent].map((text) => formatMoney(money(text)));
  return limit === 'each'
    ? `It is ${much} over ${whose} limit of ${most} for ${eachWords[budget]}.`
    : `It is ${much} over ${whose} limit of ${most} a day for ${dayWords[budget]}; ${already} is already spent today.`;
}

/** Parses a typed limit: '' for none. Returns a plain-text problem if it is no amount. */
export function parseLimit(text: string): { readonly amount?: string } | { readonly problem: string } {
  if (text.trim() === '') return {};
  const read = readMoney(text);
  return 'amount' in read ? { amount: read.amount.toFixed() } : read;
}

/** Amounts are counted in the marketplace's smallest unit, in whole numbers, which Redis adds exactly. */
const unitsPerOne = 100_000;
/** The largest whole number that a script compares exactly. */
export const maxUnits = 9_007_199_254_740_991;

/** Returns an amount in units, rounded up, so that less than a unit is not free. */
export function unitsOf(amount: Money): string {
  const units = amount.times(unitsPerOne).round(0, Big.roundUp);
  return units.gt(maxUnits) ? String(maxUnits) : units.toFixed(0);
}

/** Returns the amount of a number of units. */
export function amountOf(units: string): Money {
  return money(units).div(unitsPerOne);
}

/** Names an act in the spending of a day: the field of its member's sum, and its own. The same id counts once. */
export function amountFields({
  member,
  budget,
  id,
}: {
  readonly member: MemberId;
  readonly budget: Budget;
  readonly id: string;
}) {
  return { memberField: `${budget} of ${member}`, idField: `reserved ${id}` };
}
