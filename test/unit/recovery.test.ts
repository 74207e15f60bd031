import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SeenRow } from '../../src/domain/events.ts';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import { createRecovery } from '../../src/features/reconcile/recovery.ts';
import { createJobs } from '../../src/jobs/queue.ts';
import { queuePrefixOf } from '../../src/jobs/queue-prefix.ts';
import { createLogger } from '../../src/logger.ts';
import { cardTag } from '../../src/slack/card-tag.ts';
import { noticeTag } from '../../src/slack/message-tags.ts';
import { createMessenger, type TaggedPage } from '../../src/slack/messenger.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createAccountLeases } from '../../src/store/account-leases.ts';
import { createAccountOutages } from '../../src/store/account-outages.ts';
import { createAnnouncements } from '../../src/store/announcements.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { createCampaignNotices } from '../../src/store/campaign-notices.ts';
import { createCampaignStates } from '../../src/store/campaign-states.ts';
import { createCampaigns } from '../../src/store/campaigns.ts';
import { createDailySummaries } from '../../src/store/daily-summaries.ts';
import { createDataEpochs } from '../../src/store/data-epoch.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { createIncidents } from '../../src/store/incidents.ts';
import { createIncompleteReads } from '../../src/store/incomplete-reads.ts';
import { accountKey } from '../../src/store/keys.ts';
import { createQueueMessages } from '../../src/store/queue-messages.ts';
import { createRateLimiter, defaultRateLimits } from '../../src/store/rate-limiter.ts';
import { createReminders } from '../../src/store/reminders.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { asId } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const channel = asId<never>('C1');
const nobody = createLogger('silent', []);

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { maxRetriesPerRequest: null });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  await createSubscriptions(redis).put(ref.workspace, {
    account: ref.account,
    channel,
    at: 1,
    started: true,
  });
});

/** One process. @param readPage what it reads from the channel, since when (ms) */
function bot(
  readPage: (before: string | undefined, since: number) => TaggedPage,
  timeouts = defaultTimeouts,
) {
  const stores = {
    announcements: createAnnouncements(redis),
    queueMessages: createQueueMessages(redis),
    reminders: createReminders(redis),
    campaigns: createCampaigns(redis),
    campaignNotices: createCampaignNotices(redis),
    campaignStates: createCampaignStates(redis),
    dailySummaries: createDailySummaries(redis),
    epochs: createDataEpochs(redis),
    incidents: createIncidents(redis),
    incompleteReads: createIncompleteReads(redis),
    outages: createAccountOutages(redis),
    leases: createAccountLeases(redis),
    rateLimiter: createRateLimiter(redis, defaultRateLimits),
    subscriptions: createSubscriptions(redis),
    tasks: createTasks(redis),
  };
  const jobs = createJobs(redis, nobody, createFailingJobs(redis, Date.now));
  const recovery = createRecovery({
    ...stores,
    audit: createAudit(redis),
    routing: {
      forCampaign: async () => undefined,
      chosenForInbox: async () => undefined,
      forInbox: async () => undefined,
    },
    jobs,
    logger: nobody,
    messengerOf: () =>
      ({
        taggedPage: async (_: string, since: number, before?: string) => readPage(before, since),
      }) as never,
    now: Date.now,
    reconnect: async () => undefined,
    timeouts,
  });
  return { ...stores, jobs, recovery };
}

/** Returns what the account's channel is to be told of. */
async function lossesToTell(): Promise<unknown[]> {
  const cards = new Queue('cards', { connection: redis, prefix: queuePrefixOf('cards') });
  const waiting = await cards.getJobs(['waiting', 'delayed', 'prioritized']);
  await cards.close();
  return waiting.filter(({ name }) => name === 'tell-loss').map(({ data }) => data);
}

const seen = (id: string, want: SeenRow['want']) => ({
  type: 'seen' as const,
  readAt: Date.now(),
  id: asId<TaskId>(id),
  campaign: asId<never>('c1'),
  rating: 'NOTRATED' as const,
  comment: '',
  worker: { id: asId<never>('w1'), country: 'KE', ip: '203.0.113.7' },
  csvRow: '1',
  proof: { slots: ['done'], files: [] },
  want,
});

