import { beforeEach, expect, test } from 'vitest';
import { campaign as sampleCampaign } from '../../gallery/samples/campaigns.ts';
import { campaignOf } from '../../src/domain/campaign.ts';
import { money } from '../../src/domain/money.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import { createIncompleteReadReports } from '../../src/features/polling/incomplete-reads.ts';
import { createPolling, type PollingContext } from '../../src/features/polling/index.ts';
import type { CampaignSummary, ListShortfall, MarketplaceClient } from '../../src/marketplace/index.ts';
import type { Subscription } from '../../src/store/channels.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const subscription: Subscription = { account: ref.account, channel: asId('C1'), at: 1, started: true };

const redis = redisPerFile();
let deps: PollingContext;
let list: CampaignSummary[];
/** What the list of campaigns lacks. */
let lacking: ListShortfall | undefined;
/** The imports that were queued. */
let imports: string[];
/** What was said in channels. */
let said: string[];
const clock = { now: 0 };
const c1 = asId<CampaignId>('c1');

const campaign = (id: string, tasksNotRated = 0): CampaignSummary => ({
  ...sampleCampaign({ id: asId(id), tasksOk: 1, tasksNok: 0, tasksNotRated }),
  ...{
    requiredWork: '',
    requiredProof: '',
    createdAt: undefined,
    paymentPerTask: money('0.1'),
    qtRequired: false,
  },
});

const marketplace: Pick<MarketplaceClient, 'listCampaignsExtended' | 'listMessages' | 'campaignResults'> = {
  async listCampaignsExtended(_, options) {
    if (lacking) options?.onIncomplete?.(lacking);
    return list;
  },
  async listMessages(_, options) {
    if (lacking) options?.onIncomplete?.(lacking);
    return [];
  },
  async campaignResults() {
    const counts = { OK: 0, NOK: 0, REVISE: 0, NOTRATED: 0, NOTREVIEWED: 0 };
    return { preamble: {}, problems: [], doubtful: new Set(), counts, wireBytes: 1, rows: [] };
  },
};

beforeEach(async () => {
  imports = [];
  said = [];
  lacking = undefined;
  clock.now = Date.UTC(2026, 10, 20);
  list = [campaign('c1'), campaign('c2')];
  const jobs = {
    addAll: async (name: string, payloads: readonly { readonly campaign: string }[]) => {
      if (name === 'import') imports.push(...payloads.map(({ campaign: id }) => id));
    },
    add: async () => undefined,
  } as never;
  const messenger = { post: async (_: string, { text }: { text: string }) => void said.push(text) } as never;
  const shared = { mayPost: async () => true };
  const parts = { marketplace: { of: async () => marketplace }, channels: { shared } };
  deps = {
    ...testModules(redis(), parts, { jobs, now: () => clock.now, messengerOf: () => messenger }),
    takeInStatuses: async () => undefined,
    redrawAfterRestart: async () => undefined,
    followers: [],
    requeue: { requeueUnfinished: async () => undefined } as never,
  };
  await deps.channels.subscriptions.put(ref.workspace, subscription);
});

/** Polls, and returns which imports that queues. */
async function polls(): Promise<string[]> {
  imports = [];
  await createPolling(deps).jobs.poll(ref);
  return imports;
}

test('campaigns are asked for again as long as something is to be done', async () => {
  list = [campaign('c1', 1)];
  for (const _ of ['first', 'second', 'third']) expect(await polls()).toEqual(['c1']);
});

test('a campaign is read once something waits in it, and then when its counts differ or it was rated since', async () => {
  list = [campaign('c1')];
  expect(await polls()).toEqual([]);
  list = [campaign('c1', 1)];
  expect(await polls()).toEqual(['c1']);
  const at = clock.now;
  await deps.campaigns.recordImport(ref, c1, { counts: '1/0/1/0', at, bytes: 1 });
  expect(await polls()).toEqual([]);
  // The clocks may differ by two seconds.
  await deps.campaigns.recordRated(ref, c1, at - 2_000);
  expect(await polls()).toEqual([]);
  await deps.campaigns.recordRated(ref, c1, at - 1_999);
  expect(await polls()).toEqual(['c1']);
  await deps.campaigns.recordImport(ref, c1, { counts: '1/0/1/0', at: at + 10_000, bytes: 1 });
  list = [campaign('c1', 2)];
  expect(await polls()).toEqual(['c1']);
});

test('results that were incomplete are read again when it is time, or when the counts of the list are others', async () => {
  const { now } = clock;
  const counts = { listed: '1/0/1/0', read: '', sameSince: now };
  const read = { since: now, times: 1, wrong: 1, nextAt: now + 30_000, ...counts, notified: false };
  await deps.campaigns.incompleteReads.update(ref, 'c1', () => read);
  list = [campaign('c1', 1)];
  expect(await polls()).toEqual([]);
  list = [campaign('c1', 2)];
  expect(await polls()).toEqual(['c1']);
  list = [campaign('c1', 1)];
  clock.now += 30_000;
  expect(await polls()).toEqual(['c1']);
});

