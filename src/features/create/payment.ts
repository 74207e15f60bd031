import { formatMoney, type Money, money, readMoney } from '../../domain/money.ts';
import { positionsTotal } from '../../domain/spending.ts';
import { inline } from '../../slack/mrkdwn.ts';
import type { Category } from './catalogue.ts';

/** More than anybody pays for a task; it also keeps totals readable. */
const mostPayment = money(1_000_000);

/** Parses a whole number above 0. Returns undefined for anything else, and for more than 9 digits. */
export function parseWholeNumber(typed: string): number | undefined {
  const value = /^\d{1,9}$/u.test(typed.trim()) ? Number(typed) : 0;
  return value > 0 ? value : undefined;
}

/** Parses a payment per task. Returns an error sentence if invalid. */
export function parsePayment(typed: string): { readonly amount: Money } | { readonly problem: string } {
  const read = readMoney(typed);
  if ('problem' in read) return read;
  if (read.amount.lte(0)) return { problem: 'A task must pay more than 0.' };
  if (read.amount.gt(mostPayment)) {
    return { problem: 'A task can pay 1,000,000 at most. Enter a smaller amount.' };
  }
  return read;
}

/** Returns a category's minimums in ascending order. */
function ascending({ minimums }: Category) {
  return minimums
    .map(({ zone, payment }) => ({ zone: inline(zone, 40), least: money(payment) }))
    .sort((a, b) => a.least.cmp(b.least));
}

/**
 * Returns why a payment is too low for every zone, or undefined if it reaches one. new_campaign has no zone field ("must
 * reach the category minimum for the zone"), so only the marketplace can check individual zones.
 */
export function belowMinimum(category: Category, payment: Money): string | undefined {
  const [lowest] = ascending(category);
  return lowest && payment.lt(lowest.least)
    ? `The minimum for this category is ${formatMoney(lowest.least)} per task, in the zone ${lowest.zone}. Enter at least that.`
    : undefined;
}

/** Maximum number of zones whose minimums are listed. */
const maxZones = 8;

/** Returns the lowest minimum payments by zone, in mrkdwn, marking those above the payment. */
export function minimumsLine(category: Category, typedPayment: string): string {
  const zones = ascending(category);
  if (zones.length === 0) return 'The marketplace gives no minimum payment for this category.';
  const payment = parsePayment(typedPayment);
  const line = zones
    .slice(0, maxZones)
    .map(({ zone, least }) => {
      const amount = `${zone} ${formatMoney(least)}`;
      return 'amount' in payment && payment.amount.lt(least) ? `*${amount} (not reached)*` : amount;
    })
    .join(' · ');
  const highest = zones.at(-1);
  const rest = zones.length - maxZones;
  const more = rest > 0 && highest ? ` · and ${rest} more, up to ${formatMoney(highest.least)}` : '';
  return `Minimum payment per task by zone: ${line}${more}`;
}

/** Returns the total cost of all positions; undefined if a field is missing or wrong. */
export function costOf(typedPositions: string, typedPayment: string): Money | undefined {
  const positions = parseWholeNumber(typedPositions);
  const payment = parsePayment(typedPayment);
  return positions === undefined || 'problem' in payment
    ? undefined
    : positionsTotal(payment.amount, positions);
}

/** Returns the total cost of all positions, or what is missing to calculate it. */
export function costLine(typedPositions: string, typedPayment: string): string {
  const positions = parseWholeNumber(typedPositions);
  const payment = parsePayment(typedPayment);
  if (typedPayment !== '' && 'problem' in payment) return payment.problem;
  if (positions === undefined || !('amount' in payment))
    return 'Enter positions and payment to see the total cost.';
  const total = positionsTotal(payment.amount, positions);
  return `Total cost: ${positions.toLocaleString('en')} × ${formatMoney(payment.amount)} = *${formatMoney(total)}*, fees not included`;
}
