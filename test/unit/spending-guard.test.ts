import { expect, test } from 'vitest';
import type { SpendingAct } from '../../src/domain/approval.ts';
import type { Role } from '../../src/domain/permissions.ts';
import type { SpendingLimits } from '../../src/domain/spending.ts';
import { defaultLimits } from '../../src/domain/spending.ts';
import type { MemberId } from '../../src/domain/terms.ts';
import type { SpendingAnswer } from '../../src/kit/spending.ts';
import { createSpending } from '../../src/kit/spending.ts';
import { createAudit } from '../../src/store/audit.ts';
import { defaultTimeouts } from '../../src/store/leases.ts';
import { createApprovals, createSpendingStore } from '../../src/store/rights.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const at = Date.UTC(2026, 10, 22, 12);
const redis = redisPerFile();
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

/** An account in which these members have these roles. */
function accountWith(roles: Readonly<Record<string, Role>>) {
  const approvals = createApprovals(redis());
  const spendingStore = createSpendingStore(redis(), 'UTC');
  const given = Object.entries(roles).map(([id, role]) => ({ to: { kind: 'member', id }, role }));
  const spend = createSpending(
    onlyModules({
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
      audit: createAudit(redis()),
      jobs: { add: async () => undefined, timeouts: defaultTimeouts },
      clock: { now: () => at },
    }),
  );
  let acts = 0;
  /** Somebody spends, and what they spend is spent. */
  async function spends(by: MemberId, act: SpendingAct): Promise<SpendingAnswer['kind']> {
    acts += 1;
    const someone = { ...ref, team: ref.workspace, member: by, how: 'form' } as const;
    const answer = await spend.begin(someone, ref, act, { id: `act ${acts}`, at });
    if (answer.kind === 'granted') await answer.keep();
    return answer.kind;
  }
  const setLimits = (limits: SpendingLimits) =>
    spendingStore.setLimits(ref, limits, createAudit(redis()).step(ref, { what: 'set limits', by: owner }));
  return { spends, setLimits, requests: () => approvals.all(ref) };
}

test.each([
  ['bonus', bonus('1'), bonus('1.00001')],
  ['restart', restart('500'), restart('500.00001')],
  ['new campaign', create('500'), create('500.00001')],
])('a manager may pay a %s up to the limit, and asks for more', async (_, most, more) => {
  const { spends, requests } = accountWith({ owner: 'owner', ben: 'manager' });
  expect(await spends(ben, most)).toBe('granted');
  expect(await requests()).toEqual([]);
  expect(await spends(ben, more)).toBe('asked');
  expect(await requests()).toMatchObject([{ by: ben, reason: { kind: 'limit', excess: { limit: 'each' } } }]);
});

test('restarts and new campaigns share a manager’s day; bonuses have their own, and so has each member', async () => {
  const { spends } = accountWith({ owner: 'owner', ben: 'manager', cara: 'manager' });
  expect(await spends(ben, restart('500'))).toBe('granted');
  expect(await spends(ben, create('500'))).toBe('granted');
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
  await setLimits({ bonus: {}, positions: {}, areForOwners: true });
  for (const act of much) expect(await spends(ben, act)).toBe('granted');
  await setLimits({ bonus: { each: '2' }, positions: { day: '3' }, areForOwners: false });
  for (const act of much) expect(await spends(owner, act)).toBe('granted');
  expect(await spends(ben, bonus('2.1'))).toBe('asked');
  await setLimits({ bonus: { each: '2' }, positions: { day: '3' }, areForOwners: true });
  expect(await spends(cara, bonus('2'))).toBe('granted');
  expect(await spends(cara, bonus('2.1'))).toBe('asked');
  expect(await spends(cara, restart('3'))).toBe('granted');
  expect(await spends(cara, create('0.1'))).toBe('asked');
  await setLimits(defaultLimits);
  expect(await spends(ben, bonus('1.1'))).toBe('asked');
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
  expect(request?.asked).toHaveLength(10);
  expect(request?.asked?.[0]).toBe(owner);
  expect(request?.asked).not.toContain('m0');
  expect(request?.until).toBe(at + 24 * 3_600_000);
});

test('what nobody else can approve is refused, and nobody is asked', async () => {
  const { spends, requests } = accountWith({ ben: 'manager', cara: 'reviewer' });
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
