import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/events.ts';
import type { Task } from '../../src/domain/task.ts';
import type { AccountRef, CampaignId, MemberId, TaskId, Verdict } from '../../src/domain/terms.ts';
import { createSecondLook } from '../../src/features/second-look/index.ts';
import { queueTelling } from '../../src/features/shared/second-look-news.ts';
import { createAccountLeases } from '../../src/store/account-leases.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { createSecondLooks } from '../../src/store/second-looks.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { DyingRedis } from '../harness/dying-redis.ts';
import { asId } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

// A process is killed after each command that it sends to Redis while a decision waits for a second look, is agreed with,
// differs, is decided between two, is let go or undone. Slack delivers again what was not acknowledged, and a poll follows:
// nothing is lost, and the two who differ are told once of each.

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const id = asId<TaskId>('t1');
const at = Date.UTC(2026, 10, 20);
const until = at + 86_400_000;
const [ann, ben, chloe] = [asId<MemberId>('U1'), asId<MemberId>('U2'), asId<MemberId>('U3')];

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
beforeEach(async () => {
  await redis.flushall();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

interface Told {
  readonly channel: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What of a process deals with second looks. What it posts stays in `told`, whatever becomes of it. */
function processOf(connection: Redis, told: Told[], { isNear = false } = {}) {
  const tasks = createTasks(connection);
  const messenger = {
    directChannel: async (member: string) => `D${member}`,
    findTagged: async (channel: string, since: number, tag: { payload: Told['payload'] }) =>
      since < at
        ? told.find((one) => one.channel === channel && one.payload.verdict === tag.payload.verdict)
        : undefined,
    post: async (
      channel: string,
      { text }: { text: string },
      { tag }: { tag: { payload: Told['payload'] } },
    ) => void told.push({ channel, text, payload: tag.payload }),
  };
  const jobs = {
    add: async (name: string, payload: AccountRef & { task: TaskId }) => {
      if (name === 'tell-difference') await secondLook.jobs['tell-difference'](payload);
    },
  };
  const secondLook = createSecondLook({
    ...{ jobs, tasks, now: () => at, messengerOf: () => messenger },
    leases: createAccountLeases(connection),
    secondLooks: createSecondLooks(connection),
    campaigns: { get: async () => ({ title: 'Photo of a shelf' }) },
    cardUpdateLine: { changed: async () => undefined },
    timesToRate: { getMany: async () => new Map(isNear ? [['c1', 0.05]] : []) },
    timeouts: { leaseMs: 30_000, lateArrivalMs: 15_000 },
    logger: { info: () => undefined },
    slackAheadOf: () => 0,
    faults: () => undefined,
  } as never);
  return {
    tasks,
    afterPoll: () => secondLook.afterPoll(ref),
    /** Applies what somebody did, and queues what they and others are told of, as deciding does. */
    async does(event: TaskEvent): Promise<void> {
      const { task } = await tasks.apply(ref, id, event);
      if (event.type !== 'decided') return;
      const made = event.decision.id;
      if (task?.look?.second?.id === made || task?.decision?.look?.third?.id === made)
        await queueTelling(jobs as never, ref, id, made);
    },
  };
}

const seen: TaskEvent = {
  type: 'seen',
  ...{ id, campaign: asId<CampaignId>('c1'), rating: 'NOTRATED', comment: '', csvRow: '1' },
  submittedAt: at,
  worker: { id: asId('w1'), country: '', ip: '' },
  proof: { slots: ['x'], files: [], finishedAt: at },
  readAt: at,
  want: 'card',
};
const decides = (by: MemberId, verdict: Verdict, look: object = {}): TaskEvent => ({
  type: 'decided',
  decision: { id: `by-${by}`, by, verdict, comment: `Says ${by}` },
  ...{ round: 1, at, sendAt: at, look: { until, ...look } },
});
const holds = decides(ann, 'NOK', { why: 'share' });
const differs = decides(ben, 'OK');
const audited = async () => {
  const found = [];
  for await (const { what } of createAudit(redis).lines(ref)) found.push(what);
  return found;
};

/**
 * Does the last of several things again and again, each time with a process that dies one command later, until one comes to
 * its end; after each, what Slack and a poll bring again follows.
 */
async function atEachCommand(
  before: readonly TaskEvent[],
  last: TaskEvent | 'poll near the deadline',
  check: (task: Task, told: readonly Told[], at: string) => Promise<void> | void,
): Promise<number> {
  const isNear = last === 'poll near the deadline';
  for (let commands = 0; commands < 100; commands += 1) {
    await redis.flushall();
    const told: Told[] = [];
    const early = processOf(redis, told);
    for (const event of [seen, ...before]) await early.does(event);
    const dying = new DyingRedis(server.url);
    await dying.ping();
    const dead = processOf(dying, told, { isNear });
    dying.diesAfter(commands);
    const act = last === 'poll near the deadline' ? dead.afterPoll() : dead.does(last);
    const isDone = await act.then(
      () => true,
      () => false,
    );
    await dying.ping();
    dying.disconnect();
    // Its lease has run out.
    for (const key of await redis.keys('*:lock:*')) await redis.del(key);
    const next = processOf(redis, told, { isNear });
    const events = [...before, ...(last === 'poll near the deadline' ? [] : [last])];
    if (last !== 'poll near the deadline') await next.tasks.apply(ref, id, last);
    for (let polls = 0; polls < 2; polls += 1) await next.afterPoll();
    const task = await next.tasks.get(ref, id);
    if (task === undefined) throw new Error('the task is lost');
    const where = `after ${commands} commands`;
    await check(task, told, where);
    // Whatever comes twice changes nothing.
    const stored = await next.tasks.get(ref, id);
    for (const event of events) await next.tasks.apply(ref, id, event);
    expect(await next.tasks.get(ref, id), where).toEqual(stored);
    const left = await createSecondLooks(redis).waiting(ref);
    expect(left, where).toEqual({ tasks: task.look ? [id] : [], untold: [] });
    if (isDone) return commands;
  }
  throw new Error('it never comes to its end');
}

/** Both were told of a verdict, once each. */
function toldOnce(told: readonly Told[], verdict: string, where: string): void {
  const channels = told.filter(({ payload }) => payload.verdict === verdict).map(({ channel }) => channel);
  expect(channels.toSorted(), where).toEqual(['DU1', 'DU2']);
}

test('a decision that waits is held once', async () => {
  const last = await atEachCommand([], holds, async (task, told, where) => {
    expect([task.look?.first.id, task.decision], where).toEqual(['by-U1', undefined]);
    expect(await audited(), where).toEqual(['hold for second look']);
    expect(told, where).toEqual([]);
  });
  expect(last).toBeGreaterThan(1);
});

test('one that somebody agrees with is due once, as it was decided first', async () => {
  await atEachCommand([holds], decides(ben, 'NOK'), async ({ look, decision }, told, where) => {
    expect(look, where).toBeUndefined();
    expect([decision?.id, decision?.comment, decision?.state], where).toEqual([
      'by-U1',
      'Says U1',
      'waiting',
    ]);
    expect(await createTasks(redis).find(ref, 'due'), where).toEqual([id]);
    expect(await audited(), where).toEqual(['hold for second look', 'second look']);
    expect(told, where).toEqual([]);
  });
});

test('two who differ are both told once', async () => {
  const last = await atEachCommand([holds], differs, async ({ look }, told, where) => {
    expect([look?.first.id, look?.second?.id], where).toEqual(['by-U1', 'by-U2']);
    toldOnce(told, 'by-U2', where);
    expect(told[0]?.text, where).toMatch(/differ/);
    expect(told).toHaveLength(2);
    expect(await audited(), where).toEqual(['hold for second look', 'second look']);
  });
  expect(last).toBeGreaterThan(8);
});

test('what a third decides is due once, and both are told of it once', async () => {
  const third = decides(chloe, 'OK', { saw: 'by-U2' });
  const last = await atEachCommand([holds, differs], third, async ({ decision }, told, where) => {
    expect([decision?.id, decision?.verdict, decision?.state], where).toEqual(['by-U3', 'OK', 'waiting']);
    expect(await createTasks(redis).find(ref, 'due'), where).toEqual([id]);
    toldOnce(told, 'by-U3', where);
    expect(told, where).toHaveLength(4);
    expect(await audited(), where).toEqual(['hold for second look', 'second look', 'decide between two']);
  });
  expect(last).toBeGreaterThan(8);
});

test('one that nobody looks at near the deadline is let go once', async () => {
  await atEachCommand([holds], 'poll near the deadline', async ({ look, decision }, _, where) => {
    expect(look, where).toBeUndefined();
    expect([decision?.id, decision?.state, decision?.look?.how], where).toEqual([
      'by-U1',
      'waiting',
      'let go',
    ]);
    expect(await createTasks(redis).find(ref, 'due'), where).toEqual([id]);
    expect(await audited(), where).toEqual(['hold for second look', 'let go']);
  });
});

test('one that is undone is open again, and one whose maker may not rate any more gives way to the next', async () => {
  const undone: TaskEvent = { type: 'undone', decision: 'by-U1', by: { member: ann, at } };
  await atEachCommand([holds], undone, async ({ look, decision }, _, where) => {
    expect([look, decision], where).toEqual([undefined, undefined]);
    expect(await createTasks(redis).find(ref, 'due'), where).toEqual([]);
    expect(await audited(), where).toEqual(['hold for second look', 'undone']);
  });
  const alone = decides(ben, 'OK', { isFirstGone: true });
  await atEachCommand([holds], alone, async ({ look, decision }, told, where) => {
    expect([look, decision?.id, decision?.look], where).toEqual([undefined, 'by-U2', undefined]);
    expect(await createTasks(redis).find(ref, 'due'), where).toEqual([id]);
    expect(told, where).toEqual([]);
  });
  const third = decides(chloe, 'NOK', { saw: 'by-U2', isFirstGone: true });
  await atEachCommand([holds, differs], third, ({ decision }, told, where) => {
    expect([decision?.id, decision?.by, decision?.look?.how], where).toEqual(['by-U3', chloe, 'third']);
    toldOnce(told, 'by-U3', where);
  });
});
