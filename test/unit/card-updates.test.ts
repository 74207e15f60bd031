import { describe, expect, test, vi } from 'vitest';
import { AccountId, ChannelId, TaskId, WorkspaceId } from '../../src/domain/terms.ts';
import { createCardUpdateLine, type TaskWithCard } from '../../src/features/shared/card-updates.ts';
import { createLimitedChannels } from '../../src/features/shared/limited-channels.ts';
import { Limited, Reschedule } from '../../src/jobs/runner.ts';
import { createLogger } from '../../src/logger.ts';
import { createCardUpdates } from '../../src/store/card-updates.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { eventually } from '../harness/eventually.ts';

const ref = { workspace: WorkspaceId.parse('T1'), account: AccountId.parse('a1') };
/** A task whose card stands in a channel. */
function task(name: string, channel = 'C01'): TaskWithCard {
  return { id: TaskId.parse(name), card: { state: 'posted', channel: ChannelId.parse(channel), ts: '1.1' } };
}

const redis = emptyRedis();

/** A line of one process, and the jobs that it queues. */
function line(parts: Partial<Parameters<typeof createCardUpdateLine>[0]> = {}) {
  let time = 1_000_000;
  const added: { name: string; payload: unknown; options: unknown }[] = [];
  const jobs = {
    add: async (name: string, payload: unknown, options: unknown) =>
      void added.push({ name, payload, options }),
  };
  const all = {
    cardUpdates: createCardUpdates(redis()),
    interactionsHandled: async () => undefined,
    jobs,
    logger: createLogger('silent', []),
    now: () => time++,
    ...parts,
  } as unknown as Parameters<typeof createCardUpdateLine>[0];
  const updates = createCardUpdateLine(all);
  /** Runs a job, or the one for limited channels; returns in which order it has updated cards. */
  const run = async (update: (id: TaskId) => Promise<void> = async () => undefined, isLimited = false) => {
    const order: string[] = [];
    const payload = { ...ref, ...(isLimited ? ({ isLimited } as const) : {}) };
    await updates.run(payload, async (id) => {
      order.push(id);
      await update(id);
    });
    return order;
  };
  return { updates, added, run };
}

test('the card that was clicked last is updated first, and what has happened by itself comes after, the oldest first', async () => {
  const { updates, run } = line();
  await updates.changed(ref, [task('c1')]);
  await updates.clicked(ref, task('k1'));
  await updates.changed(ref, [task('c2')]);
  await updates.clicked(ref, task('k2'));
  // What is clicked keeps its place when its result arrives.
  await updates.changed(ref, [task('k1')]);
  expect(await run()).toEqual(['k2', 'k1', 'c1', 'c2']);
  expect(await run()).toEqual([]);
});

test('a card that is clicked while another interaction is handled is the next to be updated', async () => {
  let handled = () => {};
  const interactionsHandled = () => new Promise<void>((resolve) => (handled = resolve));
  const { updates, run } = line({ interactionsHandled });
  await updates.changed(ref, [task('c1')]);
  await updates.changed(ref, [task('c2')]);
  const order = run();
  await updates.clicked(ref, task('k1'));
  const ended = setInterval(() => handled(), 1);
  expect(await order).toEqual(['k1', 'c1', 'c2']);
  clearInterval(ended);
});

test('cards that come together share a job, and none that comes later is left without one', async () => {
  const { updates, added } = line();
  for (let index = 0; index < 5; index++) await updates.clicked(ref, task(`k${index}`));
  expect(added.length).toBeLessThanOrEqual(5);
  expect(added[0]).toMatchObject({ name: 'update-cards', payload: ref });
  const before = added.length;
  await updates.clicked(ref, task('later'));
  await eventually('a job follows', () => added.length > before);
});

test('a job updates several cards at a time, until none is left', async () => {
  const { updates, run } = line();
  const all = Array.from({ length: 60 }, (_, index) => task(`k${index}`));
  await updates.changed(ref, all);
  let [underWay, most] = [0, 0];
  const order = await run(async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise(setImmediate);
    underWay -= 1;
  });
  expect(new Set(order)).toEqual(new Set(all.map(({ id }) => id)));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThan(20);
});

