import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOf } from '../../src/domain/index-changes.ts';
import { deadlineOf, finishedAtOf, isOpen, type Task, type TaskEvent } from '../../src/domain/task.ts';
import type { CampaignId, ChannelId, TaskId } from '../../src/domain/terms.ts';
import { createCards } from '../../src/features/cards/index.ts';
import { createAuditWriter } from '../../src/store/audit.ts';
import { createCardWindows } from '../../src/store/cards.ts';
import { accountKey } from '../../src/store/format.ts';
import { createTaskLeases } from '../../src/store/leases.ts';
import { createOpenTasks, createTasks, createTimesToRate } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { decided, undone, waitingRow } from '../harness/waiting-row.ts';
import { forAllAsync, of } from './properties.ts';

const day = 86_400_000;
const [c1, c2] = [asId<CampaignId>('c1'), asId<CampaignId>('c2')];

const redis = twoRedisClients();

const apply = (id: string, event: TaskEvent) => createTasks(redis.first).apply(ref, asId(id), event);
const see = (id: string, campaign?: CampaignId, finishedAt?: number) =>
  apply(id, waitingRow(asId(id), campaign, finishedAt));
const decide = (id: string) => apply(id, decided(`d${id}`));
const undo = (id: string) => apply(id, undone(`d${id}`));

/** What the index should say, from the records alone. */
async function expectIndexToFollow(ids: readonly string[], days: ReadonlyMap<CampaignId, number>) {
  const index = createOpenTasks(redis.first);
  const all = await createTasks(redis.first).getMany(ref, ids as TaskId[]);
  const open = all.filter(isOpen);
  const deadline = (task: Task) => deadlineOf(finishedAtOf(task), days.get(task.campaign));
  const late = Number.MAX_SAFE_INTEGER;
  const sorted = open.toSorted(
    (a, b) =>
      (deadline(a) ?? late) - (deadline(b) ?? late) ||
      (deadline(a) === undefined ? (finishedAtOf(a) ?? late) - (finishedAtOf(b) ?? late) : 0) ||
      (a.id < b.id ? -1 : 1),
  );
  expect(await index.queue(ref, 1_000)).toEqual(sorted.map(({ id }) => id));
  expect(await index.count(ref)).toBe(open.length);
  const times = [0, 3 * day, 12 * day];
  const due = (some: readonly Task[]) =>
    times.map((until) => some.filter((task) => (deadline(task) ?? late) <= until).length);
  expect(await index.countsUntil(ref, times)).toEqual(due(open));
  const campaigns = await index.campaigns(ref);
  expect(new Set(campaigns)).toEqual(new Set(open.map(({ campaign }) => campaign)));
  const of = (one: CampaignId) => open.filter(({ campaign }) => campaign === one);
  const firsts = campaigns.map((one) => Math.min(...of(one).map((task) => deadline(task) ?? late)));
  expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
  if ((firsts[0] ?? late) < late)
    expect((await index.campaigns(ref, { until: firsts[0] ?? 0 }))[0]).toBe(campaigns[0]);
  for (const found of await index.waitingIn(ref, campaigns)) {
    const own = open.filter(({ campaign }) => campaign === found.campaign);
    const finished = own.flatMap((task) => finishedAtOf(task) ?? []);
    const deadlines = own.flatMap((task) => deadline(task) ?? []);
    expect(found).toEqual({
      campaign: found.campaign,
      waiting: own.length,
      ...(finished.length > 0 ? { oldest: Math.min(...finished) } : {}),
      ...(deadlines.length > 0 ? { dueAt: Math.min(...deadlines) } : {}),
    });
  }
  const counts = await index.countsIn(ref, days, times);
  for (const campaign of days.keys())
    expect(counts.get(campaign)).toEqual(due(open.filter((task) => task.campaign === campaign)));
}

test('whatever happens to tasks and the days of their campaigns, the index says what is due when', async () => {
  const ids = ['t1', 't2', 't3', 't4', 't5'];
  const id = fc.constantFrom(...ids);
  const step = fc.oneof(
    of('see', { id, days: fc.option(fc.nat(5), { nil: undefined }) }),
    of('decide', { id }),
    of('undo', { id }),
    of('days', { campaign: fc.constantFrom(c1, c2), days: fc.integer({ min: 1, max: 9 }) }),
  );
  const moved: (typeof step extends fc.Arbitrary<infer One> ? One : never)[] = [
    { type: 'see', id: 't1', days: 3 },
    { type: 'see', id: 't4', days: undefined },
    { type: 'see', id: 't2', days: 1 },
    { type: 'days', campaign: c1, days: 2 },
    { type: 'decide', id: 't2' },
    { type: 'days', campaign: c1, days: 7 },
    { type: 'undo', id: 't2' },
  ];
  await forAllAsync(
    { numRuns: 40, examples: [[moved]] },
    fc.array(step, { maxLength: 14 }),
    async (steps) => {
      await redis.first.flushall();
      const days = new Map<CampaignId, number>();
      for (const one of steps) {
        if (one.type === 'see')
          await see(one.id, one.id < 't3' ? c1 : c2, one.days === undefined ? undefined : one.days * day);
        else if (one.type === 'decide') await decide(one.id);
        else if (one.type === 'undo') await undo(one.id);
        else {
          days.set(one.campaign, one.days);
          await createTimesToRate(redis.first).put(ref, one.campaign, one.days);
        }
      }
      await expectIndexToFollow(ids, days);
    },
  );
});

