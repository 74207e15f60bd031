import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { campaign } from '../../gallery/samples/campaigns.ts';
import type { TaskId } from '../../src/domain/terms.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { auditLineCodec, createAudit } from '../../src/store/audit.ts';
import { campaignCodec, createCampaigns } from '../../src/store/campaigns.ts';
import { createSubscriptions, type Subscription } from '../../src/store/channels.ts';
import { createVault } from '../../src/store/encryption.ts';
import { createFetchedFiles } from '../../src/store/fetched-files.ts';
import {
  accountKey,
  type Codec,
  createCodec,
  polledAccountsKey,
  unreadableKey,
  workspaceKey,
} from '../../src/store/format.ts';
import { createAnnouncements } from '../../src/store/messages.ts';
import { createIncidents } from '../../src/store/pauses.ts';
import { countUnreadable, setAside } from '../../src/store/stored-hash.ts';
import { createTasks, createTimesToRate } from '../../src/store/tasks.ts';
import { createWorkers, workerCodec } from '../../src/store/workers.ts';
import { hostileText, hostileValue } from '../fuzz/values.ts';
import { asId, ref } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { waitingRow } from '../harness/waiting-row.ts';
import { forAll } from './properties.ts';

const damaged = '{"secret proof of a worker';
const redis = redisPerFile();
let log: Record<string, unknown>[] = [];
const logger = { error: ((fields: Record<string, unknown>) => void log.push(fields)) as never };

beforeEach(() => {
  log = [];
});

const running = campaignCodec.encode(campaign({ id: asId('c_7') }));
const amina = workerCodec.encode([[0, 2, 10, 1, 0], 'amina']);
const entry = (what: 'decided' | 'applied') =>
  auditLineCodec.encode({ at: 1, what, verdict: 'OK', task: asId('t1') } as never);

const row = waitingRow(asId('t1'), asId('c1'), 1_763_700_000_000, { want: 'card', readAt: Date.now() });

test('an unreadable task is set aside, unknown to every list, and made anew when it is seen again', async () => {
  const tasks = createTasks(redis(), logger);
  await redis().hset(accountKey(ref, 'campaigns'), 'c1', running);
  for (const id of [asId<TaskId>('t1'), asId<TaskId>('t2')]) await tasks.apply(ref, id, { ...row, id });
  const key = accountKey(ref, 'task', 't1');
  await redis().hset(key, 'value', damaged);

  expect((await tasks.getMany(ref, [asId('t1'), asId('t2')])).map(({ id }) => id)).toEqual(['t2']);
  expect(await tasks.get(ref, asId('t1'))).toBeUndefined();
  expect(await tasks.find(ref, 'open')).toEqual(['t2']);
  expect(await tasks.find(ref, 'needs-render')).toEqual(['t2']);
  expect([...(await tasks.knownRatings(ref, asId('c1'))).keys()]).toEqual(['t2']);

  const unreadable = { event: 'stored-value-unreadable', kind: 'task', key, field: 'value' };
  expect(log).toEqual([{ ...unreadable, reason: 'not JSON' }]);
  expect(await countUnreadable(redis())).toBe(1);
  const [entry = ''] = await redis().hvals(unreadableKey);
  expect(JSON.parse(entry)).toMatchObject({ key, field: 'value', text: damaged, at: expect.any(Number) });

  expect((await tasks.apply(ref, asId('t1'), row)).kind).toBe('done');
  expect(await tasks.get(ref, asId('t1'))).toMatchObject({ id: 't1', revision: 1 });
  expect([...(await tasks.knownRatings(ref, asId('c1'))).keys()].sort()).toEqual(['t1', 't2']);
});

test('an unreadable announcement is unknown, and announced anew when it is listed', async () => {
  const announcements = createAnnouncements(redis(), logger);
  const about = { id: asId<never>('m1'), subject: 's', messageType: 'SYSTEM', hasAttachment: false };
  const listed = { type: 'listed', message: { ...about, unread: true }, announce: true } as const;
  await announcements.apply(ref, about.id, listed);
  await redis().hset(accountKey(ref, 'announcement', 'm1'), 'value', '{"id":"m1"}');
  expect(await announcements.get(ref, asId('m1'))).toBeUndefined();
  expect((await announcements.known(ref)).size).toBe(0);
  expect(log).toMatchObject([{ kind: 'announcement', reason: 'subject: invalid_type' }]);
  expect((await announcements.apply(ref, about.id, listed)).changed).toBe(true);
});

