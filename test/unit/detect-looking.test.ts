import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SeenRow } from '../../src/domain/events.ts';
import { noFaults } from '../../src/domain/fault-points.ts';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import type { DetectDeps } from '../../src/features/detect/deps.ts';
import { createFirstLook } from '../../src/features/detect/first-look.ts';
import { createInboxNews } from '../../src/features/detect/inbox-news.ts';
import { createDetect } from '../../src/features/detect/index.ts';
import { createJobs, queuePrefix } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { createAccountLeases } from '../../src/store/account-leases.ts';
import { createAnnouncements } from '../../src/store/announcements.ts';
import { createBacklogSummaries } from '../../src/store/backlog-summaries.ts';
import { createCampaigns } from '../../src/store/campaigns.ts';
import { createIncidents } from '../../src/store/incidents.ts';
import { createRateLimiter, defaultRateLimits } from '../../src/store/rate-limiter.ts';
import { createSubscriptions, type Subscription } from '../../src/store/subscriptions.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { createWorkers } from '../../src/store/workers.ts';
import { asId } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const subscription: Subscription = { account: ref.account, channel: asId('C1'), at: 1, started: false };

let server: TestRedis;
let redis: Redis;
let looks: Queue;
let deps: DetectDeps;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  redis = new Redis(server.url, { maxRetriesPerRequest: null });
  await redis.flushall();
  looks = new Queue('looks', { connection: redis, prefix: queuePrefix });
  const logger = createLogger('silent', []);
  const jobs = createJobs(redis, logger);
  deps = {
    tasks: createTasks(redis),
    campaigns: createCampaigns(redis),
    subscriptions: createSubscriptions(redis),
    incidents: createIncidents(redis),
    leases: createAccountLeases(redis),
    rateLimiter: createRateLimiter(redis, defaultRateLimits),
    inbox: createInboxNews({ announcements: createAnnouncements(redis), jobs }),
    backlogSummaries: createBacklogSummaries(redis),
    workers: createWorkers(redis),
    jobs,
    marketplaceOf: () => Promise.reject(new Error('nothing is asked of the marketplace here')),
    messengerOf: () => {
      throw new Error('nothing is said here');
    },
    timeouts: defaultTimeouts,
    faults: noFaults,
    logger,
    now: Date.now,
    sweepMs: 600_000,
  };
});
afterEach(async () => {
  await Promise.all([deps.jobs.close(), looks.close()]);
  redis.disconnect();
});

const isLookedAt = async () => [
  (await deps.subscriptions.polledAccounts()).length,
  (await looks.getJobScheduler('look T1 a1')) !== undefined,
  (await looks.getJobScheduler('sweep T1 a1')) !== undefined,
];

/** Detection for which somebody subscribes just after it has asked for the account's subscriptions the n-th time. */
function subscribedAfter(asking: number) {
  const { subscriptions } = deps;
  let asked = 0;
  let subscribing: Promise<void> | undefined;
  const detect = createDetect({
    ...deps,
    subscriptions: {
      ...subscriptions,
      async ofAccount(of) {
        const found = await subscriptions.ofAccount(of);
        asked += 1;
        if (asked !== asking) return found;
        await subscriptions.put(ref.workspace, subscription);
        subscribing = detect.startLooking(ref, 30);
        // The first answer comes too late, the second before looking has been ended.
        if (asking === 1) await subscribing;
        return found;
      },
    },
  });
  return { detect, subscribed: async () => subscribing };
}

test.each([1, 2])('who subscribes while looking ends is looked at, after answer %i', async (asking) => {
  await deps.subscriptions.addPolledAccount(ref);
  const { detect, subscribed } = subscribedAfter(asking);
  await detect.jobs.look(ref);
  await subscribed();
  expect(await isLookedAt()).toEqual([1, true, true]);
});

test('looking ends when nobody is subscribed and nothing is left', async () => {
  const detect = createDetect(deps);
  await detect.startLooking(ref, 30);
  expect(await isLookedAt()).toEqual([1, true, true]);
  await detect.jobs.look(ref);
  expect(await isLookedAt()).toEqual([0, false, false]);
});

test('a first look that ends between two steps gives no more cards when it is done again', async () => {
  const { tasks, subscriptions } = deps;
  await subscriptions.put(ref.workspace, { ...subscription, reads: 0 });
  for (let minute = 1; minute <= 30; minute++) await wait(asId(`older ${minute}`), minute);
  const dies = new Error('dies here');
  const dying = createFirstLook({ ...deps, jobs: { ...deps.jobs, addAll: () => Promise.reject(dies) } });
  await expect(dying.finish(ref)).rejects.toThrow(dies);

  // What comes in meanwhile is newer than all that was chosen.
  for (let minute = 31; minute <= 40; minute++) await wait(asId(`newer ${minute}`), minute);
  const firstLook = createFirstLook(deps);
  await Promise.all([firstLook.finish(ref), firstLook.finish(ref)]);
  const [done] = await subscriptions.ofAccount(ref);
  expect(done).toEqual({ ...subscription, started: true });
  expect(await tasks.count(ref, 'backlog')).toBe(20);
  await firstLook.finish(ref);
  expect(await tasks.count(ref, 'backlog')).toBe(20);
});

async function wait(id: TaskId, finishedAt: number): Promise<void> {
  const row: SeenRow = {
    readAt: 100,
    id,
    campaign: asId('c1'),
    rating: 'NOTRATED',
    comment: '',
    worker: { id: asId('w1'), country: 'France', ip: '203.0.113.7' },
    csvRow: '',
    proof: { slots: [], files: [], finishedAt },
    want: 'backlog',
  };
  await deps.tasks.apply(ref, id, { type: 'seen', ...row });
}
