import type { ChannelId } from '../../src/domain/terms.ts';
import { revisionSeconds } from '../../src/features/home/index.ts';
import { createAccountLeases } from '../../src/store/account-leases.ts';
import { createDigests } from '../../src/store/digests.ts';
import { createExpiringTexts } from '../../src/store/expiring-texts.ts';
import { createGrants } from '../../src/store/grants.ts';
import { createIncidents } from '../../src/store/incidents.ts';
import { createMemberLimits } from '../../src/store/member-limits.ts';
import { createOpenedHomes } from '../../src/store/opened-homes.ts';
import { createPeople } from '../../src/store/people.ts';
import { createRenderNumbers } from '../../src/store/render-numbers.ts';
import { createRoleRequests } from '../../src/store/role-requests.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { setAside } from '../../src/store/unreadable.ts';
import { createWorkspaceData } from '../../src/store/workspace-data.ts';
import { asId } from '../harness/ids.ts';
import { dayMs, ref, workspace } from '../harness/retention-process.ts';
import { ann, audit, type RetentionWorld, type Rows } from '../harness/retention-world.ts';

const channel = asId<ChannelId>('C01REVIEW');

/** Returns a value behind each row about a workspace. */
export function workspaceRows(w: RetentionWorld): Rows {
  const { deactivated, disconnected, within } = w;
  return {
    '{workspace}:digests': [
      {
        plant: () =>
          createDigests(w.redis()).put(workspace, { account: ref.account, channel, by: ann, at: w.now() }),
        mark: /U01ANN/,
        ends: { unsubscribed: () => createDigests(w.redis()).removeChannel(workspace, channel) },
      },
    ],
    '{workspace}:api-keys': [
      {
        plant: () => w.accounts().connect(workspace, ann, 'key'),
        mark: /U01ANN/,
        ends: { disconnected, deactivated },
      },
    ],
    '{workspace}:texts': [
      {
        plant: () =>
          createExpiringTexts(w.redis()).put(
            workspace,
            'd1',
            JSON.stringify({ member: ann, text: 'Amina' }),
            86_400,
          ),
        mark: /Amina/,
        ends: { 'a day': within(dayMs), deactivated },
      },
    ],
    '{workspace}:homes-opened': [
      {
        plant: async () => {
          await w.accounts().connect(workspace, ann, 'key');
          await createOpenedHomes(w.redis()).record(workspace, ann, w.now());
        },
        mark: /U01ANN/,
        ends: { disconnected, deactivated },
      },
    ],
    '{workspace}:subscriptions': [
      {
        plant: () =>
          createSubscriptions(w.redis()).put(workspace, {
            account: ref.account,
            channel,
            by: ann,
            at: w.now(),
            started: true,
          }),
        mark: /U01ANN/,
        ends: { unsubscribed: () => createSubscriptions(w.redis()).removeChannel(workspace, channel) },
      },
    ],
    '{workspace}:rights': [
      {
        plant: () =>
          createGrants(w.redis()).change(
            ref,
            {
              type: 'granted',
              grant: { to: { kind: 'member', id: ann }, role: 'reviewer', by: ann, at: w.now() },
            },
            { by: ann, how: 'form' },
          ),
        mark: /reviewer/,
        ends: {
          withdrawn: () =>
            createGrants(w.redis()).change(
              ref,
              { type: 'withdrawn', from: { kind: 'member', id: ann } },
              { by: ann, how: 'form' },
            ),
        },
      },
    ],
    '{workspace}:role-request': [
      {
        plant: () =>
          createRoleRequests(w.redis()).put(
            workspace,
            'q1',
            {
              account: ref.account,
              member: ann,
              isGuest: false,
              capability: 'rate',
              at: w.now(),
              messages: [],
            },
            audit.step({ workspace }, { what: 'ask for role', by: ann, how: 'click' }),
          ),
        mark: /U01ANN/,
        ends: { '7 days': within(7 * dayMs) },
      },
    ],
    '{workspace}:person': [
      {
        plant: () =>
          createPeople(w.redis()).putPerson(workspace, ann, {
            at: w.now(),
            teams: [],
            isGuest: false,
            isBot: false,
            isDeactivated: false,
            isAdmin: false,
          }),
        mark: /U01ANN/,
        ends: { 'a week': within(7 * dayMs) },
      },
    ],
    '{workspace}:limit': [
      {
        plant: () => createMemberLimits(w.redis(), () => w.now()).take(workspace, ann, 'bulk'),
        mark: /U01ANN/,
        ends: { 'ten minutes': within(600_000) },
      },
    ],
    '{workspace}:once': [
      {
        plant: () => createAccountLeases(w.redis()).claimOnce(workspace, 'd1'),
        mark: /d1/,
        ends: { 'an hour': within(dayMs / 24) },
      },
    ],
    '{workspace}:incidents': [
      {
        plant: () => createIncidents(w.redis()).record(workspace, `for ${ann}`, 'down'),
        mark: /U01ANN/,
        ends: { solved: () => createIncidents(w.redis()).clear(workspace, `for ${ann}`) },
      },
    ],
    '{workspace}:app-removed': [
      {
        plant: () => createWorkspaceData(w.redis()).recordRemoved(workspace, w.now()),
        mark: /./,
        ends: { 'a day': within(dayMs) },
      },
    ],
    unreadable: [
      {
        plant: () =>
          setAside(w.redis(), undefined, { kind: 'task', key: 'k', reason: 'not JSON', text: 'Amina' }),
        mark: /Amina/,
        ends: { '30 days': () => w.pass(31) },
      },
    ],
    '{workspace}:revision': [
      {
        plant: () => createRenderNumbers(w.redis()).next(workspace, `home of ${ann}`, revisionSeconds),
        mark: /U01ANN/,
        ends: { '30 days': within(30 * dayMs) },
      },
    ],
    '{workspace}:admins': [
      {
        plant: () => createPeople(w.redis()).putAdmins(workspace, { admins: [ann] }),
        mark: /U01ANN/,
        ends: { 'an hour': within(dayMs / 24) },
      },
    ],
  };
}
