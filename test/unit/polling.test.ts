import { Queue } from 'bullmq';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createInboxImport } from '../../src/features/polling/import-inbox.ts';
import { createFirstImport, createPolling, type PollingContext } from '../../src/features/polling/index.ts';
import { createWindow } from '../../src/features/queue/index.ts';
import { createRequeue } from '../../src/features/reconcile/requeue.ts';
import { createJobs, queuePrefixOf } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { TransportError } from '../../src/marketplace/index.ts';
import type { Subscription } from '../../src/store/channels.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules, testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const subscription: Subscription = { account: ref.account, channel: asId('C1'), at: 1, started: false };

const clients = twoRedisClients();
const never = async () => false;
let polls: Queue;
let deps: PollingContext;
beforeEach(() => {
  const redis = clients.first;
  polls = new Queue('polls', { connection: redis, prefix: queuePrefixOf('polls') });
  const logger = createLogger('silent', []);
  const jobs = createJobs(redis, logger, createFailingJobs(redis, Date.now));
  const parts = testModules(
    redis,
    {
      slack: { cards: { clicked: async () => undefined, changed: async () => undefined } },
      channels: {
        routing: {
          forCampaign: async () => undefined,
          isFollowed: async (_: AccountRef, subscribed: readonly unknown[]) => subscribed.length > 0,
          forInbox: async () => undefined,
        },
        shared: { isShared: never, mustWait: never, mayPost: async () => true, forget: () => undefined },
      },
      marketplace: { of: () => Promise.reject(new Error('nothing is asked of the marketplace here')) },
    },
    {
      jobs,
      messengerOf: () => {
        throw new Error('nothing is said here');
      },
    },
  );
  deps = {
    ...parts,
    takeInStatuses: async () => undefined,
    requeue: createRequeue({ ...parts, shows: { outdated: async () => [], requeue: async () => undefined } }),
    redrawAfterRestart: async () => undefined,
    followers: [],
  };
});
afterEach(() => Promise.all([deps.jobs.close(), polls.close()]));

const isPolled = async () => [
  (await deps.channels.subscriptions.polledAccounts()).length,
  (await polls.getJobScheduler('poll T1 a1')) !== undefined,
  (await polls.getJobScheduler('sweep T1 a1')) !== undefined,
];

/** Detection for which somebody subscribes just after it has asked for the account's subscriptions the n-th time. */
function subscribedAfter(asking: number) {
  const { channels } = deps;
  let asked = 0;
  let subscribing: Promise<void> | undefined;
  const polling = createPolling({
    ...deps,
    channels: {
      ...channels,
      subscriptions: {
        ...channels.subscriptions,
        async ofAccount(of: AccountRef) {
          const found = await channels.subscriptions.ofAccount(of);
          asked += 1;
          if (asked !== asking) return found;
          await channels.subscriptions.put(ref.workspace, subscription);
          subscribing = polling.startPolling(ref, 30);
          // The first answer comes too late, the second before looking has been ended.
          if (asking === 1) await subscribing;
          return found;
        },
      },
    },
  });
  return { polling, subscribed: async () => subscribing };
}

