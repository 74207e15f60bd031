import { z } from 'zod';
import { fitsWire, formatMoney, type Money, money, tryMoney } from './money.ts';
import type { Role } from './permissions.ts';

/** What a member spends the account's money on. */
export type Spending = 'bonus' | 'restart' | 'create';

/** What is limited together: bonuses; and positions, by a restart or in a new campaign. */
export const budgets = ['bonus', 'positions'] as const;
export type Budget = (typeof budgets)[number];

/** Returns the budget that something counts towards. */
export function budgetOf(spending: Spending): Budget {
  return spending === 'bonus' ? 'bonus' : 'positions';
}

/** A limit as it is stored: decimal text. */
const Amount = z.string().refine((text) => tryMoney(text) !== undefined);

/** Limits of one budget; what is absent has no limit. */
const Limit = z.object({ each: Amount.exactOptional(), day: Amount.exactOptional() }).readonly();
export type Limit = z.infer<typeof Limit>;

const RoleLimits = z.object({ bonus: Limit, positions: Limit }).readonly();

/** The roles that may spend without asking, up to their limits. */
export const spendingRoles = ['manager', 'owner'] as const satisfies readonly Role[];
export type SpendingRole = (typeof spendingRoles)[number];

/** What each role may spend in an account without asking: each time, and each member of it in a day. */
export const SpendingLimits = z.object({ manager: RoleLimits, owner: RoleLimits }).readonly();
export type SpendingLimits = z.infer<typeof SpendingLimits>;

/** The limits of an account whose owners have set none. */
export const defaultLimits: SpendingLimits = {
  manager: { bonus: { each: '1', day: '20' }, positions: { each: '500', day: '1000' } },
  owner: { bonus: {}, positions: {} },
};

/** Returns the limit that holds for a role. Throws RangeError for one that may not spend at all. */
export function limitFor(limits: SpendingLimits, role: Role, budget: Budget): Limit {
  if (role !== 'manager' && role !== 'owner') throw new RangeError(`${role} spends nothing`);
  return limits[role][budget];
}

/** Returns what positions cost; fees are not included, since the marketplace tells none. */
export function positionsTotal(payment: Money, positions: number): Money {
  return payment.times(positions);
}

/** Returns what a restart costs; undefined when the marketplace gives a payment that is no decimal. */
export function restartTotal(paymentPerTask: string, positions: number): Money | undefined {
  const payment = tryMoney(paymentPerTask);
  return payment && positionsTotal(payment, positions);
}

/** Returns what an accepted task with a bonus costs. */
export function bonusTotal(payment: Money, bonus: Money): Money {
  return payment.plus(bonus);
}

/** By how much something is over a limit. Amounts are decimal text. */
export const Excess = z
  .object({
    limit: z.enum(['each', 'day']),
    allowed: z.string(),
    over: z.string(),
    /** What the member has spent that day already. */
    spent: z.string().exactOptional(),
  })
  .readonly();
export type Excess = z.infer<typeof Excess>;

/** Returns by how much an amount is over the limit for one act; undefined when it is not. */
export function excessOfEach({ each }: Limit, total: Money): Excess | undefined {
  if (each === undefined || total.lte(money(each))) return undefined;
  return { limit: 'each', allowed: each, over: total.minus(money(each)).toFixed() };
}

/** Returns by how much an amount is over what is left of the day; undefined when it is not. */
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

/** Returns which limit something is over and by how much, as a sentence about whoever has the limit. */
export function excessText(excess: Excess, budget: Budget, whose: 'your' | 'their'): string {
  const { limit, allowed, over, spent = '0' } = excess;
  const [most, much, already] = [allowed, over, spent].map((text) => formatMoney(money(text)));
  return limit === 'each'
    ? `It is ${much} over ${whose} limit of ${most} for ${eachWords[budget]}.`
    : `It is ${much} over ${whose} limit of ${most} a day for ${dayWords[budget]}: ${already} is spent today already.`;
}

/** Returns a limit that somebody typed: '' for none; undefined when it is no amount that the marketplace knows. */
export function parseLimit(text: string): { readonly amount?: string } | undefined {
  if (text.trim() === '') return {};
  const amount = tryMoney(text);
  return amount !== undefined && fitsWire(amount) ? { amount: amount.toFixed() } : undefined;
}