test('a thousand cards are taken up page by page; after a 429 the search goes on where it was, also elsewhere', async () => {
  const cards = Array.from({ length: 1_000 }, (_, index) => ({
    ts: `${2_000_000_000 - index}.000100`,
    ...cardTag(ref.account, asId(`t${index}`), 1),
  }));
  const reads: (string | undefined)[] = [];
  let isLimited = false;
  const readPage = (before: string | undefined): TaggedPage => {
    if (reads.length === 2 && !isLimited) {
      isLimited = true;
      throw Object.assign(new SlackError('conversations.history', new Error('limited')), {
        kind: 'rate-limited',
        retryAfterMs: 1,
      });
    }
    reads.push(before);
    const from = before === undefined ? 0 : cards.findIndex(({ ts }) => ts < before);
    const tagged = cards.slice(from, from + 200);
    return { tagged, next: from + 200 < cards.length ? tagged.at(-1)?.ts : undefined };
  };
  const first = bot(readPage);
  expect(await first.recovery.recovered(ref)).toBeUndefined();
  const second = bot(readPage);
  await expect.poll(() => second.recovery.recovered(ref)).toMatchObject({ polls: expect.any(Number) });
  expect(reads).toHaveLength(5);
  expect(new Set(reads).size).toBe(5);
  expect((await second.campaigns.foundCards(ref)).size).toBe(1_000);
  await Promise.all([first.jobs.close(), second.jobs.close()]);
});

test('two processes that doubt the same data recover them once, and what was written for the data before counts for nothing', async () => {
  let searches = 0;
  const readPage = (): TaggedPage => {
    searches++;
    return { tagged: [], next: undefined };
  };
  const [one, other] = [bot(readPage), bot(readPage)];
  const before = await one.recovery.recovered(ref);
  await other.recovery.recovered(ref);
  if (before === undefined) throw new Error('not recovered');
  await one.epochs.recordPoll(ref, before, 1);
  await other.epochs.check(ref);
  searches = 0;

  // An older copy: it counts fewer polls.
  await redis.hset(accountKey(ref, 'looks'), 'looks', 0);
  await Promise.all([one, other].map(({ recovery }) => recovery.recovered(ref)));
  await expect.poll(async () => (await other.recovery.recovered(ref))?.epoch).not.toBe(before.epoch);
  await one.recovery.recovered(ref);
  expect(searches).toBe(1);
  const read = { counts: '1/0/0/0', at: 1, bytes: 1 };
  expect(await one.campaigns.recordImport(ref, asId('c1'), read, before)).toBe(false);
  const after = await one.epochs.check(ref);
  expect(await one.campaigns.recordImport(ref, asId('c1'), read, after)).toBe(true);
  await Promise.all([one.jobs.close(), other.jobs.close()]);
});

test('a card whose decision contradicts the record is left as the record says, and said to be lost', async () => {
  const decision = (id: string, by: string) => ({
    id,
    by: asId<never>(by),
    verdict: 'OK' as const,
    comment: '',
  });
  const tag = cardTag(ref.account, asId('t1'), 1);
  const shown = { ...decision('of the card', 'U1'), at: 1, state: 'waiting', attempts: 0, dueAt: 2 };
  const card = { ts: '1.1', type: tag.type, payload: { ...tag.payload, revision: 2, decision: shown } };
  const { recovery, tasks, incidents, jobs } = bot(() => ({ tagged: [card], next: undefined }));
  const id = asId<TaskId>('t1');
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  await tasks.apply(ref, id, seen('t1', { channel, ts: '1.1', round: 1 }));
  const made = { type: 'decided', decision: decision('of the record', 'U2'), round: 1, at: 1 } as const;
  await tasks.apply(ref, id, { ...made, sendAt: Date.now() + 60_000 });
  await recovery.recovered(ref);
  expect((await tasks.get(ref, id))?.decision).toMatchObject({ id: 'of the record', state: 'waiting' });
  expect(await incidents.get(ref.workspace, `lost ${ref.account}`)).toMatchObject({
    code: 'decisions',
    times: 1,
  });
  expect(await lossesToTell()).toEqual([expect.objectContaining({ ...ref, decisions: 1 })]);
  await jobs.close();
});

