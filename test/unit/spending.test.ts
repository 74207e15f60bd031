import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costsTheSame, type SpendingAct, totalOf } from '../../src/domain/approval.ts';
import { fitsWire, money } from '../../src/domain/money.ts';
import type { Role } from '../../src/domain/permissions.ts';
import {
  bonusTotal,
  defaultLimits,
  excessOf,
  excessText,
  limitFor,
  parseLimit,
  positionsTotal,
  restartTotal,
  type SpendingLimits,
  unitsOf,
} from '../../src/domain/spending.ts';
import type { TaskEvent } from '../../src/domain/task.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { createSpending, type SpendingAnswer } from '../../src/features/people/spending.ts';
import { createAudit } from '../../src/store/audit.ts';
import { defaultTimeouts } from '../../src/store/leases.ts';
import { createApprovals, createSpendingStore, reservationMs } from '../../src/store/rights.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { decided, undone, waitingRow } from '../harness/waiting-row.ts';
import { audited } from './audited.ts';
import { forAll, forAllAsync } from './properties.ts';

/** An amount of the marketplace: at most five decimals, exactly. */
const units = fc.bigInt({ min: 0n, max: 10_000_000_000n });
const amountOf = (some: bigint) => money(some.toString()).div(100_000);

test('sums are exact, however many positions', () => {
  const count = fc.integer({ min: 1, max: 999_999_999 });
  forAll({ examples: [[10_000n, 3]] }, units, count, (payment, positions) => {
    const total = positionsTotal(amountOf(payment), positions);
    expect(total.times(100_000).toFixed(0)).toBe((payment * BigInt(positions)).toString());
    expect(fitsWire(total)).toBe(true);
    expect(restartTotal(amountOf(payment).toFixed(5), positions)?.eq(total)).toBe(true);
  });
});

