import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createAccountClients } from '../../src/features/people/account-clients.ts';
import { createLogger } from '../../src/logger.ts';
import {
  createDatetimes,
  createMethods,
  MarketplaceError,
  type Pipeline,
  TransportError,
} from '../../src/marketplace/index.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
let accountsMade = 0;

const operation = 'listCampaigns';
const keyRefused = new MarketplaceError({ operation, code: 'API_KEY_WRONG', text: 'refused' });
const noAnswer = { kind: 'connection', reason: 'away', mayHaveBeenApplied: false } as const;
const away = new TransportError({ operation, ...noAnswer });

/** An account with two keys, of which some are revoked, at a marketplace that may be away. */
function account(pastIncidents: object[] = []) {
  const ref: AccountRef = { workspace: asId('T1'), account: asId(`a${accountsMade++}`) };
  const refused = new Map<string, number>();
  const revoked = new Set<string>();
  const marketplace = { isAway: false };
  const clock = { now: 1_000 };
  const connected = ['first', 'second'];
  const usableKeys = vi.fn(async () =>
    connected
      .map((key) => ({ key, ...(refused.has(key) ? { refusedAt: refused.get(key) ?? 0 } : {}) }))
      .sort((a, b) => (a.refusedAt ?? 0) - (b.refusedAt ?? 0)),
  );
  const recordNoKey = vi.fn(async () => true);
  const addJob = vi.fn(async () => undefined);
  const calls: string[] = [];
  const callWith = (key: string) => async () => {
    calls.push(key);
    if (marketplace.isAway) throw away;
    if (revoked.has(key)) throw keyRefused;
    return { count: 0, items: [] } as never;
  };
  const clientOver = (call: Pipeline['call']) => createMethods(call, { datetimes: createDatetimes('UTC') });
  const stores = {
    accounts: {
      usableKeys,
      recordRefusedKey: async (_: unknown, key: string, at: number) => void refused.set(key, at),
      recordAcceptedKey: async (_: unknown, key: string) => void refused.delete(key),
    },
    marketplaces: { callWith, clientOver },
    jobs: { add: addJob },
    logger: createLogger('silent', []),
    now: () => (clock.now += 10),
    pauses: createPauses(redis.first, { now: () => clock.now, firstMs: 60_000, probeMs: 60_000 }),
  };
  const incidents = { record: recordNoKey, clear: async () => pastIncidents.shift() };
  const clients = createAccountClients(stores as never, incidents as never);
  const client = () => clients.of(ref);
  /** Calls for a job of its own. */
  const job = async () =>
    (await clients.forJob(ref)).listCampaigns().catch((error: unknown) => (error === away ? 'away' : error));
  return {
    ...{ addJob, calls, client, clock, connected, job, marketplace },
    ...{ jobClient: () => clients.forJob(ref), recordNoKey, refused, revoked, usableKeys },
  };
}

test('a refused key that works again is recorded at once', async () => {
  const { client, refused, revoked, recordNoKey } = account();
  const call = async () => (await client()).listCampaigns();
  revoked.add('first');
  await call();
  expect([...refused.keys()]).toEqual(['first']);
  revoked.clear();
  revoked.add('second');
  await call();
  expect([...refused.keys()]).toEqual(['second']);
  expect(recordNoKey).not.toHaveBeenCalled();
});

test('an upload that can be read only once is sent with one key, which is used last when it was refused', async () => {
  const { client, refused, revoked, calls } = account();
  revoked.add('first');
  const file = { filename: 'a.txt', contentType: 'text/plain', stream: Readable.from(['x']), size: 1 };
  const submission = { workerId: 'w', ip: '203.0.113.9', proof: 'done', file };
  await expect((await client()).submitFileProof('c1', submission)).rejects.toBe(keyRefused);
  expect(calls).toEqual(['first']);
  expect([...refused.keys()]).toEqual(['first']);
});

test('a key that was connected after the others were read is used when these are refused', async () => {
  const { client, connected, revoked, recordNoKey, calls } = account();
  const early = await client();
  connected.push('third');
  revoked.add('first').add('second');
  await early.listCampaigns();
  expect(calls).toEqual(['first', 'second', 'third']);
  expect(recordNoKey).not.toHaveBeenCalled();

  connected.pop();
  await expect((await client()).listCampaigns()).rejects.toThrow();
  expect(calls).toHaveLength(4);
  expect(recordNoKey).toHaveBeenCalledTimes(1);
});

test('the keys are read once for the calls of a client, and again after one was refused', async () => {
  const { client, revoked, usableKeys, calls } = account();
  const one = await client();
  await Promise.all([one.listCampaigns(), one.listCampaigns()]);
  expect(usableKeys).toHaveBeenCalledTimes(1);
  revoked.add('first');
  await one.listCampaigns();
  await one.listCampaigns();
  expect(calls.slice(2)).toEqual(['first', 'second', 'second']);
  expect(usableKeys).toHaveBeenCalledTimes(2);
});

test('jobs wait once no key works, until one is connected', async () => {
  const { connected, job, revoked } = account();
  revoked.add('first').add('second');
  expect(await job()).toBe(keyRefused);
  await expect(job()).rejects.toThrow('marketplace pauses');
  connected.push('third');
  expect(await job()).toEqual([]);
  expect(await job()).toEqual([]);
});

test('what waited for a key that works is done, also without a pause', async () => {
  const { addJob, job } = account([{ code: 'NO_KEY' }]);
  expect([await job(), await job()]).toEqual([[], []]);
  expect(addJob.mock.calls.map(([name]: unknown[]) => name)).toEqual(['release']);
});

test('three failures in a row hold up the next job, and a success in between does not let them add up', async () => {
  const { job, marketplace } = account();
  for (let round = 0; round < 3; round += 1) {
    marketplace.isAway = true;
    expect([await job(), await job()]).toEqual(['away', 'away']);
    marketplace.isAway = false;
    expect(await job()).toEqual([]);
  }
  marketplace.isAway = true;
  for (let times = 0; times < 3; times += 1) await job();
  await expect(job()).rejects.toThrow('marketplace pauses');
});

test('a person’s call is made during a pause, ends it, and has what waited done once', async () => {
  const { addJob, client, job, marketplace } = account();
  marketplace.isAway = true;
  for (let times = 0; times < 3; times += 1) await job();
  await expect((await client()).listCampaigns()).rejects.toBe(away);
  marketplace.isAway = false;
  await (await client()).listCampaigns();
  await (await client()).listCampaigns();
  expect(addJob.mock.calls.map(([name]: unknown[]) => name)).toEqual(['release', 'poll']);
  expect(await job()).toEqual([]);
});

test('a job that probes makes one call after a pause, and its others once that has succeeded', async () => {
  const { calls, clock, job, jobClient, marketplace } = account();
  marketplace.isAway = true;
  for (let times = 0; times < 3; times += 1) await job();
  const poll = async () => {
    calls.length = 0;
    clock.now += 3_600_000;
    const client = await jobClient();
    return Promise.allSettled([client.listCampaigns(), client.listCampaigns()]);
  };
  expect((await poll()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toHaveLength(1);
  marketplace.isAway = false;
  expect((await poll()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(calls).toHaveLength(2);
});