test('a card that has to wait or fails goes on in a job of its own, and the others are updated', async () => {
  const { updates, added, run } = line();
  await updates.changed(ref, [task('a'), task('b'), task('c')]);
  const order = await run(async (id) => {
    if (id === 'a') throw new Reschedule(3_000);
    if (id === 'b') throw new Error('failed');
  });
  expect(order).toHaveLength(3);
  const own = new Map(
    added.flatMap(({ name, payload, options }): [string, unknown][] =>
      name === 'redraw' ? [[(payload as { task: string }).task, options]] : [],
    ),
  );
  expect(own).toEqual(
    new Map([
      ['a', { delayMs: 3_000, uniqueKey: 'a1 a' }],
      ['b', { delayMs: 0, uniqueKey: 'a1 b' }],
    ]),
  );
});

test('while a job updates cards, none is added for those that come: it takes them next', async () => {
  const { updates, added, run } = line();
  let end = () => {};
  await updates.changed(ref, [task('slow')]);
  const running = run((id) =>
    id === 'slow' ? new Promise((resolve) => (end = resolve)) : Promise.resolve(),
  );
  await eventually(
    'it has begun',
    async () => (await createCardUpdates(redis()).waiting(ref)).tasks.size === 0,
  );
  const before = added.length;
  await updates.clicked(ref, task('k'));
  expect(added).toHaveLength(before);
  end();
  expect(await running).toEqual(['slow', 'k']);
  expect(added).toHaveLength(before);
});

test('when the cards under way take long, another job updates those that wait', async () => {
  const { updates, added, run } = line();
  let end = () => {};
  await updates.changed(ref, [task('slow')]);
  const running = run(() => new Promise((resolve) => (end = resolve)));
  await eventually(
    'it has begun',
    async () => (await createCardUpdates(redis()).waiting(ref)).tasks.size === 0,
  );
  const before = added.length;
  await updates.clicked(ref, task('k'));
  await eventually('another job', () => added.length > before);
  expect(await run()).toEqual(['k']);
  end();
  expect(await running).toEqual(['slow']);
});

test('a job that finds no card left waits for another one: none is queued for that', async () => {
  const store = createCardUpdates(redis());
  let empty = 0;
  const take: typeof store.take = async (...of) => {
    const found = await store.take(...of);
    if (found.length === 0) empty += 1;
    return found;
  };
  const { updates, added, run } = line({ cardUpdates: { ...store, take }, lingerMs: 1_000 });
  const running = run();
  await eventually('it waits', () => empty === 1);
  const before = added.length;
  await updates.clicked(ref, task('k'));
  await eventually('it waits again', () => empty === 2);
  expect(added).toHaveLength(before);
  expect(await running).toEqual(['k']);
});