test('a lost decision is told once, also when the process dies before the recovery is recorded', async () => {
  const tag = cardTag(ref.account, asId('t1'), 1);
  const of = (id: string) => ({ id, by: asId<never>('U1'), verdict: 'OK' as const, comment: '' });
  const shown = { ...of('of the card'), at: 1, state: 'waiting', attempts: 0, dueAt: 2 };
  const card = { ts: '1.1', type: tag.type, payload: { ...tag.payload, revision: 2, decision: shown } };
  const process = () => bot(() => ({ tagged: [card], next: undefined }));
  const [dying, next] = [process(), process()];
  const id = asId<TaskId>('t1');
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  await next.tasks.apply(ref, id, seen('t1', { channel, ts: '1.1', round: 1 }));
  const decided = { type: 'decided', decision: of('of the record'), round: 1, at: 1 } as const;
  await next.tasks.apply(ref, id, { ...decided, sendAt: Date.now() + 60_000 });
  dying.epochs.recordRecovered = () => Promise.reject(new Error('the process dies'));
  await expect(dying.recovery.recovered(ref)).rejects.toThrow('dies');
  const told = [expect.objectContaining({ ...ref, decisions: 1 })];
  expect(await lossesToTell()).toEqual(told);
  await expect.poll(() => next.recovery.recovered(ref)).toMatchObject({ polls: expect.any(Number) });
  expect(await lossesToTell()).toEqual(told);
  await Promise.all([dying.jobs.close(), next.jobs.close()]);
});

test('a decision that only a card shows is lost although its record was changed more often; one that was refused is not', async () => {
  const of = (task: string, decision: string) => {
    const tag = cardTag(ref.account, asId(task), 1);
    const shown = {
      id: decision,
      by: asId<never>('U1'),
      verdict: 'OK' as const,
      comment: '',
      at: Date.now(),
    };
    return {
      ...{ ts: `${task.slice(1)}.1`, type: tag.type },
      payload: {
        ...tag.payload,
        revision: 2,
        decision: { ...shown, state: 'waiting', attempts: 0, dueAt: Date.now() },
      },
    };
  };
  const cards = [of('t1', 'lost'), of('t2', 'refused')];
  const { recovery, tasks, jobs } = bot(() => ({ tagged: cards, next: undefined }));
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  const decide = (task: string, id: string) =>
    tasks.apply(ref, asId(task), {
      ...{ type: 'decided', round: 1, at: 1, sendAt: Date.now() + 60_000 },
      decision: { id, by: asId<never>('U2'), verdict: 'NOK', comment: 'too dark' },
    });
  for (const [task, first] of [
    ['t1', 'another'],
    ['t2', 'refused'],
  ] as const) {
    await tasks.apply(ref, asId(task), seen(task, { channel, ts: `${task.slice(1)}.1`, round: 1 }));
    await decide(task, first);
    const attempt = { decision: first, attempt: 1 };
    await tasks.apply(ref, asId(task), { type: 'sending', ...attempt, at: 2, leaseUntil: 9 });
    await tasks.apply(ref, asId(task), { type: 'refused', ...attempt, problem: { text: 'too long' } });
    await decide(task, 'of the record');
  }
  await recovery.recovered(ref);
  expect(await lossesToTell()).toEqual([expect.objectContaining({ ...ref, decisions: 1 })]);
  await jobs.close();
});

test('metadata on a message of another app or of a person is not believed', async () => {
  const { type, payload } = cardTag(ref.account, asId('t1'), 1);
  const metadata = { event_type: type, event_payload: payload };
  const messenger = createMessenger({
    auth: { test: async () => ({ team_id: 'T1', user_id: 'U0BOT' }) },
    conversations: {
      history: async () => ({
        messages: [
          { ts: '3.3', user: 'U0OTHER', metadata },
          { ts: '2.2', user: 'U01ANN', metadata },
          { ts: '1.1', user: 'U0BOT', metadata },
        ],
      }),
    },
  } as never);
  await messenger.identity();
  expect((await messenger.taggedPage(channel, 0)).tagged.map(({ ts }) => ts)).toEqual(['1.1']);
  expect(await messenger.findTagged(channel, 0, { type, payload })).toEqual({ channel, ts: '1.1' });
});

test('a channel that cannot be read is listed when the data are older: its decisions may be lost', async () => {
  const lost = { account: ref.account, campaign: asId<never>('c2'), channel: asId<never>('C2') };
  await createSubscriptions(redis).put(ref.workspace, { ...lost, at: 1, started: true });
  const tag = cardTag(ref.account, asId('t1'), 1);
  let reads = 0;
  const { recovery, incidents, jobs } = bot(() => {
    reads += 1;
    if (reads === 1)
      throw Object.assign(new SlackError('conversations.history', new Error('gone')), { kind: 'refused' });
    return { tagged: [{ ts: '1.1', ...tag }], next: undefined };
  });
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  expect(await recovery.recovered(ref)).toBeDefined();
  expect(await incidents.get(ref.workspace, `lost ${ref.account}`)).toMatchObject({
    code: 'unreadable-channel',
  });
  await jobs.close();
});

