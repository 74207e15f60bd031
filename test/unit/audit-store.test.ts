import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type AuditEntry, auditedActs, type NewAuditEntry } from '../../src/domain/audit.ts';
import type { RightsChange, RoleRequest } from '../../src/domain/rights.ts';
import type { AccountRef, ChannelId, MemberId } from '../../src/domain/terms.ts';
import { auditedAct } from '../../src/kit/marketplace-act.ts';
import { createLogger } from '../../src/logger.ts';
import { endpoints } from '../../src/marketplace/endpoints.ts';
import { MarketplaceError, TransportError } from '../../src/marketplace/index.ts';
import { auditKey, createAudit, createAuditWriter, type FoundEntry, placeOf } from '../../src/store/audit.ts';
import { createGrants, createRoleRequests } from '../../src/store/rights.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { audited } from './audited.ts';

const { workspace, account } = ref;
const entry: NewAuditEntry = { what: 'restart', by: asId('U1'), how: 'command' };

const clients = twoRedisClients();

const audit = () => createAudit(clients.first);

test('expiry removes what is older, from the trail of the workspace and of each of its accounts', async () => {
  const another: AccountRef = { workspace: asId('T12'), account: ref.account };
  for (const trail of [ref, { workspace: ref.workspace }, another]) await audit().append(trail, entry);
  const between = Date.now() + 5;
  await vi.waitUntil(() => Date.now() > between);
  await audit().append(ref, entry);
  expect(await audit().expire(ref.workspace, between)).toBe(2);
  expect(await audit().expire(ref.workspace, between)).toBe(0);
  expect(await clients.first.xlen(auditKey(ref))).toBe(1);
  expect(await clients.first.xlen(auditKey(another))).toBe(1);
});

test('entries of an account are read newest first over both trails, without those of other accounts', async () => {
  const trail = audit();
  await trail.append(ref, { ...entry, after: '1' });
  await trail.append({ workspace }, { ...entry, account: ref.account, after: '2' });
  await trail.append({ workspace }, { ...entry, account: asId('other'), after: 'not this' });
  await trail.append({ workspace }, { what: 'channel lost', after: '3' });
  await trail.append(ref, { ...entry, after: '4' });
  const read = async (before?: string) => {
    const found: FoundEntry[] = [];
    for await (const one of trail.newestFirst(ref, before)) found.push(one);
    return found;
  };
  const all = await read();
  expect(new Set(all.map(({ entry: { after } }) => after))).toEqual(new Set(['1', '2', '3', '4']));
  const times = all.map(({ id }) => Number(id.split('-')[0]));
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  // Each of them is a place to continue at, also where both trails have an entry of the same moment.
  for (const [index, one] of all.entries()) expect(await read(placeOf(one))).toEqual(all.slice(index + 1));
  // More than are read at once.
  await Promise.all(Array.from({ length: 250 }, () => trail.append(ref, entry)));
  expect(await read()).toHaveLength(254);
});

test('entries are logged when they are stored, each once, with all their fields', async () => {
  const lines: unknown[] = [];
  const logger = createLogger('info', [], { write: (line) => lines.push(JSON.parse(line)) });
  const logged = createAudit(clients.first, createAuditWriter({ now: () => 7, logger }));
  await logged.append(ref, { ...entry, comment: 'why' });
  await logged.append(ref, { ...entry, stage: 'claimed' });
  logged.step(ref, entry);
  const line = { msg: 'audit', ...ref, at: 7, ...entry };
  expect(lines).toEqual([
    expect.objectContaining({ ...line, comment: 'why' }),
    expect.objectContaining({ ...line, stage: 'claimed' }),
  ]);
});

const parts = () => onlyModules({ audit: audit(), log: createLogger('silent', []) });
const stages = async () =>
  (await audited(clients.first, ref)).map(({ stage, answer }) =>
    answer === undefined ? stage : [stage, answer],
  );
const refusal = new MarketplaceError({ operation: '', code: 'CAMPAIGN_IS_PAUSED_ADMIN', text: 'Paused' });
const noAnswer = (mayHaveBeenApplied: boolean) =>
  new TransportError({ operation: 'restartCampaign', kind: 'timeout', reason: 'late', mayHaveBeenApplied });

test('an act at the marketplace is in the audit before it is sent, so that a process that dies leaves it with an unknown outcome', async () => {
  let before: unknown[] = [];
  await auditedAct(parts(), ref, entry, async () => {
    before = await stages();
  });
  expect(before).toEqual(['claimed']);
  expect(await stages()).toEqual(['claimed', ['done', 'OK']]);
});

test.each([
  [refusal, ['failed', 'CAMPAIGN_IS_PAUSED_ADMIN: Paused']],
  [noAnswer(false), ['failed', 'timeout']],
  [noAnswer(true), ['unknown', 'timeout']],
  [new Error('a bug'), 'unknown'],
])('an act at the marketplace says how it ended: %s', async (error, end) => {
  const act = auditedAct(parts(), ref, entry, () => Promise.reject(error));
  await expect(act).rejects.toBe(error);
  expect(await stages()).toEqual(['claimed', end]);
});

test('an act at the marketplace is not made when its claim cannot be stored', async () => {
  await clients.first.set(auditKey(ref), 'no stream');
  let isSent = false;
  const act = auditedAct(parts(), ref, entry, async () => {
    isSent = true;
  });
  await expect(act).rejects.toThrow(/WRONGTYPE/);
  expect(isSent).toBe(false);
});

