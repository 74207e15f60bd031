import type { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { packedTerms, queryOf, termsOf } from '../../src/domain/find/terms.ts';
import type { Task } from '../../src/domain/task.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { createIndexing } from '../../src/features/find/index.ts';
import { createFindIndex } from '../../src/store/find.ts';
import type { Told } from '../harness/compared-task.ts';
import { DyingRedis } from '../harness/dying-redis.ts';
import { evidenceProcess } from '../harness/evidence-process.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

// A process is killed after each command that it sends to Redis while it indexes; another one goes on. Nothing is left out, and
// nothing counted twice.

const chart = 'The chart shows rent twice. After a restart of the app it was correct.';
const prefix = 'proofdesk:{T1/a1}:';
const redis = redisPerFile();
let dying: DyingRedis;
afterAll(() => dying?.disconnect());

/** Runs something in a process that dies after so many commands. Resolves whether it came to its end before. */
async function runsUntil(commands: number, act: (own: Redis) => Promise<unknown>): Promise<boolean> {
  dying = new DyingRedis(redis().options.port ?? 0);
  await dying.ping();
  dying.diesAfter(commands);
  const isDone = await act(dying).then(
    () => true,
    () => false,
  );
  await dying.ping();
  dying.disconnect();
  return isDone;
}

/** Does something again and again, each time with a process that dies one command later, until one comes to its end. */
async function atEachCommand(round: (commands: number) => Promise<boolean>): Promise<number> {
  for (let commands = 0; ; commands += 1) {
    await redis().flushall();
    if (await round(commands)) return commands;
    if (commands > 200) throw new Error('it never comes to its end');
  }
}

/** What is compared: a copy of another worker's text, by a worker who has another task in the campaign, submitted anew. */
type ToldTask = Told & { readonly id: string };
const older: ToldTask = { id: 't1', worker: 'w1', slots: [chart], ip: '203.0.113.7', at: 0 };
const own: ToldTask = { id: 't2', worker: 'w2', slots: ['My first one, a minute ago.'], at: 0 };
const copy: ToldTask = { ...older, id: 't3', worker: 'w2', at: 60_000 };

/** Returns a process that has compared some tasks, whose cards are posted. */
async function knowing(...all: readonly ToldTask[]) {
  const before = evidenceProcess(redis(), ref);
  for (const told of all) {
    const task = await before.arrives(told);
    const messageRef = { channel: asId<ChannelId>('C1'), ts: `1.${told.id}` };
    await before.tasks.apply(ref, task.id, { type: 'posted', messageRef });
    await before.search(ref, task);
  }
  return before;
}

test('killed at any command, the index of evidence finds each pair, and tells its cards', async () => {
  const last = await atEachCommand(async (commands) => {
    const before = await knowing(older, own);
    await before.arrives(copy);
    let redrawn: readonly string[] = [];
    const isDone = await runsUntil(commands, async (connection) => {
      const dead = evidenceProcess(connection, ref);
      redrawn = dead.redrawn;
      const task = await dead.tasks.get(ref, asId(copy.id));
      if (task) await dead.search(ref, task);
    });
    // What waits is compared by another process, as its job does.
    const next = evidenceProcess(redis(), ref);
    for (const id of await next.evidence.pending.some(ref, 10)) {
      const task = await next.tasks.get(ref, id);
      if (task) await next.search(ref, task);
    }
    const at = `after ${commands} commands`;
    expect(await next.alike('t1'), at).toEqual(['t3 same-text+same-address']);
    expect(await next.alike('t3'), at).toEqual(['t1 same-text+same-address']);
    expect(new Set([...redrawn, ...next.redrawn]), at).toEqual(new Set(['t1']));
    expect(await next.evidence.pending.isAny(ref), at).toBe(false);
    expect(await next.evidence.untold(ref), at).toEqual([]);
    for (const told of [older, own, copy]) {
      const task = await next.tasks.get(ref, asId(told.id));
      if (task) await next.evidence.forget(ref, task);
    }
    expect(await redis().keys('*:evidence:*'), at).toEqual([]);
    expect(await redis().keys('*:evidence-links*'), at).toEqual([]);
    return isDone;
  });
  expect(last).toBeGreaterThan(5);
});

test('killed at any command, a task that is submitted anew leaves what it was, and the other card is told', async () => {
  const last = await atEachCommand(async (commands) => {
    const before = await knowing(older, copy);
    const stored = await before.tasks.get(ref, asId(copy.id));
    if (stored === undefined) throw new Error('not stored');
    const { hasEvidence: _, ...known } = stored;
    const again = { before: { slots: [chart], comment: '' }, worker: { ...known.worker, ip: '' } };
    const proof = { slots: ['Another text altogether, which I wrote myself.'], files: [] };
    const corrected: Task = { ...known, round: 2, ...again, proof };
    let redrawn: readonly string[] = [];
    const isDone = await runsUntil(commands, async (connection) => {
      const dead = evidenceProcess(connection, ref);
      redrawn = dead.redrawn;
      await dead.search(ref, corrected);
    });
    const next = evidenceProcess(redis(), ref);
    await next.search(ref, corrected);
    const at = `after ${commands} commands`;
    expect(await redis().keys('*:evidence-links*'), at).toEqual([]);
    expect([...redrawn, ...next.redrawn], at).toContain('t1');
    expect(await next.evidence.untold(ref), at).toEqual([]);
    return isDone;
  });
  expect(last).toBeGreaterThan(5);
});

test('killed at any command, the search finds each task by its terms, once', async () => {
  const last = await atEachCommand(async (commands) => {
    const before = evidenceProcess(redis(), ref);
    const ids = ['t1', 't2', 't3'];
    for (const id of ids) await before.arrives({ ...older, id, slots: [`${chart} ${id}`] });
    const indexingOf = (connection: Redis) =>
      createIndexing(
        onlyModules({
          tasks: { ...evidenceProcess(connection, ref).tasks, notes: { on: async () => [] } },
          campaigns: { findIndex: createFindIndex(connection), ids: async () => [] },
        }),
      );
    const isDone = await runsUntil(commands, (connection) => indexingOf(connection).indexSome(ref));
    const indexing = indexingOf(redis());
    while (await indexing.indexSome(ref));
    const at = `after ${commands} commands`;
    const index = createFindIndex(redis());
    const find = async (text: string) =>
      (
        await index.search(ref, queryOf(text, { seesAddresses: true }).terms, { before: undefined, most: 10 })
      ).found.map(({ task }) => task);
    expect((await find('chart')).toSorted(), at).toEqual(ids);
    for (const id of ids) expect(await find(id), at).toEqual([id]);
    expect(await index.countPending(ref), at).toBe(0);
    expect(await redis().get(`${prefix}find:tasks`), at).toBe('3');
    for (const id of ids) {
      const task = await before.tasks.get(ref, asId(id));
      const stored = await redis().hgetBuffer(`${prefix}task:${id}`, 'find');
      expect(stored?.length, at).toBe(6 + packedTerms(task ? termsOf(task, []) : []).length);
      await index.forget(ref, asId(id));
    }
    const keys = await redis().keys(`${prefix.replaceAll(/[{}]/g, '?')}find:*`);
    expect(keys, at).toEqual([`${prefix}find:tasks`]);
    return isDone;
  });
  expect(last).toBeGreaterThan(3);
});