test('a channel that could not be read is searched once it can be; until then none of its cards is rendered for that', async () => {
  const tag = cardTag(ref.account, asId('t1'), 1);
  const shown = {
    id: 'of the card',
    by: asId<never>('U1'),
    verdict: 'OK' as const,
    comment: '',
    attempts: 1,
  };
  const decision = { ...shown, at: 1, state: 'sending' };
  const card = { ts: '1.1', type: tag.type, payload: { ...tag.payload, revision: 9, decision } };
  let isMember = false;
  const readPage = (): TaggedPage => {
    if (!isMember)
      throw Object.assign(new SlackError('conversations.history', new Error('gone')), { kind: 'refused' });
    return { tagged: [card], next: undefined };
  };
  const { recovery, tasks, epochs, jobs } = bot(readPage, { ...defaultTimeouts, unsearchedMs: 0 });
  const id = asId<TaskId>('t1');
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  await tasks.apply(ref, id, seen('t1', { channel, ts: '1.1', round: 1 }));
  await tasks.apply(ref, id, { type: 'posted', messageRef: { channel, ts: '1.1' }, round: 1 });
  const lease = await tasks.acquireRenderLease(ref, id, 1_000);
  await lease?.markRendered((await tasks.get(ref, id))?.revision ?? 0);
  await lease?.release();

  await recovery.searchUnsearched(ref);
  expect(await epochs.check(ref)).toMatchObject({ unsearched: { [channel]: expect.any(Number) } });
  expect(await tasks.needsRender(ref, id)).toBe(false);
  await recovery.searchUnsearched(ref);
  expect((await tasks.get(ref, id))?.decision).toBeUndefined();

  isMember = true;
  await expect
    .poll(async () => {
      await recovery.searchUnsearched(ref);
      return tasks.get(ref, id);
    })
    .toMatchObject({ decision: { id: 'of the card', restored: 'whole' } });
  await expect
    .poll(async () => {
      await recovery.searchUnsearched(ref);
      return epochs.check(ref);
    })
    .not.toHaveProperty('unsearched');
  await jobs.close();
});

test('a channel that could not be read is searched from its oldest card on, also when a new process is the next to search', async () => {
  const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
  const ts = `${hourAgo}.000100`;
  const tag = cardTag(ref.account, asId('t1'), 1);
  const shown = { id: 'of the card', by: asId<never>('U1'), verdict: 'OK', comment: '', attempts: 1 };
  const decision = { ...shown, at: Date.now(), state: 'sending' };
  const card = { ts, type: tag.type, payload: { ...tag.payload, revision: 9, decision } };
  let isMember = false;
  const readPage = (_: string | undefined, since: number): TaggedPage => {
    if (!isMember)
      throw Object.assign(new SlackError('conversations.history', new Error('gone')), { kind: 'refused' });
    return { tagged: Number(ts) * 1_000 >= since ? [card] : [], next: undefined };
  };
  const before = bot(readPage);
  const id = asId<TaskId>('t1');
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', Date.now(), 'server', 'an earlier run');
  await before.tasks.apply(ref, id, seen('t1', { channel, ts, round: 1 }));
  await before.tasks.apply(ref, id, { type: 'posted', messageRef: { channel, ts }, round: 1 });
  expect(await before.recovery.recovered(ref)).toMatchObject({
    unsearched: { [channel]: expect.any(Number) },
  });

  isMember = true;
  const after = bot(readPage);
  await expect.poll(() => after.recovery.recovered(ref)).toBeDefined();
  await expect
    .poll(() => after.recovery.recovered(ref).then(() => after.tasks.get(ref, id)))
    .toMatchObject({ decision: { id: 'of the card', restored: 'whole' } });
  expect(await after.epochs.check(ref)).not.toHaveProperty('unsearched');
  await Promise.all([before.jobs.close(), after.jobs.close()]);
});