test('sums of a bonus and a payment are exact', () => {
  forAll({ examples: [[10_000n, 20_000n]] }, units, units, (payment, bonus) => {
    const total = bonusTotal(amountOf(payment), amountOf(bonus));
    expect(total.times(100_000).toFixed(0)).toBe((payment + bonus).toString());
  });
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

test('what is over a limit is over by the exact difference', () => {
  forAll(units, units, units, (limit, spent, total) => {
    const { over } = excessOf(amountOf(limit), amountOf(total), amountOf(spent));
    expect(over).toBe(amountOf(spent + total - limit).toFixed());
  });
});

test('limits stand for whom they are for: an owner has none unless they are for owners too', () => {
  expect(limitFor(defaultLimits, 'owner', 'bonus')).toBeUndefined();
  expect(limitFor({ ...defaultLimits, areForOwners: true }, 'owner', 'bonus')).toEqual(money('20'));
  expect(limitFor(defaultLimits, 'manager', 'bonus')).toEqual(money('20'));
  expect(limitFor(defaultLimits, 'manager', 'positions')).toEqual(money('500'));
});

test('limits are said in words', () => {
  const day = { allowed: '20', over: '0.2', spent: '19.5' };
  expect(excessText(day, 'bonus', 'your')).toBe(
    'It is 0.20 over your limit of 20.00 a day for bonuses; 19.50 is already spent today.',
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
  const some = fc.array(fc.bigInt({ min: 1n, max: 60_000n }), { minLength: 1, maxLength: 8 });
  const examples: [bigint[]][] = [[[60_000n, 60_000n]], [[100n, 200n]]];
  await forAllAsync({ numRuns: 30, examples }, some, async (amounts) => {
    const [one, other] = [storeOf(), createSpendingStore(redis.second, 'UTC')];
    await redis.first.flushall();
    const reserve = (amount: bigint, index: number) =>
      (index % 2 ? one : other).reserve(ref, reservation(`${index}`), amountOf(amount), money('1'));
    const all = await Promise.all(amounts.map(reserve));
    const fitting = amounts.filter((_, index) => all[index]?.fits);
    const counted = fitting.reduce((sum, amount) => sum + amount, 0n);
    expect(counted <= 100_000n).toBe(true);
    expect((await storeOf().spent(ref, reservation('any'))).eq(amountOf(counted))).toBe(true);
  });
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

/** Of five hours before UTC: late in the evening there, it is the next day here. */
const zone = 'America/New_York';
const at = Date.UTC(2026, 10, 23, 4, 30);
const id = asId<TaskId>('t1');

const spending = () => createSpendingStore(redis.first, zone);
const tasksOf = () => createTasks(redis.second, undefined, () => at, undefined, zone);

const seen = waitingRow(id, asId('c1'), undefined, { readAt: at, want: 'card' });
const decides = (more: { approvedBy?: MemberId } = {}): TaskEvent => ({
  ...decided('d1', { by: ben, bonus: '0.3' }, at),
  ...more,
});
const sending: TaskEvent = { type: 'sending', decision: 'd1', attempt: 1, at, leaseUntil: at + 40_000 };

const reserve = () =>
  spending().reserve(ref, { member: ben, budget: 'bonus', id: 'd1', at }, money('0.3'), money('0.5'));
/** What counts long after every reservation has ended. */
const spentLater = async () =>
  (await spending().spent(ref, { member: ben, budget: 'bonus', at: at + reservationMs + 1 })).toFixed();

async function play(...events: TaskEvent[]): Promise<void> {
  for (const event of events) await tasksOf().apply(ref, id, event);
}

test('a bonus counts towards its author’s day in the step that stores its decision, once, though its reservation had ended, and however often that is delivered', async () => {
  await play(seen);
  // Nothing is reserved: the process stood still for too long.
  await play(decides(), decides());
  expect(await spentLater()).toBe('0.3');
});

test.each<[string, TaskEvent[]]>([
  ['undone', [undone('d1')]],
  ['refused', [sending, { type: 'refused', decision: 'd1', attempt: 1, problem: { text: 'no' } }]],
  ['overtaken', [sending, { type: 'overtaken', decision: 'd1', attempt: 1, rating: 'NOK', comment: '', at }]],
  [
    'overtaken, as a poll has found',
    [
      {
        ...{ ...seen, type: 'confirmed', rating: 'NOK', readAt: at + 60_000 },
        answer: { comment: 'by the website', slots: ['done'] },
      } as unknown as TaskEvent,
    ],
  ],
])(
  'a bonus counts towards its author’s day in the step that ends it: %s, it is taken off again, once',
  async (_, events) => {
    await play(seen);
    await reserve();
    await play(decides());
    expect(await spentLater()).toBe('0.3');
    await play(...events, ...events);
    expect(await spentLater()).toBe('0');
    // It fits again.
    expect((await reserve()).fits).toBe(true);
  },
);

test('a bonus counts towards its author’s day in the step that applies it: it stays', async () => {
  await play(seen);
  await reserve();
  await play(decides(), sending, { type: 'applied', decision: 'd1', at, answered: true });
  expect(await spentLater()).toBe('0.3');
});

/** The marketplace has applied the first attempt after all, and a second one was refused before that was known. */
const lateAnswer: TaskEvent[] = [
  sending,
  { type: 'outcome-unknown', decision: 'd1', attempt: 1, until: at },
  { ...sending, attempt: 2, at: at + 1 },
  { type: 'refused', decision: 'd1', attempt: 2, problem: { text: 'no' } },
  { type: 'applied', decision: 'd1', at: at + 2, answered: true },
];

test('a bonus counts towards its author’s day in the step that learns late that it was applied, though it was given back as refused: it counts again, once', async () => {
  await play(seen);
  await reserve();
  await play(decides(), ...lateAnswer.slice(0, -1));
  expect(await spentLater()).toBe('0');
  await play(...lateAnswer.slice(-1), ...lateAnswer.slice(-1));
  expect(await spentLater()).toBe('0.3');
  const more = { member: ben, budget: 'bonus', id: 'd2', at } as const;
  expect((await spending().reserve(ref, more, money('0.3'), money('0.5'))).fits).toBe(false);
});

test('a bonus counts towards its author’s day in the step that learns late that it was applied counts none that a manager has approved', async () => {
  await play(seen, decides({ approvedBy: asId<MemberId>('U1') }), ...lateAnswer);
  expect((await tasksOf().get(ref, id))?.decision?.state).toBe('applied');
  expect(await spentLater()).toBe('0');
});

test('a bonus counts towards its author’s day in the step that stores its decision, unless a manager has approved it', async () => {
  await play(seen, decides({ approvedBy: asId<MemberId>('U1') }), undone('d1'));
  expect(await spentLater()).toBe('0');
});

const member = (id: string) => asId<MemberId>(id);
const [owner, ben, cara] = ['owner', 'ben', 'cara'].map(member) as [MemberId, MemberId, MemberId];

const restart = (total: string, campaign = 'c1'): SpendingAct => ({
  ...{ kind: 'restart', campaign: asId(campaign), title: 'Shelf', positions: 1, payment: total, before: 0 },
});
const create = (total: string): SpendingAct => ({
  ...{ kind: 'create', title: 'Menu', positions: 1, payment: total, draft: 'd1', version: 1 },
});
const bonus = (total: string): SpendingAct => ({
  ...{ kind: 'bonus', campaign: asId('c1'), title: 'Shelf', task: asId('t1'), round: 1, worker: 'ines' },
  ...{ bonus: total, comment: '' },
});

/** An account in which these members have these roles; others who were given one do not have it any more. */
function accountWith(roles: Readonly<Record<string, Role>>, formerly: typeof roles = {}) {
  const approvals = createApprovals(redis.first);
  const spendingStore = createSpendingStore(redis.first, 'UTC');
  const given = Object.entries({ ...roles, ...formerly }).map(([id, role]) => ({
    to: { kind: 'member', id },
    role,
  }));
  const modules = onlyModules({
    people: {
      access: {
        roleIn: async ({ member: who }: { member: MemberId }) => ({ role: roles[who] }),
        ownersOf: async () => Object.keys(roles).filter((id) => roles[id] === 'owner'),
      },
      approvals,
      grants: { of: async () => ({ grants: given }) },
      slack: { admins: async () => ({ members: [] }) },
      spending: spendingStore,
    },
    audit: createAudit(redis.first),
    jobs: { add: async () => undefined, timeouts: defaultTimeouts },
    clock: { now: () => noon },
  });
  const spend = createSpending(modules);
  let acts = 0;
  /** Somebody spends, and what they spend is spent. */
  async function spends(by: MemberId, act: SpendingAct): Promise<SpendingAnswer['kind']> {
    acts += 1;
    const someone = { ...ref, team: ref.workspace, member: by, how: 'form' } as const;
    const answer = await spend.begin(someone, ref, act, { id: `act ${acts}`, at: noon });
    if (answer.kind === 'granted') await answer.keep();
    return answer.kind;
  }
  const step = createAudit(redis.first).step(ref, { what: 'set limits', by: owner });
  const setLimits = (limits: SpendingLimits) => spendingStore.setLimits(ref, limits, step);
  return { spends, setLimits, requests: () => approvals.all(ref) };
}

test.each([
  ['bonus', bonus('20'), bonus('0.00001'), { campaign: 'c1', task: 't1', round: 1 }],
  ['restart', restart('500'), restart('0.00001'), { campaign: 'c1', after: '1 positions' }],
  ['new campaign', create('500'), create('0.00001'), { after: 'Menu' }],
])('a manager may pay a %s up to the limit, and asks for more', async (_, most, more, about) => {
  const { spends, requests } = accountWith({ owner: 'owner', ben: 'manager' });
  expect(await spends(ben, most)).toBe('granted');
  expect(await requests()).toEqual([]);
  expect(await spends(ben, more)).toBe('asked');
  const [request, ...others] = await requests();
  expect([request, others]).toMatchObject([
    { by: ben, reason: { kind: 'limit', excess: { over: '0.00001' } } },
    [],
  ]);
  const entry = { what: 'ask approval', by: ben, how: 'form', act: request?.id, money: '0.00001', ...about };
  expect((await audited(redis.first, ref)).at(-1)).toEqual({ ...entry, at: expect.any(Number) });
});

test('restarts and new campaigns share a manager’s day; bonuses have their own, and so has each member', async () => {
  const { spends } = accountWith({ owner: 'owner', ben: 'manager', cara: 'manager' });
  expect(await spends(ben, restart('300'))).toBe('granted');
  expect(await spends(ben, create('200'))).toBe('granted');
  expect(await spends(ben, restart('0.00001'))).toBe('asked');
  for (let paid = 0; paid < 20; paid += 1) expect(await spends(ben, bonus('1'))).toBe('granted');
  expect(await spends(ben, bonus('0.00001'))).toBe('asked');
  expect(await spends(cara, create('500'))).toBe('granted');
  expect(await spends(cara, bonus('1'))).toBe('granted');
});

test('an owner has no limit but one that was set, and a limit that was left empty is none', async () => {
  const { spends, setLimits } = accountWith({ owner: 'owner', ben: 'manager', cara: 'owner' });
  const much = [restart('1000000'), create('1000000'), bonus('1000000')];
  for (const act of much) expect(await spends(owner, act)).toBe('granted');
  await setLimits({ areForOwners: true });
  for (const act of much) expect(await spends(ben, act)).toBe('granted');
  await setLimits({ positions: '3', areForOwners: false });
  for (const act of much) expect(await spends(owner, act)).toBe('granted');
  expect(await spends(ben, bonus('2.1'))).toBe('granted');
  await setLimits({ positions: '3', areForOwners: true });
  expect(await spends(cara, bonus('2'))).toBe('granted');
  expect(await spends(cara, restart('3'))).toBe('granted');
  expect(await spends(cara, create('0.1'))).toBe('asked');
});

test.each<Role>(['viewer', 'reviewer'])('a %s asks for the smallest amount', async (role) => {
  const { spends, requests } = accountWith({ owner: 'owner', ben: role });
  for (const act of [restart('0.00001'), create('0.00001'), bonus('0.00001')])
    expect(await spends(ben, act)).toBe('asked');
  for (const request of await requests()) expect(request.reason).toEqual({ kind: 'role', role });
});

test('who has no role at all may not even ask', async () => {
  const { spends, requests } = accountWith({ owner: 'owner' });
  await expect(spends(ben, bonus('0.1'))).rejects.toThrow('not allowed');
  expect(await requests()).toEqual([]);
});

test('ten at most are asked, owners first, never whoever asks; a request lasts for a day', async () => {
  const managers = Array.from({ length: 12 }, (_, index) => [`m${index}`, 'manager'] as const);
  const roles = { ...Object.fromEntries(managers), owner: 'owner', ben: 'viewer' } as const;
  const { spends, requests } = accountWith(roles);
  expect(await spends(member('m0'), restart('501'))).toBe('asked');
  const [request] = await requests();
  expect(request?.asked).toEqual([owner, ...Array.from({ length: 9 }, (_, at) => `m${at + 1}`)]);
  expect(request?.until).toBe(noon + 24 * 3_600_000);
});

test('what nobody else can approve is refused, and nobody is asked', async () => {
  const { spends, requests } = accountWith({ ben: 'manager', cara: 'reviewer' }, { dan: 'manager' });
  expect(await spends(ben, restart('501'))).toBe('refused');
  expect(await requests()).toEqual([]);
});

test('of two who ask for the same at once, one request is made', async () => {
  const { spends, requests } = accountWith({ owner: 'owner', ben: 'reviewer', cara: 'reviewer' });
  const answers = await Promise.all([spends(ben, restart('1')), spends(cara, restart('2'))]);
  expect(answers).toEqual(['asked', 'asked']);
  expect(await requests()).toHaveLength(1);
  await spends(cara, restart('2', 'c2'));
  expect(await requests()).toHaveLength(2);
});