test.each([1, 2])('who subscribes while looking ends is looked at, after answer %i', async (asking) => {
  await deps.channels.subscriptions.addPolledAccount(ref);
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

test('what nobody follows any more is only finished: nothing new is posted, and polls go on until then', async () => {
  const finishes: boolean[] = [];
  const requeue = {
    isAnythingUnfinished: async () => finishes.length < 2,
    requeueUnfinished: async (_: AccountRef, mayPost: boolean) => void finishes.push(mayPost),
  };
  const polling = createPolling({ ...deps, requeue });
  await polling.startPolling(ref, 30);
  for (const polled of [1, 1, 0]) {
    await polling.jobs.poll(ref);
    expect((await isPolled())[0]).toBe(polled);
  }
  expect(finishes).toEqual([false, false]);
});

test('while no channel gets the tasks of an account, only cards that stand are drawn again; what is due is sent', async () => {
  const done: unknown[] = [];
  const cards = [
    { id: 'a', card: { state: 'wanted' } },
    { id: 'b', card: { state: 'posted' } },
  ];
  const { requeueUnfinished } = createRequeue({
    ...onlyModules({
      tasks: { find: async () => [], lowest: async () => 7_999, getMany: async () => cards },
      jobs: { timeouts: { requeueAfterMs: 0 }, add: async (job: string) => void done.push(job) },
      slack: {
        cards: { changed: async (_: unknown, some: { id: string }[]) => void done.push(some.length) },
      },
      clock: { now: () => 10_000 },
    }),
    shows: { outdated: async () => [], requeue: async () => undefined },
  });
  await requeueUnfinished(ref, false);
  await requeueUnfinished(ref, true);
  expect(done).toEqual([1, 'send', 2, 'send']);
});

test('tasks wait for their cards until all campaigns were read or tried, whoever ends the first import', async () => {
  const { campaigns, channels } = deps;
  await channels.subscriptions.put(ref.workspace, { ...subscription, isImporting: true });
  await campaigns.requestFirstImport(ref, [asId('c1')]);
  const firstImport = createFirstImport(deps);
  await firstImport.finish(ref);
  expect(await channels.subscriptions.ofAccount(ref)).toEqual([{ ...subscription, isImporting: true }]);
  await campaigns.finishFirstImport(ref, asId('c1'));
  await Promise.all([firstImport.finish(ref), firstImport.finish(ref)]);
  expect(await channels.subscriptions.ofAccount(ref)).toEqual([{ ...subscription, started: true }]);
});

test('campaigns have no channel for cards before the first import has ended', async () => {
  const routed = async (started: boolean) => {
    const subscriptions = { ofAccount: async () => [{ ...subscription, started }] };
    const forCampaigns = async (_: unknown, ids: readonly string[]) => new Map(ids.map((id) => [id, 'C1']));
    const window = createWindow(onlyModules({ channels: { subscriptions, routing: { forCampaigns } } }));
    return (await window.routesOf(ref, [asId('c1')])).size;
  };
  expect([await routed(false), await routed(true)]).toEqual([0, 1]);
});

test('a poll that cannot read the inbox has failed, though it has listed the campaigns', async () => {
  await deps.channels.subscriptions.put(ref.workspace, { ...subscription, started: true });
  const failure = { operation: 'listMessages', kind: 'timeout', reason: 'timeout' } as const;
  const client = {
    listCampaignsExtended: async () => [],
    listMessages: () => Promise.reject(new TransportError({ ...failure, mayHaveBeenApplied: false })),
  };
  const marketplace = { ...deps.marketplace, of: async () => client as never };
  await createPolling({ ...deps, marketplace }).jobs.poll(ref);
  expect(await deps.marketplace.outages.since(ref)).toBeDefined();
});

test('a channel that is lost gets no cards: its tasks wait', async () => {
  const filled: string[] = [];
  const lost = { code: 'is_archived' };
  const byCampaign = (c1: unknown, c2: unknown) => new Map(Object.entries({ c1, c2 }));
  const window = createWindow(
    onlyModules({
      channels: {
        openCards: 20,
        settings: { get: async () => ({}) },
        subscriptions: {
          ofAccount: async () => [{ ...subscription, started: true }],
          ofChannel: async () => [],
        },
        routing: { forCampaigns: async () => byCampaign('C1', 'C2') },
        lost: { get: async (_: unknown, channel: string) => (channel === 'C1' ? lost : undefined) },
        windows: {
          isAnyQueued: async () => true,
          queues: async () => byCampaign(1, 1),
          async next(_: unknown, channel: string) {
            filled.push(channel);
            return [];
          },
        },
      },
      slack: { cards: { changed: async () => undefined } },
    }),
  );
  await window.fill(ref);
  expect(filled).toEqual(['C2']);
});

test('of an inbox that is read for the first time the five newest unread messages are announced, later each new one', async () => {
  const announced: string[] = [];
  const known = new Map<string, string>();
  let wasRead = false;
  const inbox = createInboxImport(
    onlyModules({
      channels: { routing: { forInbox: async () => 'C2' } },
      slack: {
        announcements: {
          known: async () => known,
          wasRead: async () => wasRead,
          recordRead: async () => {
            wasRead = true;
          },
          async apply(_: unknown, id: string, event: { type: string; announce?: boolean }) {
            known.set(id, event.type === 'left' ? 'trashed' : 'unread');
            if (event.announce) announced.push(id);
          },
        },
      },
    }),
  );
  const message = (n: number, unread = true) => ({ id: `m${n}`, unread, subject: '', sentAt: new Date(n) });
  const all = [7, 6, 5, 4, 3, 2, 1].map((n) => message(n, n !== 6));
  await inbox.importMessages(ref, all as never, true);
  expect(announced.splice(0)).toEqual(['m2', 'm3', 'm4', 'm5', 'm7']);
  const later = [8, 9, 10, 11, 12, 13, 14].map((n) => message(n, n !== 14));
  await inbox.importMessages(ref, later as never, false);
  expect(announced).toHaveLength(6);
  expect([...known.values()]).not.toContain('trashed');
  await inbox.importMessages(ref, later as never, true);
  expect([...known].filter(([, state]) => state === 'trashed')).toHaveLength(7);
});
