import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namedEntries, permissionsMarkdown } from '../../scripts/docs/permissions.ts';
import {
  type Capability,
  capabilities,
  higherRole,
  isAtLeast,
  leastRole,
  may,
  roles,
} from '../../src/domain/permissions.ts';
import { type AccountRights, changedRights, noRights, type RightsChange } from '../../src/domain/rights.ts';
import type { MemberId } from '../../src/domain/terms.ts';
import { runEntry } from '../../src/slack/listeners.ts';
import { asId, ref } from '../harness/ids.ts';
import { forAll } from './properties.ts';

const all = Object.keys(capabilities) as Capability[];
const anyRole = fc.constantFrom(...roles);
const anyRoleOrNone = fc.option(anyRole, { nil: undefined });

test.each(namedEntries().map((entry) => [entry.name, entry] as const))('%s names its right', (_, entry) => {
  expect([...all, 'anyone', 'member']).toContain(entry.needs);
  for (const one of entry.also) expect(all).toContain(one);
});

test('what spends money or changes rights is open to nobody without a role', () => {
  const open = namedEntries().filter(({ needs }) => needs === 'anyone' || needs === 'member');
  const names = open.map(({ name }) => name);
  const spending = /restart|new|submit|settings|grant|bonus|retarget/;
  expect(names.filter((name) => spending.test(name))).toEqual([]);
});

test('docs/permissions.md is the one that the code makes', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/permissions.md'), 'utf8');
  expect(text, 'run "npm run docs"').toBe(permissionsMarkdown());
});

test('each role has what those below it have', () => {
  forAll(anyRole, anyRole, fc.constantFrom(...all), (a, b, capability) => {
    if (isAtLeast(a, b) && may(b, capability)) expect(may(a, capability)).toBe(true);
  });
});

test('an owner may do everything, nobody without a role anything, a reviewer spends nothing', () => {
  for (const capability of all) {
    expect(may('owner', capability)).toBe(true);
    expect(may(undefined, capability)).toBe(false);
    expect(may(leastRole(capability), capability)).toBe(true);
    if ('spends' in capabilities[capability]) expect(may('reviewer', capability)).toBe(false);
  }
});

test('the higher of two is one of them, whichever comes first', () => {
  forAll(anyRoleOrNone, anyRoleOrNone, (a, b) => {
    const higher = higherRole(a, b);
    expect(higher).toBe(higherRole(b, a));
    expect([a, b]).toContain(higher);
    for (const one of [a, b]) if (one !== undefined) expect(higher && isAtLeast(higher, one)).toBe(true);
  });
});

const members = ['U1', 'U2'].map((id) => ({ kind: 'member', id: asId<MemberId>(id) }) as const);
const to = fc.constantFrom(...members, { kind: 'channel', id: asId('C1') } as const);
const change: fc.Arbitrary<RightsChange> = fc.oneof(
  fc.record({ type: fc.constant('granted'), grant: fc.record({ to, role: anyRole, at: fc.nat() }) }),
  fc.record({ type: fc.constant('withdrawn'), from: to }),
  fc.record({
    type: fc.constantFrom('channel-confirmed', 'channel-unconfirmed'),
    channel: fc.constant(asId('C1')),
  }),
) as fc.Arbitrary<RightsChange>;
const rightsAfter = (changes: readonly RightsChange[]): AccountRights =>
  changes.reduce(changedRights, noRights);

test('nobody is listed twice, and the last change to somebody is what holds', () => {
  forAll(fc.array(change, { maxLength: 12 }), (changes) => {
    const rights = rightsAfter(changes);
    const names = rights.grants.map((grant) => JSON.stringify(grant.to));
    expect(new Set(names).size).toBe(names.length);
    for (const one of members) {
      const last = changes.findLast(
        (some) =>
          (some.type === 'granted' && some.grant.to.id === one.id) ||
          (some.type === 'withdrawn' && some.from.id === one.id),
      );
      const role = last?.type === 'granted' ? last.grant.role : undefined;
      expect(rights.grants.find((grant) => grant.to.id === one.id)?.role).toBe(role);
    }
  });
});

test('an entry can ask for no right that it does not name', async () => {
  const asked: unknown[] = [];
  const access = {
    authorize: async (_: unknown, needs: readonly Capability[]) => {
      asked.push(needs);
      return ref as never;
    },
    requireMember: async () => undefined,
  };
  const answer = async () => undefined;
  const actor = { workspace: asId('T1'), team: asId('T1'), member: asId('U1'), answer };
  const entry = {
    needs: 'rate',
    also: ['bonus'],
    run: async ({ authorize }: { authorize: (request?: { also?: Capability }) => Promise<unknown> }) => {
      await authorize();
      await authorize({ also: 'bonus' });
      await authorize({ also: 'restart' });
    },
  } as const;
  const running = runEntry(access, entry as never, actor as never);
  await expect(running).rejects.toThrow('restart is not named by the entry');
  expect(asked).toEqual([['rate'], ['rate', 'bonus']]);
});