test('what was found before a search was interrupted counts when it goes on, also in another process', async () => {
  const others = ['C2', 'C3'].map((id) => asId<never>(id));
  for (const [index, other] of others.entries()) {
    const one = { account: ref.account, campaign: asId<never>(`c${index}`), channel: other };
    await createSubscriptions(redis).put(ref.workspace, { ...one, at: 1, started: true });
  }
  const failed = (kind: string) =>
    Object.assign(new SlackError('conversations.history', new Error(kind)), { kind, retryAfterMs: 1 });
  const tag = cardTag(ref.account, asId('t1'), 1);
  const first = [
    { ts: '5.1', ...noticeTag(ref.account, 'read c1', 'over') },
    { ts: '1.1', ...tag },
  ];
  const older = [{ ts: '2.1', ...noticeTag(ref.account, 'read c1', 'begun') }];
  let reads = 0;
  const readPage = (): TaggedPage => {
    reads += 1;
    if (reads === 1) return { tagged: first, next: undefined };
    if (reads === 2) throw failed('refused');
    if (reads === 3) throw failed('rate-limited');
    return { tagged: older, next: undefined };
  };
  const [one, other] = [bot(readPage), bot(readPage)];
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  expect(await one.recovery.recovered(ref)).toBeUndefined();
  await expect.poll(() => other.recovery.recovered(ref)).toBeDefined();
  expect(reads).toBe(4);
  expect(await other.incidents.get(ref.workspace, `lost ${ref.account}`)).toMatchObject({
    code: 'unreadable-channel',
  });
  // The later notice, in the first channel, says that it is over.
  expect((await other.incompleteReads.all(ref)).size).toBe(0);
  await Promise.all([one.jobs.close(), other.jobs.close()]);
});

test('cards that show their record are not rendered again, also when the search was interrupted after they were read', async () => {
  const ids = ['t1', 't2', 't3'].map((id) => asId<TaskId>(id));
  const page = (id: TaskId, revision: number): TaggedPage['tagged'] => {
    const tag = cardTag(ref.account, id, 1);
    return [{ ts: `${id.slice(1)}.1`, ...tag, payload: { ...tag.payload, revision } }];
  };
  let isLimited = false;
  const readPage = (before: string | undefined): TaggedPage => {
    if (before === undefined) return { tagged: page(asId('t3'), 1), next: '3.1' };
    if (isLimited) return { tagged: [...page(asId('t2'), 2), ...page(asId('t1'), 1)], next: undefined };
    isLimited = true;
    throw Object.assign(new SlackError('conversations.history', new Error('limited')), {
      kind: 'rate-limited',
      retryAfterMs: 1,
    });
  };
  const [one, other] = [bot(readPage), bot(readPage)];
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  for (const id of ids) {
    await one.tasks.apply(ref, id, seen(id, { channel, ts: `${id.slice(1)}.1`, round: 1 }));
    await one.tasks.clearNeedsRender(ref, id);
  }
  expect(await one.recovery.recovered(ref)).toBeUndefined();
  await expect.poll(() => other.recovery.recovered(ref)).toBeDefined();
  // The second one shows what its record does not know.
  expect(await Promise.all(ids.map((id) => other.tasks.needsRender(ref, id)))).toEqual([false, true, false]);
  await Promise.all([one.jobs.close(), other.jobs.close()]);
});

test('of what a notice says to have begun, people are told when it is over, also when Redis has lost it', async () => {
  const notice = (ts: string, about: string, state: 'begun' | 'over') => ({
    ts,
    ...noticeTag(ref.account, about, state),
  });
  const tagged = [
    notice('5.1', 'read c2', 'over'),
    notice('4.1', 'read c1', 'begun'),
    notice('3.1', 'polling', 'begun'),
    notice('2.1', 'read c2', 'begun'),
    notice('1.1', 'read c1', 'over'),
  ];
  const { recovery, incompleteReads, outages, jobs } = bot(() => ({ tagged, next: undefined }));
  const unknown = { times: 1, wrong: 1, nextAt: 1, listed: '', read: '', sameSince: 1 };
  await incompleteReads.update(ref, 'c2', () => ({ ...unknown, since: 1, notified: true }));
  await redis.hset(accountKey(ref, 'looks'), 'looks', 3, 'at', 1, 'server', 'an earlier run');
  await recovery.recovered(ref);
  expect(await incompleteReads.get(ref, 'c1')).toMatchObject({ since: 4_100, notified: true });
  expect(await incompleteReads.get(ref, 'c2')).toMatchObject({ notified: false });
  expect(await outages.get(ref)).toMatchObject({ since: 3_100, notified: true });
  await jobs.close();
});
