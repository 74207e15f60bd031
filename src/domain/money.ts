import Big from 'big.js';

/**
 * An amount of money: always an exact decimal, never a float. Five decimals are the marketplace's own precision
 * ("Conventions" of its API).
 */
export type Money = Big;

/** Parses `0.05000`, `12` or a number. Throws RangeError when it is no finite decimal. */
export function money(value: string | number | Big): Money {
  try {
    return new Big(typeof value === 'string' ? value.trim() : value);
  } catch {
    throw new RangeError(`not an amount of money: ${String(value).slice(0, 40)}`);
  }
}

/** Parses typed text, with a point or a comma; undefined if it is no decimal. */
export function tryMoney(value: string): Money | undefined {
  return /^\s*\d+(?:[.,]\d+)?\s*$/.test(value) ? money(value.replace(',', '.')) : undefined;
}

/** Formats an amount for people: trailing zeros trimmed to two decimals. `0.05000` → `0.05`. */
export function formatMoney(amount: Money): string {
  const [whole = '0', fraction = ''] = amount.toFixed().split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** Maximum number of decimals at the marketplace. */
const wireDecimals = 5;

/** Returns whether the marketplace accepts an amount unchanged: with at most five decimals. */
export function fitsWire(amount: Money): boolean {
  return amount.round(wireDecimals).eq(amount);
}

/** Formats an amount for the marketplace: five decimals. Amounts with more are never rounded, but sent unchanged. */
export function wireMoney(amount: Money): string {
  return fitsWire(amount) ? amount.toFixed(wireDecimals) : amount.toFixed();
}

/**
 * Returns the bonus range for a task's payment: payment_per_task × 0.1 to payment_per_task × 2 ("Limits" of the
 * marketplace API).
 */
export function bonusRange(paymentPerTask: Money): { min: Money; max: Money } {
  return { min: paymentPerTask.times('0.1'), max: paymentPerTask.times(2) };
}
