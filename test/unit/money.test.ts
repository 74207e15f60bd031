import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitsWire, money, wireMoney } from '../../src/domain/money.ts';

test('an amount goes to the marketplace as it is, never rounded', () => {
  const decimal = fc.tuple(fc.nat(1_000_000), fc.stringMatching(/^\d{1,12}$/));
  fc.assert(
    fc.property(decimal, ([whole, fraction]) => {
      const amount = money(`${whole}.${fraction}`);
      expect(money(wireMoney(amount)).eq(amount)).toBe(true);
      expect(fitsWire(amount)).toBe(fraction.replace(/0+$/, '').length <= 5);
    }),
    {
      examples: [[[0, '0512345']], [[0, '05000']], [[1, '000000']]],
    },
  );
  expect(wireMoney(money('0.05'))).toBe('0.05000');
  expect(wireMoney(money('0.0512345'))).toBe('0.0512345');
});