test('one unreadable value sinks no list, and is logged once', async () => {
  const subscription: Subscription = { account: ref.account, channel: asId('C1'), at: 1, started: true };
  const subscriptions = createSubscriptions(redis(), logger);
  await subscriptions.put(asId('T1'), subscription);
  await redis().hset(workspaceKey(asId('T1'), 'subscriptions'), 'a1/c9', damaged);
  await redis().sadd(polledAccountsKey, damaged);
  const campaigns = createCampaigns(redis(), logger);
  await redis().hset(accountKey(ref, 'campaigns'), 'c7', running, 'c9', damaged);
  await campaigns.recordImport(ref, asId('c7'), { counts: '', at: 1, bytes: 2 });
  await redis().hset(accountKey(ref, 'campaigns', 'imports'), 'c9', damaged);
  await redis().hset(accountKey(ref, 'campaigns', 'first-imports'), 'c7', 0, 'c9', damaged);
  await redis().hset(accountKey(ref, 'campaigns', 'rated-at'), 'c7', 5, 'c9', damaged);
  const workers = createWorkers(redis(), logger);
  await workers.addExcluded(ref, asId('w1'), { at: 1 });
  await redis().hset(accountKey(ref, 'workers', 'excluded'), 'w9', damaged);
  await redis().sadd(accountKey(ref, 'workers', 'campaigns'), 'c7', 'c9');
  await redis().hset(accountKey(ref, 'workers', 'in', 'c7'), 'w1', amina);
  await redis().hset(accountKey(ref, 'workers', 'in', 'c9'), 'w1', damaged);
  await redis().hset(accountKey(ref, 'times-to-rate'), 'c7', 7, 'c9', damaged);
  const file = { account: ref, task: asId<TaskId>('t1'), round: 1 };
  const files = createFetchedFiles(redis(), Date.now, logger);
  const times = createTimesToRate(redis(), logger);
  await redis().hset(accountKey(ref, 'files', 't1', '1'), '1', damaged);

  for (let time = 1; time <= 2; time += 1) {
    expect(await subscriptions.all(asId('T1'))).toEqual([subscription]);
    expect(await subscriptions.forCampaign(ref, asId('c9'))).toEqual(subscription);
    expect(await subscriptions.polledAccounts()).toEqual([ref]);
    expect((await campaigns.all(ref)).map(({ id }) => id)).toEqual(['c_7']);
    expect(await campaigns.get(ref, asId('c9'))).toBeUndefined();
    expect([...(await campaigns.lastImports(ref)).keys()]).toEqual(['c7']);
    expect([...(await campaigns.firstImports(ref))]).toEqual([['c7', 0]]);
    expect([...(await campaigns.ratedAt(ref))]).toEqual([['c7', 5]]);
    expect(await workers.excluded(ref)).toEqual([{ worker: 'w1', at: 1 }]);
    expect(await workers.record(ref, asId('w1'))).toMatchObject({ name: 'amina', campaigns: 1 });
    expect([...(await times.getMany(ref, [asId('c7'), asId('c9')]))]).toEqual([['c7', 7]]);
    expect((await files.of(file)).size).toBe(0);
  }
  const ofCampaigns = ['campaign', 'last-import', 'first-import', 'time', 'listing'];
  const others = ['worker', 'time-to-rate', 'fetched-file'];
  expect(log.map(({ kind }) => kind)).toEqual(['subscription', 'polled-account', ...ofCampaigns, ...others]);
  expect(JSON.stringify(log)).not.toContain('secret');
  expect(await files.claim({ ...file, index: 1 }, asId('U1'))).toBeDefined();
});

test('an unreadable line of the audit trail is left out of a reading, and stays in the trail', async () => {
  const key = accountKey(ref, 'audit');
  for (const text of [entry('decided'), damaged, entry('applied')]) {
    await redis().xadd(key, '*', 'entry', text);
  }
  const read: string[] = [];
  for await (const { entry: found } of createAudit(redis()).newestFirst(ref)) read.push(found.what);
  expect(read).toEqual(['applied', 'decided']);
  expect(await redis().xlen(key)).toBe(3);
});

test('a member whose key is damaged is asked to connect again; no copy of the key is made', async () => {
  const accounts = createAccounts(redis(), createVault([Buffer.alloc(32, 1)]), logger);
  const apiKeys = workspaceKey(asId('T1'), 'api-keys');
  await accounts.connect(ref, asId('U1'), 'some-key');
  await redis().hset(apiKeys, 'U1', '{"sealed":"the sealed key"}');
  expect(await accounts.of(asId('T1'), asId('U1'))).toBeUndefined();
  expect(await accounts.keySourceOf(ref, asId('U1'))).toBeUndefined();
  expect(await countUnreadable(redis())).toBe(0);
  await accounts.connect(ref, asId('U1'), 'some-key');
  expect(await accounts.of(asId('T1'), asId('U1'))).toEqual(ref);
  await redis().hset(apiKeys, 'U1', damaged);
  await accounts.disconnect(asId('T1'), asId('U1'));
  expect(await redis().hlen(apiKeys)).toBe(0);
});