test('an act at the marketplace that was made is told as made, and logged, when its end cannot be stored', async () => {
  const warn = vi.fn();
  const act = auditedAct({ ...parts(), log: { warn } as never }, ref, entry, async () => {
    await clients.first.set(auditKey(ref), 'no stream');
    return 'made';
  });
  expect(await act).toBe('made');
  expect(warn).toHaveBeenCalledTimes(1);
});

const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];
const channel = asId<ChannelId>('C01REVIEW');
const by = { by: ann, how: 'form' } as const;

const given = (to: Extract<RightsChange, { type: 'granted' }>['grant']['to'], role: 'reviewer' | 'manager') =>
  ({ type: 'granted', grant: { to, role, by: ann, at: 1 } }) as const;
const toBen = { kind: 'member', id: ben } as const;
const give = { what: 'give role', after: 'reviewer' } as const;
const inChannel = { kind: 'channel', id: channel } as const;
const confirmed = { type: 'channel-confirmed', channel } as const;
const unconfirmed = { type: 'channel-unconfirmed', channel } as const;

const changes: readonly (readonly [Partial<AuditEntry>, readonly RightsChange[]])[] = [
  [{ ...give, member: ben }, [given(toBen, 'reviewer')]],
  [
    { ...give, member: ben, before: 'reviewer', after: 'manager' },
    [given(toBen, 'reviewer'), given(toBen, 'manager')],
  ],
  [{ ...give, channel }, [given(inChannel, 'reviewer')]],
  [
    { what: 'withdraw role', member: ben, before: 'manager' },
    [given(toBen, 'manager'), { type: 'withdrawn', from: toBen }],
  ],
  [{ what: 'confirm shared channel', channel }, [confirmed]],
  [{ what: 'withdraw shared channel', channel }, [confirmed, unconfirmed]],
];

test.each(changes)('the audit of rights has %j, once, with who did it', async (expected, all) => {
  const grants = createGrants(clients.first);
  for (const change of all) await grants.change(ref, change, by);
  // What changes nothing is no act.
  const last = all.at(-1);
  if (last) await grants.change(ref, last, by);
  const found = await audited(clients.first, { workspace });
  expect(found).toHaveLength(all.length);
  expect(found.at(-1)).toEqual({ ...expected, ...by, account, at: expect.any(Number) });
});

test('the audit of rights has nothing of a change that was refused', async () => {
  const { changed } = await createGrants(clients.first).change(ref, given(toBen, 'manager'), by, () => false);
  expect(changed).toBe(false);
  expect(await audited(clients.first, { workspace })).toEqual([]);
});

test('the audit of rights has a request for a role, and who declined it; of two answers only the first', async () => {
  const requests = createRoleRequests(clients.first);
  const writer = createAuditWriter();
  const about = { account, member: ben, capability: 'rate', at: 1 } as const;
  const request: RoleRequest = { id: 'r1', ...about };
  const asked = { what: 'ask for role', by: ben, how: 'click', account, after: 'reviewer' } as const;
  await requests.put(workspace, 'r1', request, writer({ workspace }, asked));
  const declined = { what: 'decline role', by: ann, how: 'click', account, member: ben } as const;
  const step = () => writer({ workspace }, declined);
  const answer = { by: ann, isGranted: false };
  expect(await requests.answer(workspace, 'r1', answer, step())).toEqual({ ...request, answer });
  const other = { by: ben, isGranted: true };
  expect(await requests.answer(workspace, 'r1', other, step())).toEqual({ ...request, answer });
  expect(await audited(clients.first, { workspace })).toMatchObject([asked, declined]);
});

const root = join(import.meta.dirname, '../../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('sandbox'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** What each call that changes something at the marketplace is in the audit; the client's method where it has another name. */
const actsOf: Readonly<Record<string, { readonly acts: readonly string[]; readonly method?: string }>> = {
  createCampaign: { acts: ['create'] },
  rateTask: { acts: ['decided', 'applied', 'refused'] },
  rateTasks: { acts: ['decided', 'applied', 'refused'] },
  restartCampaign: { acts: ['restart'] },
  retargetCampaign: { acts: ['retarget'] },
  submitFileProof: { acts: ['submit'] },
  excludeWorkers: { acts: ['exclude worker'] },
  unexcludeWorkers: { acts: ['include worker', 'clear exclude list'] },
  excludeEmployers: { acts: ['exclude employers'] },
  deleteMessage: { acts: ['trash message'] },
  // It marks the message as read.
  readMessage: { acts: ['read message'] },
};

/** Ratings are in the audit by the events of their task. */
const byTheirRecord = new Set(['features/decide/send.ts']);

test('what is audited is every call that changes something at the marketplace', () => {
  const writing = Object.values(endpoints).filter(({ method }) => method !== 'GET');
  expect(new Set(writing.map(({ name }) => name))).toEqual(
    new Set(Object.keys(actsOf).filter((name) => name !== 'readMessage')),
  );
  for (const { acts } of Object.values(actsOf))
    expect(auditedActs).toEqual(expect.arrayContaining([...acts]));
});

test.each(Object.keys(actsOf))('%s is called by features through the audit only', (name) => {
  const callers = sources.filter(
    ({ path, text }) => path.startsWith('features/') && new RegExp(`\\.${name}\\(`).test(text),
  );
  expect(callers).not.toEqual([]);
  for (const { path, text } of callers) {
    const isAudited =
      byTheirRecord.has(path) || /auditedAct\(|entryOf[(:]|entry: (?:\{|\w+Entry\()/.test(text);
    expect(isAudited, `${path} calls ${name}`).toBe(true);
  }
});
