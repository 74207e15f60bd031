import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { AccountRef, CampaignId } from '../../src/domain/terms.ts';
import type { PollingContext } from '../../src/features/polling/context.ts';
import { createPolling } from '../../src/features/polling/index.ts';
import type { CampaignSummary, MarketplaceClient } from '../../src/marketplace/index.ts';
import type { Subscription } from '../../src/store/subscriptions.ts';
import { asId } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const subscription: Subscription = { account: ref.account, channel: asId('C1'), at: 1, started: true };

let server: TestRedis;
let redis: Redis;
let deps: PollingContext;
let list: CampaignSummary[];
/** How often the list was read, and the imports that were queued. */
let reads: number;
let imports: string[];

const campaign = (id: string, tasksNotRated = 0): CampaignSummary => ({
  id: asId(id),
  status: 'RUNNING',
  title: id,
  requiredWork: 'A photo',
  requiredProof: 'The photo',
  availablePositions: 9,
  createdAt: undefined,
  excludedCountries: '',
  targetedCountries: '',
  paymentPerTask: money('0.1'),
  speed: '',
  qtRequired: false,
  tasksOk: 1,
  tasksNok: 0,
  tasksNotRated,
  tasksNotReviewed: 0,
});

const marketplace: Pick<MarketplaceClient, 'listCampaignsExtended' | 'listMessages'> = {
  async listCampaignsExtended(_, options) {
    const digest = createHash('sha1').update(JSON.stringify(list)).digest('hex');
    if (options?.isKnown?.(digest)) return [];
    reads += 1;
    return list;
  },
  listMessages: async () => [],
};

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  redis = new Redis(server.url);
  await redis.flushall();
  reads = 0;
  imports = [];
  list = [campaign('c1'), campaign('c2')];
  const jobs = {
    addAll: async (name: string, payloads: readonly { readonly campaign: string }[]) => {
      if (name === 'import') imports.push(...payloads.map(({ campaign: id }) => id));
    },
    add: async () => undefined,
  } as never;
  deps = {
    ...testModules(redis, { marketplace: { of: async () => marketplace } }, { jobs }),
    inbox: { importMessages: async () => undefined } as never,
    takeInStatuses: async () => undefined,
    redrawAfterRestart: async () => undefined,
    followers: [],
    requeue: { requeueUnfinished: async () => undefined } as never,
  };
  await deps.channels.subscriptions.put(ref.workspace, subscription);
});
afterEach(() => redis.disconnect());

describe('a list that is the same as when nothing was to be done', () => {
  test('is not read again, nor is anything of its campaigns', async () => {
    const { jobs } = createPolling(deps);
    await jobs.poll(ref);
    await jobs.poll(ref);
    const before = reads;
    const stored = await deps.campaigns.storedAt(ref);
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const costOf = async () => {
      const began = await sent();
      await jobs.poll(ref);
      return (await sent()) - began;
    };
    const few = await costOf();
    expect(reads).toBe(before);
    const later = createPolling({ ...deps, clock: { ...deps.clock, now: () => Date.now() + 60_000 } });
    await later.jobs.poll(ref);
    expect(reads).toBe(before);
    expect(await deps.campaigns.storedAt(ref)).toBeGreaterThan((stored ?? Number.NaN) + 50_000);

    list = Array.from({ length: 500 }, (_, index) => campaign(`many ${index}`));
    await jobs.poll(ref);
    await jobs.poll(ref);
    // Only the figures of the statistics themselves may be longer.
    expect(await costOf()).toBeLessThan(few * 1.1);
  });

  const changes: [string, () => Promise<unknown>][] = [
    ['the list', async () => list.push(campaign('c3'))],
    ['a rating made here', () => deps.campaigns.recordRated(ref, asId('c1'), Date.now())],
    ['an import asked for', () => deps.campaigns.requestImports(ref, [asId('c1')])],
    ['an import', () => deps.campaigns.recordImport(ref, asId('c1'), { counts: '', at: 1, bytes: 1 })],
    ['a first import', () => deps.campaigns.requestFirstImport(ref, [asId('c1')])],
    [
      'a read that was not complete',
      () => deps.campaigns.incompleteReads.update(ref, 'c1', () => incomplete),
    ],
    ['another list that was stored', () => deps.campaigns.store(ref, [{ ...stored, tasksOk: 7 }])],
    [
      'a subscription',
      () => deps.channels.subscriptions.put(ref.workspace, { ...subscription, channel: asId('C2'), at: 2 }),
    ],
  ];
  const incomplete = {
    ...{ since: 1, times: 1, wrong: 1, nextAt: 1, listed: '', read: '', sameSince: 1 },
    notified: true,
  };
  const stored = {
    id: asId<CampaignId>('c1'),
    title: 'c1',
    status: 'RUNNING' as const,
    availablePositions: 9,
    targetedCountries: '',
    excludedCountries: '',
    paymentPerTask: '0.1',
    speed: '',
    tasksOk: 1,
    tasksNok: 0,
    tasksNotRated: 0,
    tasksNotReviewed: 0,
  };

  test.each(changes)('is read again after a change of %s', async (_, change) => {
    const { jobs } = createPolling(deps);
    await jobs.poll(ref);
    await jobs.poll(ref);
    await jobs.poll(ref);
    const before = reads;
    await change();
    await jobs.poll(ref);
    expect(reads).toBe(before + 1);
  });

  test('is read again as long as something is to be done', async () => {
    list = [campaign('c1', 1)];
    const { jobs } = createPolling(deps);
    for (let poll = 1; poll <= 3; poll += 1) {
      await jobs.poll(ref);
      expect([reads, imports.length]).toEqual([poll, poll]);
    }
    await jobs.sweep(ref);
  });
});

test('a campaign that is being read is not asked for again, unless it has changed since', async () => {
  const { jobs } = createPolling(deps);
  list = [campaign('c1', 1), campaign('c2', 1)];
  await deps.campaigns.recordReading(ref, asId('c1'), '1/0/1/0', 60_000);
  await jobs.poll(ref);
  expect(imports).toEqual(['c2']);
  list = [campaign('c1', 2)];
  await jobs.poll(ref);
  expect(imports).toEqual(['c2', 'c1']);
  list = [campaign('c1', 1)];
  await deps.campaigns.forgetReading(ref, asId('c1'));
  await jobs.poll(ref);
  expect(imports).toEqual(['c2', 'c1', 'c1']);
});