test('of many who record an incident at once, one is to tell people, also where an unreadable one was', async () => {
  const incidents = createIncidents(redis(), logger);
  await redis().hset(workspaceKey(asId('T1'), 'incidents'), 'x', damaged);
  const told = await Promise.all(Array.from({ length: 20 }, () => incidents.record(asId('T1'), 'x', 'gone')));
  expect(told.filter(Boolean)).toHaveLength(1);
  expect(log).toMatchObject([{ kind: 'incident', field: 'x' }]);
});

test('so many are set aside at most, and for a month; what is more stays in its place', async () => {
  const value = (text: string) => ({ kind: 'task', key: 'k', reason: 'not JSON', text });
  for (let index = 0; index < 1_000; index += 1) await setAside(redis(), logger, value(String(index)));
  expect(await setAside(redis(), logger, value('0'))).toBe(true);
  expect(await setAside(redis(), logger, value('one more'))).toBe(false);
  expect(log).toHaveLength(1_000);
  expect(await redis().ttl(unreadableKey)).toBeGreaterThan(29 * 86_400);

  const incidents = createIncidents(redis(), logger);
  await redis().hset(workspaceKey(asId('T1'), 'incidents'), 'x', damaged);
  expect(await incidents.get(asId('T1'), 'x')).toBeUndefined();
  expect(await redis().hget(workspaceKey(asId('T1'), 'incidents'), 'x')).toBe(damaged);
  expect(await incidents.record(asId('T1'), 'x', 'gone')).toBe(true);
});

const stores = join(import.meta.dirname, '../../src/store');

function isCodec(value: unknown): value is Codec<unknown> {
  return typeof value === 'object' && value !== null && 'decode' in value && 'encode' in value;
}

/** Returns every codec of stored values that a module exports. */
async function findCodecs(): Promise<Codec<unknown>[]> {
  const paths = readdirSync(stores);
  const modules = await Promise.all(
    paths
      .filter((path) => path.endsWith('.ts'))
      .map((path) => import(pathToFileURL(join(stores, path)).href) as Promise<object>),
  );
  return [...new Set(modules.flatMap((module) => Object.values(module)).filter(isCodec))];
}

test('whatever a stored text is, decoding it never throws, and never quotes it', async () => {
  const codecs = await findCodecs();
  expect(codecs.length).toBeGreaterThan(40);
  const text = fc.oneof(
    fc.json(),
    hostileText,
    hostileValue.map((value) => JSON.stringify(value) ?? ''),
    fc.constantFrom(running, amina).map((one) => one.slice(0, -2)),
  );
  forAll({ numRuns: 2_000 }, fc.constantFrom(...codecs), text, (codec, stored) => {
    const result = codec.decode(stored);
    if (!result.ok) expect(result.reason).toMatch(/^[\w .:-]+$/);
    // What was read can be written, and is read again.
    else expect(codec.decode(codec.encode(result.value)).ok).toBe(true);
  });
});

test('a value of an older form is migrated as it is read; one of a newer form stays as it is', async () => {
  const Shelf = z.object({ name: z.string() });
  const Label = z.object({ label: z.string() });
  const named = (before: unknown) => ({ name: Label.safeParse(before).data?.label });
  const codec = createCodec('shelf', Shelf, { 1: named });
  expect(codec.decode('{"v":0,"label":"left"}')).toEqual({ ok: true, value: { name: 'left' } });
  expect(codec.decode('{"v":0,"name":"left"}')).toMatchObject({ ok: false });
  expect(codec.decode(codec.encode({ name: 'left' }))).toEqual({ ok: true, value: { name: 'left' } });

  const tasks = createTasks(redis(), logger);
  await tasks.apply(ref, asId('t1'), row);
  const key = accountKey(ref, 'task', 't1');
  const newer = JSON.stringify({ v: 2, name: 'a task of another form' });
  await redis().hset(key, 'value', newer);
  const refusal = 'a newer version of Proofdesk has stored this task';
  await expect(tasks.get(ref, asId('t1'))).rejects.toThrow(refusal);
  await expect(tasks.apply(ref, asId('t1'), row)).rejects.toThrow('a newer version');
  expect(await redis().hget(key, 'value')).toBe(newer);
  expect(await countUnreadable(redis())).toBe(0);
});
