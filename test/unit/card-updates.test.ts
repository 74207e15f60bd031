import { expect, test } from 'vitest';
import { AccountId, TaskId, WorkspaceId } from '../../src/domain/terms.ts';
import { createCardUpdateLine } from '../../src/features/shared/card-updates.ts';
import { Reschedule } from '../../src/jobs/runner.ts';
import { createLogger } from '../../src/logger.ts';
import { createCardUpdates } from '../../src/store/card-updates.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { eventually } from '../harness/eventually.ts';

const ref = { workspace: WorkspaceId.parse('T1'), account: AccountId.parse('a1') };
const task = (name: string) => TaskId.parse(name);

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
    jobs,
    logger: createLogger('silent', []),
    now: () => time++,
    ...parts,
  } as unknown as Parameters<typeof createCardUpdateLine>[0];
  const updates = createCardUpdateLine(all);
  const run = async (update: (id: TaskId) => Promise<void> = async () => undefined) => {
    const order: string[] = [];
    await updates.run(ref, async (id) => {
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

test('cards that come together share a job, and none that comes later is left without one', async () => {
  const { updates, added } = line();
  for (let index = 0; index < 5; index++) await updates.clicked(ref, task(`k${index}`));
  expect(added.length).toBeLessThanOrEqual(5);
  expect(added[0]).toMatchObject({ name: 'update-cards', payload: ref });
  const before = added.length;
  await updates.clicked(ref, task('later'));
  await eventually('a job follows', () => added.length > before);
});

test('a job takes so many at a time and leaves the rest to another', async () => {
  const { updates, added, run } = line();
  const all = Array.from({ length: 60 }, (_, index) => task(`k${index}`));
  await updates.changed(ref, all);
  const first = await run();
  expect(first.length).toBeLessThan(60);
  expect(added.filter(({ name }) => name === 'update-cards').length).toBeGreaterThanOrEqual(2);
  const rest = [...(await run()), ...(await run()), ...(await run())];
  expect(new Set([...first, ...rest])).toEqual(new Set(all));
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

test('while many jobs run, none is added, and what came since is not left without one', async () => {
  const { updates, added } = line();
  const waiting: (() => void)[] = [];
  await updates.changed(
    ref,
    Array.from({ length: 8 }, (_, index) => task(`c${index}`)),
  );
  const runs = Array.from({ length: 8 }, () =>
    updates.run(ref, () => new Promise<void>((resolve) => waiting.push(resolve))),
  );
  await eventually('all run', () => waiting.length === 8);
  await eventually('the window of the first is over', async () => {
    const before = added.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return added.length === before;
  });
  const before = added.length;
  await updates.clicked(ref, task('k'));
  expect(added).toHaveLength(before);
  // All of them have asked for the next card before this one comes: they end without it.
  await createCardUpdates(redis()).take(ref);
  for (const end of waiting.splice(0)) end();
  await Promise.all(runs);
  expect(added.length).toBe(before + 1);
});

test('a job that finds no card left waits for another one: none is queued for that', async () => {
  const store = createCardUpdates(redis());
  let empty = 0;
  const take: typeof store.take = async (of) => {
    const found = await store.take(of);
    if (found === undefined) empty += 1;
    return found;
  };
  const { updates, added, run } = line({ cardUpdates: { ...store, take }, lingerMs: 600_000 });
  const running = run();
  await eventually('it waits', () => empty === 1);
  const before = added.length;
  await updates.clicked(ref, task('k'));
  await eventually('it waits again', () => empty === 2);
  expect(added).toHaveLength(before);
  // It ends with as many as one job takes.
  await updates.changed(
    ref,
    Array.from({ length: 24 }, (_, index) => task(`c${index}`)),
  );
  expect(await running).toHaveLength(25);
});
