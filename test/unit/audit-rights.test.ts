import { expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import type { RightsChange, RoleRequest } from '../../src/domain/rights.ts';
import type { ChannelId, MemberId } from '../../src/domain/terms.ts';
import { createAudit, createAuditWriter } from '../../src/store/audit.ts';
import { createGrants, createRoleRequests } from '../../src/store/rights.ts';
import { asId, ref } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const { workspace, account } = ref;
const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];
const channel = asId<ChannelId>('C01REVIEW');
const by = { by: ann, how: 'form' } as const;

const clients = twoRedisClients();

async function entries(): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const entry of createAudit(clients.first).lines({ workspace })) found.push(entry);
  return found;
}

const given = (to: Extract<RightsChange, { type: 'granted' }>['grant']['to'], role: 'reviewer' | 'manager') =>
  ({ type: 'granted', grant: { to, role, by: ann, at: 1 } }) as const;
const toBen = { kind: 'member', id: ben } as const;
const guests = (allowed: boolean) => ({ type: 'guests', allowed }) as const;
const give = { what: 'give role', after: 'reviewer' } as const;
const inGroup = { kind: 'group', id: 'S1' } as const;
const inChannel = { kind: 'channel', id: channel } as const;
const confirmed = { type: 'channel-confirmed', channel } as const;
const unconfirmed = { type: 'channel-unconfirmed', channel } as const;

const changes: readonly (readonly [Partial<AuditEntry>, readonly RightsChange[]])[] = [
  [{ ...give, member: ben }, [given(toBen, 'reviewer')]],
  [
    { ...give, member: ben, before: 'reviewer', after: 'manager' },
    [given(toBen, 'reviewer'), given(toBen, 'manager')],
  ],
  [{ ...give, group: 'S1' }, [given(inGroup, 'reviewer')]],
  [{ ...give, channel }, [given(inChannel, 'reviewer')]],
  [
    { what: 'withdraw role', member: ben, before: 'manager' },
    [given(toBen, 'manager'), { type: 'withdrawn', from: toBen }],
  ],
  [{ what: 'allow guests' }, [guests(true)]],
  [{ what: 'refuse guests' }, [guests(true), guests(false)]],
  [{ what: 'confirm shared channel', channel }, [confirmed]],
  [{ what: 'withdraw shared channel', channel }, [confirmed, unconfirmed]],
];

test.each(changes)('the audit of rights has %j, once, with who did it', async (expected, all) => {
  const grants = createGrants(clients.first);
  for (const change of all) await grants.change(ref, change, by);
  // What changes nothing is no act.
  const last = all.at(-1);
  if (last) await grants.change(ref, last, by);
  const found = await entries();
  expect(found).toHaveLength(all.length);
  expect(found.at(-1)).toEqual({ ...expected, ...by, account, at: expect.any(Number) });
});

test('the audit of rights has nothing of a change that was refused', async () => {
  const { changed } = await createGrants(clients.first).change(ref, given(toBen, 'manager'), by, () => false);
  expect(changed).toBe(false);
  expect(await entries()).toEqual([]);
});

test('the audit of rights has a request for a role, and who declined it; of two answers only the first', async () => {
  const requests = createRoleRequests(clients.first);
  const writer = createAuditWriter();
  const about = { account, member: ben, isGuest: false, capability: 'rate', at: 1 } as const;
  const request: RoleRequest = { id: 'r1', ...about };
  const asked = { what: 'ask for role', by: ben, how: 'click', account, after: 'reviewer' } as const;
  await requests.put(workspace, 'r1', request, writer({ workspace }, asked));
  const declined = { what: 'decline role', by: ann, how: 'click', account, member: ben } as const;
  const step = () => writer({ workspace }, declined);
  const answer = { by: ann, isGranted: false };
  expect(await requests.answer(workspace, 'r1', answer, step())).toEqual({ ...request, answer });
  const other = { by: ben, isGranted: true };
  expect(await requests.answer(workspace, 'r1', other, step())).toEqual({ ...request, answer });
  expect(await entries()).toMatchObject([asked, declined]);
});
