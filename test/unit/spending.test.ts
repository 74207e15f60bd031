import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costsTheSame, type SpendingAct, totalOf } from '../../src/domain/approval.ts';
import { fitsWire, money } from '../../src/domain/money.ts';
import {
  bonusTotal,
  defaultLimits,
  excessOfDay,
  excessOfEach,
  excessText,
  limitFor,
  parseLimit,
  positionsTotal,
  restartTotal,
  unitsOf,
} from '../../src/domain/spending.ts';
import type { MemberId } from '../../src/domain/terms.ts';
import { createSpendingStore, reservationMs } from '../../src/store/rights.ts';
import { asId, ref } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

/** An amount of the marketplace: at most five decimals, exactly. */
const units = fc.bigInt({ min: 0n, max: 10_000_000_000n });
const amountOf = (some: bigint) => money(some.toString()).div(100_000);

test('sums are exact, however many positions', () => {
  fc.assert(
    fc.property(units, fc.integer({ min: 1, max: 999_999_999 }), (payment, positions) => {
      const total = positionsTotal(amountOf(payment), positions);
      expect(total.times(100_000).toFixed(0)).toBe((payment * BigInt(positions)).toString());
      expect(fitsWire(total)).toBe(true);
      expect(restartTotal(amountOf(payment).toFixed(5), positions)?.eq(total)).toBe(true);
    }),
    { examples: [[10_000n, 3]] },
  );
});

test('sums of a bonus and a payment are exact', () => {
  fc.assert(
    fc.property(units, units, (payment, bonus) => {
      const total = bonusTotal(amountOf(payment), amountOf(bonus));
      expect(total.times(100_000).toFixed(0)).toBe((payment + bonus).toString());
    }),
    { examples: [[10_000n, 20_000n]] },
  );
});

test('sums are not known when the marketplace gives no decimal', () => {
  expect(restartTotal('', 3)).toBeUndefined();
  expect(restartTotal('a little', 3)).toBeUndefined();
});

test('sums of what was asked for are those of the payment at that time', () => {
  const restart = { kind: 'restart', campaign: asId<never>('c1'), title: 'A', before: 1 } as const;
  const act: SpendingAct = { ...restart, positions: 3, payment: '0.1' };
  expect(totalOf(act)).toBe('0.3');
  expect(costsTheSame(act, { ...act, payment: '0.10000', before: 9 })).toBe(true);
  expect(costsTheSame(act, { ...act, payment: '0.2' })).toBe(false);
});

test('sums of a bonus are those of the payment that it is added to as well', () => {
  const act: SpendingAct = {
    ...{ kind: 'bonus', campaign: asId('c1'), title: 'A', task: asId('t1'), round: 1, worker: 'Mia' },
    ...{ bonus: '0.3', payment: '0.6', comment: '' },
  };
  expect(costsTheSame(act, { ...act, payment: '0.60000' })).toBe(true);
  expect(costsTheSame(act, { ...act, payment: '0.7' })).toBe(false);
});

test('sums smaller than the marketplace’s smallest unit count as one, not as nothing', () => {
  expect(unitsOf(money('0.000001'))).toBe('1');
});

test('what is over a limit is over by the difference, and never by nothing', () => {
  fc.assert(
    fc.property(units, units, units, (limit, spent, total) => {
      const limits = { each: amountOf(limit).toFixed(), day: amountOf(limit).toFixed() };
      const each = excessOfEach(limits, amountOf(total));
      expect(each?.over).toBe(total > limit ? amountOf(total - limit).toFixed() : undefined);
      const day = excessOfDay(limits, amountOf(total), amountOf(spent));
      expect(day?.over).toBe(spent + total > limit ? amountOf(spent + total - limit).toFixed() : undefined);
    }),
    {
      examples: [
        [5n, 3n, 2n],
        [5n, 3n, 3n],
      ],
    },
  );
});

test('no limit is nothing to be over', () => {
  expect(excessOfEach({}, money('1000000'))).toBeUndefined();
  expect(excessOfDay({}, money('1000000'), money('1000000'))).toBeUndefined();
});

test('limits stand for whom they are for: an owner has none unless they are for owners too, a reviewer spends nothing', () => {
  expect(limitFor(defaultLimits, 'owner', 'bonus')).toEqual({});
  expect(limitFor(defaultLimits, 'owner', 'positions')).toEqual({});
  const forAll = { ...defaultLimits, areForOwners: true };
  expect(limitFor(forAll, 'owner', 'bonus')).toEqual({ each: '1', day: '20' });
  expect(limitFor(defaultLimits, 'manager', 'bonus')).toEqual({ each: '1', day: '20' });
  expect(limitFor(defaultLimits, 'manager', 'positions')).toEqual({ each: '500', day: '1000' });
  expect(() => limitFor(defaultLimits, 'reviewer', 'bonus')).toThrow(RangeError);
});

