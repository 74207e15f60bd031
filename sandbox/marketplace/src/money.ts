import Big from 'big.js';

/** An amount of money: always an exact decimal, never a float. */
export type Money = Big;

/** Parses `0.05000`, `12` or a number. Throws if it is not a decimal. */
export function money(value: string | number): Money {
  return new Big(value);
}

/** Returns the amount as the API writes it: five decimals ("Conventions"). */
export function formatMoney(amount: Money): string {
  return amount.toFixed(5);
}

/** Returns the smallest and the largest bonus that a payment allows ("Limits"). */
export function bonusRange(paymentPerTask: Money): { min: Money; max: Money } {
  return { min: paymentPerTask.times('0.1'), max: paymentPerTask.times(2) };
}