test('the days and their entry in the audit are one step, and the same days again are none', async () => {
  const audit = createAuditWriter();
  const times = createTimesToRate(redis.first);
  const entry = (before: number | undefined) =>
    audit(ref, { what: 'set time to rate', campaign: c1, before: String(before ?? '') });
  expect(await times.put(ref, c1, 7, entry)).toBeUndefined();
  expect(await times.put(ref, c1, 7, entry)).toBe(7);
  await Promise.all([times.put(ref, c1, 3, entry), createTimesToRate(redis.first).put(ref, c1, 4, entry)]);
  const entries = (await redis.first.xrange('proofdesk:{T1/a1}:audit', '-', '+')).map(([, [, text = '']]) =>
    JSON.parse(text),
  );
  expect(entries.map(({ before }) => before)).toEqual(['', '7', entries[2].before]);
  expect(['3', '4']).toContain(entries[2].before);
});

const channel = asId<ChannelId>('C01REVIEW');
const campaigns = ['c1', 'c2', 'c3'].map((id) => asId<CampaignId>(id));

/** A waiting task: its number, its campaign's, and when it was finished (days; absent when that is not known). */
interface Waiting {
  readonly campaign: number;
  readonly finished: number | undefined;
}

const idOf = (number: number) => asId<TaskId>(`t${String(number).padStart(2, '0')}`);

const arrives = (number: number, { campaign, finished }: Waiting) =>
  see(idOf(number), campaigns[campaign], finished && finished * day);
const post = (id: TaskId) =>
  apply(id, { type: 'posted', messageRef: { channel, ts: `1.${id.slice(1).padStart(6, '0')}` } });
const inWindow = () => redis.first.scard(accountKey(ref, keyOf.window(channel)));
const next = (limit: number) => createCardWindows(redis.first).next(ref, channel, campaigns, limit);

/** Fills the window as one process of the bot does. */
async function fill(client: typeof redis.first, limit: number): Promise<void> {
  for (;;) {
    const ids = await createCardWindows(client).next(ref, channel, campaigns, limit);
    if (ids.length === 0) return;
    for (const id of ids) await createTasks(client).giveCard(ref, id, channel, limit);
  }
}

const waiting = fc.array(
  fc.record({
    campaign: fc.nat(2),
    finished: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 4 }),
  }),
  { minLength: 1, maxLength: 14 },
);
const daysOfEach = fc.tuple(
  ...campaigns.map(() => fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })),
);

test('the window takes what is due first, then the oldest, and as many as it has room for', async () => {
  await forAllAsync({ numRuns: 30 }, waiting, daysOfEach, fc.nat(6), async (tasks, days, limit) => {
    await redis.first.flushall();
    for (const [index, one] of days.entries())
      if (one !== undefined)
        await createTimesToRate(redis.first).put(ref, campaigns[index] ?? asId('c1'), one);
    for (const [number, task] of tasks.entries()) await arrives(number, task);
    const late = 1e9;
    const deadline = ({ campaign, finished }: Waiting) => {
      const ttr = days[campaign];
      return finished === undefined || ttr === undefined ? late : finished + ttr;
    };
    const age = (task: Waiting) => (deadline(task) < late ? 0 : (task.finished ?? late));
    const inOrder = (a: Waiting, b: Waiting) => deadline(a) - deadline(b) || age(a) - age(b);
    // Of the same age, the one that was seen first: a sort keeps their order.
    const sorted = tasks.map((task, number) => ({ ...task, id: idOf(number) })).sort(inOrder);
    const order = sorted.map(({ id }) => id);
    expect(await next(limit)).toEqual(limit === 0 ? order : order.slice(0, limit));
  });
});

test('two processes never overfill a window, and never leave it with room while something waits', async () => {
  const room = fc.integer({ min: 1, max: 5 });
  const chosen = fc.array(fc.nat(13));
  await forAllAsync({ numRuns: 15 }, waiting, room, chosen, async (tasks, limit, decided) => {
    await redis.first.flushall();
    for (const [number, task] of tasks.entries()) await arrives(number, task);
    const windows = createCardWindows(redis.first);
    let open = tasks.length;
    const expectFull = async () => {
      await Promise.all([fill(redis.first, limit), fill(redis.second, limit)]);
      expect(await inWindow()).toBe(Math.min(limit, open));
      const queued = [...(await windows.queues(ref)).values()].reduce((sum, count) => sum + count, 0);
      expect(queued).toBe(open - Math.min(limit, open));
    };
    await expectFull();
    for (const number of decided) {
      const before = await createTasks(redis.first).get(ref, idOf(number));
      if (before === undefined || before.decision !== undefined) continue;
      await Promise.all([fill(redis.second, limit), decide(before.id)]);
      open -= 1;
      await expectFull();
    }
  });
});