test('the first import waits for the whole list of campaigns, but for no more than two that lack some', async () => {
  await deps.channels.subscriptions.put(ref.workspace, { ...subscription, started: false });
  list = [campaign('c1', 1)];
  lacking = { read: 1, expected: 2, unreadable: [] };
  expect([await polls(), await polls(), await polls()]).toEqual([[], [], ['c1']]);
});

test('a campaign that runs, or in which something waits, is read in full about every ten minutes', async () => {
  const { campaigns } = deps;
  const ago = (minutes: number) => ({ counts: '', at: clock.now - 60_000 * minutes, bytes: 1 });
  const ended = { ...campaign('ended'), status: 'FINISHED' } as const;
  await campaigns.store(ref, [campaign('c1'), campaign('c2'), ended, campaign('unread')].map(campaignOf));
  await campaigns.recordImport(ref, c1, ago(9.1));
  await campaigns.recordImport(ref, asId('c2'), ago(8.9));
  await campaigns.recordImport(ref, asId('ended'), ago(20));
  await createPolling(deps).jobs.sweep(ref);
  expect(imports).toEqual(['c1']);
});

const wrong = { wrong: 'end early', listed: '', read: '', isCountsOnly: false, hasProgressed: false };

test('people are told of results that were wrong three times, and when they are whole again', async () => {
  const reads = createIncompleteReadReports(deps);
  for (const count of [0, 0, 1, 1]) {
    await reads.results(ref, c1, wrong);
    expect(said).toHaveLength(count);
  }
  await reads.results(ref, c1, undefined);
  await reads.results(ref, c1, undefined);
  expect(said).toHaveLength(2);

  const incidents = async () => (await deps.jobs.incidents.all(ref.workspace)).size;
  for (const count of [0, 0, 1]) {
    await reads.results(ref, c1, wrong);
    expect(await incidents()).toBe(count);
  }
  // Nobody follows it any more.
  await reads.forgetOthers(ref, await deps.campaigns.incompleteReads.all(ref), new Set());
  expect(await incidents()).toBe(0);
});

test('people are told of results that lag for an hour in which nothing is caught up', async () => {
  const reads = createIncompleteReadReports(deps);
  const behind = { ...wrong, wrong: undefined };
  await reads.results(ref, c1, behind);
  clock.now += 3_599_000;
  await reads.results(ref, c1, { ...behind, hasProgressed: true });
  clock.now += 3_599_000;
  await reads.results(ref, c1, behind);
  expect(said).toEqual([]);
  clock.now += 1_000;
  await reads.results(ref, c1, behind);
  expect(said).toHaveLength(1);
});

test('counts that differ in the same way for ten minutes are another way of counting', async () => {
  const reads = createIncompleteReadReports(deps);
  const other = { ...wrong, wrong: undefined, isCountsOnly: true, listed: '1/0/0/0', read: '0/0/0/0' };
  const isUsual = (more = {}) => reads.isUsualDifference(ref, c1, { ...other, ...more });
  expect(await isUsual()).toBe(false);
  await reads.results(ref, c1, other);
  clock.now += 599_999;
  expect(await isUsual()).toBe(false);
  clock.now += 1;
  expect(await isUsual()).toBe(true);
  for (const more of [{ listed: '2/0/0/0' }, { read: '1/0/0/0' }, { isCountsOnly: false }])
    expect(await isUsual(more)).toBe(false);
});

test('tasks that were imported are compared and indexed at once, not only with the next poll', async () => {
  const followed: unknown[] = [];
  const followers = [{ afterImport: async (of: unknown) => void followed.push(of) }];
  await createPolling({ ...deps, followers }).jobs.import({ ...ref, campaign: c1 });
  expect(followed).toEqual([ref]);
});

test('results that were never read wait until the bytes for them may be read', async () => {
  const rateLimiter = { ...deps.slack.rateLimiter, acquireCsv: async () => 500 };
  const { jobs } = createPolling({ ...deps, slack: { ...deps.slack, rateLimiter } });
  expect(await jobs.import({ ...ref, campaign: c1 })).toEqual({ again: 500 });
});

test('a campaign that is being read is not asked for again, unless it has changed since', async () => {
  list = [campaign('c1', 1), campaign('c2', 1)];
  await deps.campaigns.recordReading(ref, c1, '1/0/1/0', 60_000);
  expect(await polls()).toEqual(['c2']);
  list = [campaign('c1', 2)];
  expect(await polls()).toEqual(['c1']);
  list = [campaign('c1', 1)];
  await deps.campaigns.forgetReading(ref, c1);
  expect(await polls()).toEqual(['c1']);
});

test('a first import waits for no campaign that is gone, unless the list lacks some', async () => {
  await deps.campaigns.requestFirstImport(ref, [c1, asId('gone')]);
  const left = async () => [...(await deps.campaigns.firstImports(ref)).keys()];
  lacking = { read: 1, expected: 2, unreadable: [] };
  expect([await polls(), await left()]).toEqual([['c1'], ['c1', 'gone']]);
  lacking = undefined;
  expect([await polls(), await left()]).toEqual([['c1'], ['c1']]);
});
