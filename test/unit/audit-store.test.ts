import { expect, test, vi } from 'vitest';
import type { NewAuditEntry } from '../../src/domain/audit.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import { auditedAct } from '../../src/kit/marketplace-act.ts';
import { createLogger } from '../../src/logger.ts';
import { MarketplaceError, TransportError } from '../../src/marketplace/index.ts';
import { auditKey, createAudit, createAuditWriter, type FoundEntry, placeOf } from '../../src/store/audit.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

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
  const { workspace } = ref;
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
const stages = async () => {
  const found: unknown[] = [];
  for await (const { stage, answer } of audit().lines(ref))
    found.push(answer === undefined ? stage : [stage, answer]);
  return found;
};
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
