import Big from 'big.js';

/** An amount of money, exact to the last decimal. */
export type Money = Big;

/** Reads decimal text or a number. Throws RangeError when it is no finite decimal. */
export function money(value: string | number | Big): Money {
  try {
    return new Big(typeof value === 'string' ? value.trim() : value);
  } catch {
    throw new RangeError(`not an amount of money: ${String(value).slice(0, 40)}`);
  }
}

/** Writes an amount as the API does: with five decimals. */
export const wireMoney = (amount: Money): string => amount.toFixed(5);

/** The least and the most bonus that a payment per task allows ("Limits" of the API). */
export const bonusRange = (payment: Money) => ({ min: payment.times('0.1'), max: payment.times(2) });
