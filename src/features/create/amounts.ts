import { formatMoney, type Money, money, tryMoney } from '../../domain/money.ts';
import { inline } from '../../slack/mrkdwn.ts';
import type { Category } from './catalogue.ts';

/** More than anybody pays for a task; it also keeps the sums readable. */
const mostPayment = money(1_000_000);

/** A whole number above 0, as typed; undefined when it is none or has more than 9 digits. */
export function wholeNumber(typed: string): number | undefined {
  const value = /^\d{1,9}$/u.test(typed.trim()) ? Number(typed) : 0;
  return value > 0 ? value : undefined;
}

/** What a task pays, as typed; or what is wrong with it, as a sentence. */
export function readPayment(typed: string): { readonly amount: Money } | { readonly problem: string } {
  const amount = typed.length > 40 ? undefined : tryMoney(typed);
  if (amount === undefined) return { problem: 'Enter what a task pays as a decimal, such as 0.05.' };
  if (amount.lte(0)) return { problem: 'A task must pay more than 0.' };
  if (amount.gt(mostPayment))
    return { problem: 'A task can pay 1,000,000 at the most. Enter a smaller amount.' };
  if (!amount.round(5).eq(amount)) {
    return { problem: 'The marketplace counts with five decimals at the most. Shorten the amount.' };
  }
  return { amount };
}

/** The minimums of a category, the smallest first. */
function ascending({ minimums }: Category) {
  return minimums
    .map(({ zone, payment }) => ({ zone: inline(zone, 40), least: money(payment) }))
    .sort((a, b) => a.least.cmp(b.least));
}

/**
 * Why a payment is too low for every zone; undefined when it reaches one. new_campaign has no field for the zone ("must
 * reach the category minimum for the zone"), so what is too low for some zones only is left to the marketplace.
 */
export function tooLow(category: Category, payment: Money): string | undefined {
  const [lowest] = ascending(category);
  return lowest && payment.lt(lowest.least)
    ? `The least that this category pays is ${formatMoney(lowest.least)} per task, in the zone ${lowest.zone}. Enter at least that.`
    : undefined;
}

/** The least payment in each zone, in mrkdwn, and which of them the payment does not reach. */
export function minimumsLine(category: Category, typedPayment: string): string {
  const zones = ascending(category);
  if (zones.length === 0) return 'The marketplace names no minimum payment for this category.';
  const read = readPayment(typedPayment);
  const line = zones
    .map(({ zone, least }) => {
      const amount = `${zone} ${formatMoney(least)}`;
      return 'amount' in read && read.amount.lt(least) ? `*${amount} (not reached)*` : amount;
    })
    .join(' · ');
  return `Least payment per task in each zone: ${line}`;
}

/** What all positions cost together, or what is missing to say it. */
export function costLine(typedPositions: string, typedPayment: string): string {
  const positions = wholeNumber(typedPositions);
  const read = readPayment(typedPayment);
  if (typedPayment !== '' && 'problem' in read) return read.problem;
  if (positions === undefined || !('amount' in read))
    return 'The total cost shows here: positions × payment.';
  const total = read.amount.times(positions);
  return `Total cost: ${positions.toLocaleString('en')} × ${formatMoney(read.amount)} = *${formatMoney(total)}*`;
}
