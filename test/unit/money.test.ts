import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editableMoney, fitsWire, formatMoney, money, readMoney, wireMoney } from '../../src/domain/money.ts';
import { forAll } from './properties.ts';

test('an amount goes to the marketplace as it is, never rounded', () => {
  const decimal = fc.tuple(fc.nat(1_000_000), fc.stringMatching(/^\d{1,12}$/));
  forAll({ examples: [[[0, '0512345']], [[0, '05000']], [[1, '000000']]] }, decimal, ([whole, fraction]) => {
    const amount = money(`${whole}.${fraction}`);
    expect(money(wireMoney(amount)).eq(amount)).toBe(true);
    expect(fitsWire(amount)).toBe(fraction.replace(/0+$/, '').length <= 5);
  });
  expect(wireMoney(money('0.05'))).toBe('0.05000');
  expect(wireMoney(money('0.0512345'))).toBe('0.0512345');
});

const read = (typed: string) => {
  const found = readMoney(typed);
  return 'amount' in found ? found.amount.toFixed() : found.problem;
};

test.each([
  ['12', '12'],
  ['0.05', '0.05'],
  ['0,05', '0.05'],
  [' .05 ', '0.05'],
  [',5', '0.5'],
  ['0,500', '0.5'],
  ['0.125', '0.125'],
  ['1.1250', '1.125'],
  ['1000,000', '1000'],
  ['1,000.50', '1000.5'],
  ['1.000,50', '1000.5'],
  ['1,000,000', '1000000'],
  ['1 000', '1000'],
  ['1\u202f000,5', '1000.5'],
  ['1’000.50', '1000.5'],
])('the amount %j is read as %s', (typed, amount) => {
  expect(read(typed)).toBe(amount);
});

test.each([
  ['1,000', '1000.00 or 1.00'],
  ['1.000', '1000.00 or 1.00'],
  ['12,345', '12345.00 or 12.3450'],
])('the amount %j can mean two sums, so both are named and neither is taken', (typed, both) => {
  expect(read(typed)).toBe(`“${typed}” can mean ${both}. Enter the one you mean.`);
});

test('each reading that is offered, and each amount that a form is filled in with, is read as that amount', () => {
  forAll({ examples: [[1125, 3]] }, fc.nat(10_000_000), fc.integer({ min: 0, max: 5 }), (units, decimals) => {
    const amount = money(units).div(10 ** decimals);
    expect(read(editableMoney(amount))).toBe(amount.toFixed());
    const problem = read(formatMoney(amount)).match(/can mean (\S+) or (\S+)\. /);
    for (const reading of problem?.slice(1) ?? []) expect(read(reading)).toMatch(/^[\d.]+$/);
  });
});

const noAmounts = ['', ' ', '.', '-1', '1e3', '0,05€', '€5', '1.2.3', '1,00,000', '1 00', 'NaN', '∞', '٣'];
test.each([...noAmounts, '9'.repeat(50)])('the amount %j is not one', (typed) => {
  expect(read(typed)).toBe('Enter the amount as a number such as 1250.50 or 0.05, without a currency sign.');
});

test('an amount with more decimals than the marketplace has is not taken', () => {
  expect(read('0.000001')).toBe('Use at most five decimal places.');
});