describe('in a channel in which Slack limits updates', () => {
  const c2 = ChannelId.parse('C02');
  const limit = async () => {
    throw new Limited(30_000, { channel: c2, ms: 30_000 });
  };
  /** A limit that is over by the time that it is told. */
  const limitForNow = async () => {
    throw new Limited(1, { channel: c2, ms: 0 });
  };
  const isForLimited = ({ payload }: { payload: unknown }) => 'isLimited' in (payload as object);

  test('one card is tried, all wait for one job, and the card that was clicked last is the first', async () => {
    const { updates, added, run } = line();
    await updates.changed(ref, [task('first', 'C02')]);
    expect(await run(limitForNow)).toEqual(['first']);
    for (let index = 0; index < 20; index++) await updates.changed(ref, [task(`c${index}`, 'C02')]);
    await updates.clicked(ref, task('k1', 'C02'));
    await updates.clicked(ref, task('k2', 'C02'));
    await updates.changed(ref, [task('k1', 'C02')]);
    // None is tried meanwhile, and cards of other channels are updated.
    await updates.clicked(ref, task('elsewhere', 'C01'));
    expect(await run()).toEqual(['elsewhere']);
    expect(added.filter(isForLimited)).toEqual([
      {
        name: 'update-cards',
        payload: { ...ref, isLimited: true },
        options: { delayMs: 0, uniqueKey: 'a1 limited' },
      },
    ]);
    expect(added.filter(({ name }) => name === 'redraw')).toEqual([]);
    const order = await run(undefined, true);
    expect(order.slice(0, 4)).toEqual(['k2', 'k1', 'first', 'c0']);
    expect(order).toHaveLength(23);
  });

  test('the job that is limited again leaves every card in its place, and waits', async () => {
    const { updates, run } = line();
    await updates.changed(ref, [task('a', 'C02'), task('b', 'C02')]);
    await updates.clicked(ref, task('k', 'C02'));
    expect(await run(limitForNow)).toHaveLength(3);
    const order: string[] = [];
    const again = run(async (id) => {
      order.push(id);
      if (id !== 'k') await limit();
    }, true);
    await expect(again).rejects.toBeInstanceOf(Reschedule);
    expect(order).toHaveLength(2);
    expect(order[0]).toBe('k');
    expect(new Set(await line().run(undefined, true))).toEqual(new Set(['a', 'b']));
  });

  test('channels wait for themselves: in one whose limit is over, cards are updated', async () => {
    const { updates, run } = line();
    await updates.changed(ref, [task('a', 'C02'), task('b', 'C03')]);
    await run(async (id) => {
      const [channel, ms] = id === 'a' ? [c2, 30_000] : [ChannelId.parse('C03'), 0];
      throw new Limited(ms, { channel, ms });
    });
    const order: string[] = [];
    const job = run(async (id) => void order.push(id), true);
    await expect(job).rejects.toBeInstanceOf(Reschedule);
    expect(order).toEqual(['b']);
  });

  test('at most six cards are in progress at once, however many channels wait: a clicked card comes after those', async () => {
    const { updates, run } = line();
    const all = Array.from({ length: 30 }, (_, index) => task(`c${index}`, `C${100 + index}`));
    await updates.changed(ref, all);
    await run(async (id) => {
      throw new Limited(1, { channel: ChannelId.parse(`C${100 + Number(id.slice(1))}`), ms: 0 });
    });
    expect((await updates.waiting(ref)).size).toBe(30);
    let [inProgress, most] = [0, 0];
    const order = await run(async () => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      await new Promise(setImmediate);
      inProgress -= 1;
    }, true);
    expect(new Set(order)).toEqual(new Set(all.map(({ id }) => id)));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(6);
    expect(await updates.waiting(ref)).toEqual(new Set());
  });

  test('a card that is clicked comes before those of all channels that wait, and the latest click first', async () => {
    const { updates, run } = line();
    const channelAt = (index: number) => `C${100 + index}`;
    const all = Array.from({ length: 30 }, (_, index) => [
      task(`c${index}`, channelAt(index)),
      task(`d${index}`, channelAt(index)),
    ]).flat();
    await updates.changed(ref, all);
    await run(async (id) => {
      throw new Limited(1, { channel: ChannelId.parse(channelAt(Number(id.slice(1)))), ms: 0 });
    });
    await updates.clicked(ref, task('k20', channelAt(20)));
    await updates.clicked(ref, task('k10', channelAt(10)));
    let [later, tried] = [-1, 0];
    const order = await run(async () => {
      tried += 1;
      if (tried !== 30) return;
      await updates.clicked(ref, task('k5', channelAt(5)));
      later = tried;
    }, true);
    expect(order.slice(0, 2)).toEqual(['k10', 'k20']);
    // After those in progress.
    expect(order.indexOf('k5') - later).toBeLessThanOrEqual(6);
    expect(order).toHaveLength(63);
  });

  test('in a burst, Slack refuses the cards in progress and then one of each channel', async () => {
    const { updates, run } = line();
    const channelAt = (index: number) => `C${100 + Math.floor(index / 3)}`;
    const all = Array.from({ length: 60 }, (_, index) => task(`c${index}`, channelAt(index)));
    await updates.changed(ref, all);
    const tried = await run(async (id) => {
      throw new Limited(30_000, { channel: ChannelId.parse(channelAt(Number(id.slice(1)))), ms: 30_000 });
    });
    expect(tried.length).toBeLessThanOrEqual(6 + 20);
    expect((await updates.waiting(ref)).size).toBe(60);
  });

  test('a minute after the last limit, cards are updated concurrently again', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const limited = createLimitedChannels();
      expect(limited.isAny(ref)).toBe(false);
      limited.record(ref, c2, 1_000);
      expect(limited.isAny(ref)).toBe(true);
      expect(limited.isAny({ ...ref, account: AccountId.parse('a2') })).toBe(false);
      vi.advanceTimersByTime(60_999);
      expect(limited.isAny(ref)).toBe(true);
      vi.advanceTimersByTime(2);
      expect(limited.isAny(ref)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test('channels that Slack goes on to limit hold up no other: one of each batch is the one that has waited longest', () => {
    const limited = createLimitedChannels();
    const channels = ['C1', 'C2', 'C3', 'C4'].map((id) => ChannelId.parse(id));
    const batches = Array.from({ length: 4 }, () => limited.next(ref, channels, 2));
    expect(batches.map(([first]) => first)).toEqual(['C1', 'C1', 'C1', 'C1']);
    expect(new Set(batches.slice(0, 3).map(([, last]) => last))).toEqual(new Set(['C2', 'C3', 'C4']));
    expect(batches[3]).toEqual(batches[0]);
    expect(limited.next(ref, channels.slice(0, 1), 2)).toEqual(['C1']);
    expect(limited.next(ref, [], 2)).toEqual([]);
  });

  test('a card that fails for another reason goes on in a job of its own', async () => {
    const { updates, added, run } = line();
    await updates.changed(ref, [task('a', 'C02'), task('b', 'C02')]);
    await run(limitForNow);
    const order = await run(async (id) => {
      if (id === 'a') throw new Error('failed');
    }, true);
    expect(new Set(order)).toEqual(new Set(['a', 'b']));
    expect(added.at(-1)).toMatchObject({ name: 'redraw', payload: { task: 'a' } });
  });

  test('another process hears of the limit when it tries one', async () => {
    const [here, there] = [line(), line()];
    await here.updates.changed(ref, [task('a', 'C02')]);
    await here.run(limitForNow);
    await there.updates.changed(ref, [task('b', 'C02')]);
    expect(await there.run(limitForNow)).toEqual(['b']);
    await there.updates.changed(ref, [task('c', 'C02')]);
    expect(await there.run()).toEqual([]);
    expect(new Set(await here.run(undefined, true))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('a card that comes when none waits there any more is updated like others', async () => {
    const { updates, run } = line();
    await updates.changed(ref, [task('a', 'C02')]);
    await run(limitForNow);
    await run(undefined, true);
    await updates.clicked(ref, task('b', 'C02'));
    expect(await run()).toEqual(['b']);
  });

  test('a poll finds what waits, and queues a job again that was lost', async () => {
    const { updates, added, run } = line();
    await updates.changed(ref, [task('a', 'C02')]);
    await run(limitForNow);
    await updates.changed(ref, [task('b', 'C03')]);
    const ofPoll = line();
    expect([...(await ofPoll.updates.waiting(ref))].toSorted()).toEqual(['a', 'b']);
    expect(ofPoll.added.map(({ payload }) => payload)).toEqual([ref, { ...ref, isLimited: true }]);
    expect(added.length).toBeGreaterThan(0);

    expect(await ofPoll.run(undefined, true)).toEqual(['a']);
    expect(await ofPoll.run()).toEqual(['b']);
    expect(await ofPoll.updates.waiting(ref)).toEqual(new Set());
  });

  test('a job that was lost with Redis is queued again by whoever adds a card', async () => {
    const { updates, added, run } = line();
    await updates.changed(ref, [task('a', 'C02')]);
    await run(limitForNow);
    const before = added.length;
    await eventually('another job', async () => {
      await updates.changed(ref, [task('a', 'C02')]);
      return added.slice(before).some(isForLimited);
    });
  });
});
