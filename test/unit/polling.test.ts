import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { noFaults } from '../../src/domain/fault-points.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import type { PollingContext } from '../../src/features/polling/context.ts';
import { createFirstImport } from '../../src/features/polling/first-import.ts';
import { createInboxImport } from '../../src/features/polling/import-inbox.ts';
import { createPolling } from '../../src/features/polling/index.ts';
import { createRequeue } from '../../src/features/reconcile/requeue.ts';
import { createJobs, queuePrefixOf } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { createBriefs, createCampaignStates, createCampaigns } from '../../src/store/campaigns.ts';
import { createCardWindows } from '../../src/store/cards.ts';
import { createChannelSettings } from '../../src/store/channels.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { createAccountLeases, defaultTimeouts } from '../../src/store/leases.ts';
import { createRateLimiter, defaultRateLimits } from '../../src/store/limits.ts';
import {
  createAnnouncements,
  createAssignedNotices,
  createCampaignNotices,
  createDailySummaries,
  createQueueMessages,
  createReminders,
} from '../../src/store/messages.ts';
import {
  createAccountOutages,
  createIncidents,
  createIncompleteReads,
  createSlackOutages,
} from '../../src/store/outages.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { createSubscriptions, type Subscription } from '../../src/store/subscriptions.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { createWorkers } from '../../src/store/workers.ts';
import { asId } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const subscription: Subscription = { account: ref.account, channel: asId('C1'), at: 1, started: false };

let server: TestRedis;
let redis: Redis;
let polls: Queue;
let deps: PollingContext;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  redis = new Redis(server.url, { maxRetriesPerRequest: null });
  await redis.flushall();
  polls = new Queue('polls', { connection: redis, prefix: queuePrefixOf('polls') });
  const logger = createLogger('silent', []);
  const jobs = createJobs(redis, logger, createFailingJobs(redis, Date.now));
  const parts = {
    announcements: createAnnouncements(redis),
    tasks: createTasks(redis),
    briefs: createBriefs(redis),
    campaigns: createCampaigns(redis),
    campaignNotices: createCampaignNotices(redis),
    campaignStates: createCampaignStates(redis),
    dailySummaries: createDailySummaries(redis),
    subscriptions: createSubscriptions(redis),
    pauses: createPauses(redis, { now: Date.now, firstMs: 1_000, probeMs: 1_000 }),
    outages: createAccountOutages(redis),
    slackOutages: createSlackOutages(redis),
    noticeAfterMs: 60_000,
    incidents: createIncidents(redis),
    incompleteReads: createIncompleteReads(redis),
    pollSeconds: 30,
    leases: createAccountLeases(redis),
    rateLimiter: createRateLimiter(redis, defaultRateLimits),
    cardWindows: createCardWindows(redis),
    cardLine: { clicked: async () => undefined, changed: async () => undefined },
    channelSettings: createChannelSettings(redis),
    queueMessages: createQueueMessages(redis),
    openCards: 20,
    reminders: createReminders(redis),
    assignedNotices: createAssignedNotices(redis),
    workers: createWorkers(redis),
    deadLetterActs: { choose: async () => false, finish: async () => undefined },
    jobs,
    marketplaceOf: () => Promise.reject(new Error('nothing is asked of the marketplace here')),
    messengerOf: () => {
      throw new Error('nothing is said here');
    },
    timeouts: defaultTimeouts,
    faults: noFaults,
    logger,
    now: Date.now,
    slackNow: Date.now,
    routing: {
      forCampaign: async () => undefined,
      chosenForInbox: async () => undefined,
      forInbox: async () => undefined,
    },
    sharedChannels: {
      isShared: async () => false,
      mustWait: async () => false,
      mayPost: async () => true,
      forget: () => undefined,
    },
    sweepMs: 600_000,
  };
  deps = {
    ...parts,
    inbox: createInboxImport(parts),
    takeInStatuses: async () => undefined,
    requeue: createRequeue(parts),
    redrawAfterRestart: async () => undefined,
  };
});
afterEach(async () => {
  await Promise.all([deps.jobs.close(), polls.close()]);
  redis.disconnect();
});

const isPolled = async () => [
  (await deps.subscriptions.polledAccounts()).length,
  (await polls.getJobScheduler('poll T1 a1')) !== undefined,
  (await polls.getJobScheduler('sweep T1 a1')) !== undefined,
];

/** Detection for which somebody subscribes just after it has asked for the account's subscriptions the n-th time. */
function subscribedAfter(asking: number) {
  const { subscriptions } = deps;
  let asked = 0;
  let subscribing: Promise<void> | undefined;
  const polling = createPolling({
    ...deps,
    subscriptions: {
      ...subscriptions,
      async ofAccount(of) {
        const found = await subscriptions.ofAccount(of);
        asked += 1;
        if (asked !== asking) return found;
        await subscriptions.put(ref.workspace, subscription);
        subscribing = polling.startPolling(ref, 30);
        // The first answer comes too late, the second before looking has been ended.
        if (asking === 1) await subscribing;
        return found;
      },
    },
  });
  return { polling, subscribed: async () => subscribing };
}

test.each([1, 2])('who subscribes while looking ends is looked at, after answer %i', async (asking) => {
  await deps.subscriptions.addPolledAccount(ref);
  const { polling, subscribed } = subscribedAfter(asking);
  await polling.jobs.poll(ref);
  await subscribed();
  expect(await isPolled()).toEqual([1, true, true]);
});

test('looking ends when nobody is subscribed and nothing is left', async () => {
  const polling = createPolling(deps);
  await polling.startPolling(ref, 30);
  expect(await isPolled()).toEqual([1, true, true]);
  await polling.jobs.poll(ref);
  expect(await isPolled()).toEqual([0, false, false]);
});

test('tasks wait for their cards until all campaigns were read or tried, whoever ends the first import', async () => {
  const { campaigns, subscriptions } = deps;
  await subscriptions.put(ref.workspace, { ...subscription, reads: 1 });
  await campaigns.requestFirstImport(ref, [asId('c1')]);
  const firstImport = createFirstImport(deps);
  await firstImport.finish(ref);
  expect(await subscriptions.ofAccount(ref)).toEqual([{ ...subscription, reads: 1 }]);
  await campaigns.finishFirstImport(ref, asId('c1'));
  await Promise.all([firstImport.finish(ref), firstImport.finish(ref)]);
  expect(await subscriptions.ofAccount(ref)).toEqual([{ ...subscription, started: true }]);
});