test('limits are said in words', () => {
  const day = { limit: 'day', allowed: '20', over: '0.2', spent: '19.5' } as const;
  expect(excessText(day, 'bonus', 'your')).toBe(
    'It is 0.20 over your limit of 20.00 a day for bonuses; 19.50 is already spent today.',
  );
  expect(excessText({ limit: 'each', allowed: '500', over: '100' }, 'positions', 'their')).toBe(
    'It is 100.00 over their limit of 500.00 for one restart or new campaign.',
  );
});

test('limits are read as they are typed', () => {
  expect(parseLimit(' ')).toEqual({});
  expect(parseLimit('0,50')).toEqual({ amount: '0.5' });
  for (const refused of ['0.000001', '-1', '1,000'])
    expect(parseLimit(refused)).toEqual({ problem: expect.any(String) });
});

const ann = asId<MemberId>('U1');
const noon = Date.UTC(2026, 10, 22, 12);
const redis = twoRedisClients();
const storeOf = () => createSpendingStore(redis.first, 'UTC');

const reservation = (id: string, at = noon) => ({ member: ann, budget: 'bonus', id, at }) as const;

type Reservation = Parameters<ReturnType<typeof storeOf>['reserve']>[1];
/** Returns whether this much more fits into a limit of 1 a day. */
const fits = async (about: Reservation, amount: string, store = storeOf()) =>
  (await store.reserve(ref, about, money(amount), money('1'))).fits;
const spent = async (about: Reservation) => (await storeOf().spent(ref, about)).toFixed();

test('however many ask at once, the limit holds, and what fits is counted to the last unit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.bigInt({ min: 1n, max: 60_000n }), { minLength: 1, maxLength: 8 }),
      async (amounts) => {
        const [one, other] = [storeOf(), createSpendingStore(redis.second, 'UTC')];
        await redis.first.flushall();
        const reserve = (amount: bigint, index: number) =>
          (index % 2 ? one : other).reserve(ref, reservation(`${index}`), amountOf(amount), money('1'));
        const all = await Promise.all(amounts.map(reserve));
        const fitting = amounts.filter((_, index) => all[index]?.fits);
        const counted = fitting.reduce((sum, amount) => sum + amount, 0n);
        expect(counted <= 100_000n).toBe(true);
        expect((await storeOf().spent(ref, reservation('any'))).eq(amountOf(counted))).toBe(true);
      },
    ),
    { numRuns: 30, examples: [[[60_000n, 60_000n]], [[100n, 200n]]] },
  );
});

test('what a member spends counts an act once however often it is asked, and gives it back once', async () => {
  const same = reservation('same');
  for (const _ of [1, 2]) expect(await fits(same, '0.6')).toBe(true);
  expect(await spent(same)).toBe('0.6');
  for (const _ of [1, 2]) await storeOf().giveBack(ref, same);
  expect(await spent(same)).toBe('0');
  expect(await fits(reservation('next'), '1')).toBe(true);
});

test('a day of spending ends at midnight of the marketplace', async () => {
  const there = createSpendingStore(redis.first, 'America/New_York');
  const lateThere = Date.UTC(2026, 10, 23, 4, 59);
  await fits(reservation('a'), '1', there);
  await there.keep(ref, reservation('a'));
  expect(await fits(reservation('b', lateThere), '0.1', there)).toBe(false);
  expect(await fits(reservation('b', lateThere + 60_000), '0.1', there)).toBe(true);
});

test('what a member spends on a day is each member’s own, and so is what they spend on bonuses and on positions', async () => {
  const mine = reservation('mine');
  const ofBen = { ...mine, id: 'a', member: asId<MemberId>('U2') };
  const positions = { ...mine, id: 'b', budget: 'positions' as const };
  for (const one of [mine, ofBen, positions]) expect(await fits(one, '1')).toBe(true);
  expect(await fits(reservation('more'), '0.1')).toBe(false);
});

test('what a process reserved that then died ends after ten minutes; what is kept stays', async () => {
  expect(reservationMs).toBe(600_000);
  const store = storeOf();
  await fits(reservation('died'), '0.6');
  await fits(reservation('kept'), '0.3');
  await store.keep(ref, reservation('kept'));
  const later = reservation('next', noon + reservationMs);
  expect(await fits({ ...later, at: later.at - 1 }, '0.6')).toBe(false);
  expect(await fits(later, '0.6')).toBe(true);
  expect(await spent(later)).toBe('0.9');
  // Somebody who gives it back too late takes nothing off again.
  await store.giveBack(ref, reservation('died'));
  expect(await spent(later)).toBe('0.9');
});

test('amounts that no account has do not break it', async () => {
  const store = storeOf();
  const huge = money('1e30');
  expect((await store.reserve(ref, reservation('a'), huge, money('1'))).fits).toBe(false);
  for (const id of ['b', 'c'])
    expect((await store.reserve(ref, reservation(id), huge, undefined)).fits).toBe(true);
  for (const id of ['b', 'c']) await store.giveBack(ref, reservation(id));
  expect(await spent(reservation('a'))).toBe('0');
});