test('of two processes that chose different tasks for the last room, one gives its card', async () => {
  await createTimesToRate(redis.first).put(ref, campaigns[0] ?? asId('c1'), 1);
  await arrives(0, { campaign: 0, finished: 2 });
  const [chosen = asId<TaskId>('')] = await next(1);
  await arrives(1, { campaign: 0, finished: 1 });
  const [sooner = asId<TaskId>('')] = await next(1);
  expect([chosen, sooner]).toEqual([idOf(0), idOf(1)]);
  await createTasks(redis.second).giveCard(ref, sooner, channel, 1);
  await createTasks(redis.first).giveCard(ref, chosen, channel, 1);
  expect(await inWindow()).toBe(1);
});

test('one process that gives several cards at the same moment gives no more than there is room', async () => {
  for (let number = 0; number < 6; number++) await arrives(number, { campaign: 0, finished: number + 1 });
  const tasks = createTasks(redis.first);
  const ids = [0, 1, 2, 3, 4, 5].map(idOf);
  const given = await Promise.all(ids.map((id) => tasks.giveCard(ref, id, channel, 2)));
  expect(given.filter(({ kind }) => kind === 'done')).toHaveLength(2);
  expect(await inWindow()).toBe(2);
});

test('what comes back keeps its card, and others follow only when there is room again', async () => {
  for (let number = 0; number < 4; number++) await arrives(number, { campaign: 0, finished: number + 1 });
  await fill(redis.first, 2);
  const [first, second, third] = [idOf(0), idOf(1), idOf(2)];
  for (const id of [first, second]) await post(id);
  await decide(first);
  await fill(redis.first, 2);
  await undo(first);
  expect((await createTasks(redis.first).get(ref, first))?.card.state).toBe('posted');
  expect(await inWindow()).toBe(3);
  await decide(second);
  expect(await next(2)).toEqual([]);
  await decide(third);
  expect(await next(2)).toEqual([idOf(3)]);
});

test('what is decided while somebody looks at it in focus review makes no room until nobody does', async () => {
  const clock = { now: 1_000 };
  const leases = createTaskLeases(redis.first, { now: () => clock.now, leaseMs: 500, queueMs: 60_000 });
  for (let number = 0; number < 4; number++) await arrives(number, { campaign: 0, finished: number + 1 });
  await fill(redis.first, 2);
  const ids = Array.from({ length: 4 }, (_, number) => idOf(number));
  await leases.fill(ref, 'ann', ids);
  await leases.take(ref, 'ann', { count: 1 });
  const nextAt = () => createCardWindows(redis.first, () => clock.now).next(ref, channel, campaigns, 2);
  await decide(idOf(0));
  await leases.take(ref, 'ann', { count: 1, release: [idOf(0)] });
  expect(await nextAt()).toEqual([]);
  // A colleague decides on the card of another task: the next follows, but not one that somebody looks at.
  await leases.take(ref, 'ann', { count: 1, release: [idOf(1)] });
  await decide(idOf(1));
  expect(await nextAt()).toEqual([idOf(3)]);
  await leases.releaseAll(ref, 'ann');
  expect(await nextAt()).toEqual([idOf(2), idOf(3)]);
});

test('a task that was decided without a card waits for room when it comes back', async () => {
  await arrives(1, { campaign: 0, finished: 1 });
  await decide(idOf(1));
  const windows = createCardWindows(redis.first);
  expect(await windows.isAnyQueued(ref)).toBe(false);
  await undo(idOf(1));
  expect(await windows.queues(ref)).toEqual(new Map([[campaigns[0], 1]]));
});

test('a card that waits for its post is given back when its task is decided or goes to another channel', async () => {
  for (const number of [1, 2]) await arrives(number, { campaign: 0, finished: 1 });
  await fill(redis.first, 5);
  await decide(idOf(1));
  expect((await createTasks(redis.first).get(ref, idOf(1)))?.card.state).toBe('backlog');
  await apply(idOf(2), { type: 'card-queued' });
  expect(await inWindow()).toBe(0);
  expect(await next(5)).toEqual([idOf(2)]);
});

test('a card that waits for its post in a channel that its campaign has left waits for room in the other one', async () => {
  await arrives(1, { campaign: 0, finished: 1 });
  await fill(redis.first, 5);
  const queued: string[] = [];
  const routing = { forCampaign: async () => asId('C02OTHER') };
  const jobs = { add: async (name: string) => void queued.push(name) } as never;
  const modules = testModules(redis.first, { channels: { routing } }, { jobs });
  await createCards(modules).jobs.card({ ...ref, task: idOf(1) });
  expect((await createTasks(redis.first).get(ref, idOf(1)))?.card).toEqual({ state: 'backlog' });
  expect([queued, await inWindow()]).toEqual([['fill-windows'], 0]);
});
