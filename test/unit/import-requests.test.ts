import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import type { PollingContext } from '../../src/features/polling/index.ts';
import { createPolling } from '../../src/features/polling/index.ts';
import type { CampaignSummary, MarketplaceClient } from '../../src/marketplace/index.ts';
import type { Subscription } from '../../src/store/channels.ts';
import { asId } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const subscription: Subscription = { account: ref.account, channel: asId('C1'), at: 1, started: true };

let server: TestRedis;
let redis: Redis;
let deps: PollingContext;
let list: CampaignSummary[];
/** The imports that were queued. */
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
  listCampaignsExtended: async () => list,
  listMessages: async () => [],
};

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  redis = new Redis(server.url);
  await redis.flushall();
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

test('campaigns are asked for again as long as something is to be done', async () => {
  list = [campaign('c1', 1)];
  const { jobs } = createPolling(deps);
  for (let poll = 1; poll <= 3; poll += 1) {
    await jobs.poll(ref);
    expect(imports).toHaveLength(poll);
  }
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
