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

/** What each manager may spend in an account on a day without approval; an absent value means no limit. */
export const SpendingLimits = z
  .object({
    bonus: Amount.exactOptional(),
    positions: Amount.exactOptional(),
    /** Whether owners have the same limits, instead of none. */
    areForOwners: z.boolean(),
  })
  .readonly();
export type SpendingLimits = z.infer<typeof SpendingLimits>;

/** Limits of an account whose owners have set none. */
export const defaultLimits: SpendingLimits = {
  bonus: '20',
  positions: '500',
  areForOwners: false,
};

/** Returns the limit of a role that may spend, for a day; undefined if it has none. */
export function limitFor(limits: SpendingLimits, role: Role, budget: Budget): Money | undefined {
  const limit = role === 'owner' && !limits.areForOwners ? undefined : limits[budget];
  return limit === undefined ? undefined : money(limit);
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

/** How much a day's limit is exceeded. Amounts are decimal text. */
export const Excess = z
  .object({
    allowed: z.string(),
    over: z.string(),
    /** The member's spending on that day so far. */
    spent: z.string(),
  })
  .readonly();
export type Excess = z.infer<typeof Excess>;

/** Returns how much an amount exceeds what is left of a day's limit. */
export function excessOf(limit: Money, total: Money, spent: Money): Excess {
  const over = spent.plus(total).minus(limit);
  return { allowed: limit.toFixed(), over: over.toFixed(), spent: spent.toFixed() };
}

const dayWords: Readonly<Record<Budget, string>> = {
  bonus: 'bonuses',
  positions: 'restarts and new campaigns',
};

/** Returns by how much a limit is exceeded, as a sentence about its holder. */
export function excessText(excess: Excess, budget: Budget, whose: 'your' | 'their'): string {
  const { allowed, over, spent } = excess;
  const [most, much, already] = [allowed, over, spent].map((text) => formatMoney(money(text)));
  return `It is ${much} over ${whose} limit of ${most} a day for ${dayWords[budget]}; ${already} is already spent today.`;
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
