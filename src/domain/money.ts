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

/** Parses a decimal of the marketplace or of ours; undefined if it is none. {@link readMoney} is for what people type. */
export function tryMoney(value: string): Money | undefined {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? money(value) : undefined;
}

const plainForm = /^(\d*)(?:[.,](\d+))?$/u;
const groupedForm = /^([1-9]\d{0,2}(?:([.,'’\s])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/u;
const mostCharacters = 40;

/**
 * Reads an amount as people type it: `0.05`, `0,05`, `.05`, `1,000.50`, `1 000`. Returns a plain-text problem for
 * anything else, and for `1,000` and `1.000`, which mean a thousand to some and one to others.
 */
export function readMoney(typed: string): { readonly amount: Money } | { readonly problem: string } {
  const text = typed.trim().slice(0, mostCharacters + 1);
  const plain = decimalOf(plainForm.exec(text)?.slice(1));
  const [whole, , fraction] = groupedForm.exec(text)?.slice(1) ?? [];
  const grouped = decimalOf([whole?.replace(/\D/gu, ''), fraction]);
  if (plain && grouped) {
    return {
      problem: `“${text}” can mean ${editableMoney(grouped)} or ${editableMoney(plain)}. Enter the one you mean.`,
    };
  }
  const amount = plain ?? grouped;
  if (amount === undefined || text.length > mostCharacters) return { problem: noAmount };
  return fitsWire(amount) ? { amount } : { problem: tooPrecise };
}

function decimalOf([whole, fraction]: readonly (string | undefined)[] = []): Money | undefined {
  return whole || fraction ? money(`${whole || '0'}.${fraction ?? '0'}`) : undefined;
}

const noAmount = 'Enter the amount as a number such as 1250.50 or 0.05, without a currency sign.';
const tooPrecise = 'Use at most five decimal places.';

/** Formats an amount for people: trailing zeros trimmed to two decimals. `0.05000` → `0.05`. */
export function formatMoney(amount: Money): string {
  const [whole = '0', fraction = ''] = amount.toFixed().split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** Formats an amount for an input. It never has three decimals, because `1.125` could be read as a thousand. */
export function editableMoney(amount: Money): string {
  return formatMoney(amount).replace(/\.\d{3}$/u, '$&0');
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
