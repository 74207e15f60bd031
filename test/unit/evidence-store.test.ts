import { expect, test } from 'vitest';
import { comparedTask, mostAlike, postingsOf, type Shared } from '../../src/domain/evidence/likeness.ts';
import type { Task } from '../../src/domain/task.ts';
import type { TaskId } from '../../src/domain/terms.ts';
import { createEvidenceFeature } from '../../src/features/evidence/index.ts';
import { looksAlike, mostFound } from '../../src/features/evidence/search.ts';
import { createEvidence, createEvidenceIndex, mostAtPlace } from '../../src/store/evidence.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { type Told, toldTask } from '../harness/compared-task.ts';
import { evidenceProcess } from '../harness/evidence-process.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const clients = twoRedisClients();
const chart = 'The chart shows rent twice. After a restart of the app it was correct.';

const idOf = (id: string) => asId<TaskId>(id);

/** Puts a task into the index; returns the others that it was found with. */
async function put(index: ReturnType<typeof createEvidenceIndex>, told: Told & { readonly id: string }) {
  const found = await index.put(ref, idOf(told.id), postingsOf(comparedTask(toldTask(told))));
  return [...new Set(found.flatMap(({ tasks }) => tasks))].toSorted();
}

const evidenceKeys = async () =>
  (await clients.first.keys('*:evidence*')).map((key) => key.replace(/^.*}:/, '')).toSorted();

test('the index finds a task by each of its places, and never itself', async () => {
  const index = createEvidenceIndex(clients.first);
  const first = { id: 't1', worker: 'w1', slots: [chart], ip: '203.0.113.7' };
  expect(await put(index, first)).toEqual([]);
  expect(await put(index, { id: 't2', worker: 'w2', slots: [chart.toUpperCase()] })).toEqual(['t1']);
  expect(await put(index, { id: 't3', worker: 'w3', ip: '203.0.113.9' })).toEqual(['t1']);
  expect(await put(index, { id: 't4', worker: 'w2' })).toEqual(['t2']);
  expect(await put(index, first)).toEqual(['t2', 't3']);
  expect(await put(index, { id: 't5', worker: 'w5', ip: '198.51.100.1' })).toEqual([]);
});

test('of two that arrive at once in two processes, each pair is found', async () => {
  const indexes = [createEvidenceIndex(clients.first), createEvidenceIndex(clients.second)] as const;
  const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
  const found = await Promise.all(
    ids.map((id, index) => put(indexes[index % 2 === 0 ? 0 : 1], { id, worker: id, slots: [chart] })),
  );
  for (const [one, id] of ids.entries()) {
    for (const [other, otherId] of ids.entries()) {
      if (one < other)
        expect(found[one]?.includes(asId(otherId)) || found[other]?.includes(asId(id))).toBe(true);
    }
  }
});

test('the index remembers the latest at a place that many have in common', async () => {
  const index = createEvidenceIndex(clients.first);
  for (let count = 0; count < 40; count += 1)
    await put(index, { id: `t${count}`, worker: `w${count}`, slots: [chart] });
  const found = await put(index, { id: 'last', worker: 'last', slots: [chart] });
  expect(found).toHaveLength(mostAtPlace);
  expect(found).toContain('t39');
  expect(found).not.toContain('t1');
});

test('the index has a task once at each place, among the latest ones, however often it is added', async () => {
  const index = createEvidenceIndex(clients.first);
  const told = (id: string) => ({ id, worker: 'w1', slots: [chart] });
  const ids = Array.from({ length: mostAtPlace + 5 }, (_, number) => `t${number}`);
  for (const id of [...ids, ...ids]) await put(index, told(id));
  const sets = await clients.first.keys('*:evidence:*');
  const counts = await Promise.all(sets.map((key) => clients.first.zcard(key)));
  // The task that came last, and those that it was found with.
  expect(new Set(counts)).toEqual(new Set([mostAtPlace + 1]));
});

test('the index forgets a task everywhere', async () => {
  const index = createEvidenceIndex(clients.first);
  const told = { id: 't1', worker: 'w1', slots: [chart, 'WAY-5518-RV'], ip: '203.0.113.7' };
  await put(index, told);
  await put(index, { ...told, id: 't2' });
  for (const id of ['t1', 't2'])
    await index.leave(ref, idOf(id), postingsOf(comparedTask(toldTask({ ...told, id }))));
  expect(await evidenceKeys()).toEqual([]);
  expect(await put(index, { ...told, id: 't3' })).toEqual([]);
});

const shared = { kinds: ['same-text'] } as const;

test('the links are stored with both, and new once', async () => {
  const evidence = createEvidence(clients.first);
  const [one, other] = [toldTask({ id: 't1' }), toldTask({ id: 't2', worker: 'w2', campaign: 'c2' })];
  await evidence.link(ref, one, other, shared);
  expect((await evidence.untold(ref)).toSorted()).toEqual(['t1', 't2']);
  for (const id of [one.id, other.id]) await evidence.told(ref, id);
  await evidence.link(ref, one, other, shared);
  expect(await evidence.untold(ref)).toEqual([]);
  const has = { id: one.id, hasEvidence: true } as const;
  expect(await evidence.on(ref, has)).toEqual([{ task: 't2', worker: 'w2', campaign: 'c2', ...shared }]);
  expect(await evidence.on(ref, { id: one.id })).toEqual([]);
  await evidence.forget(ref, one);
  expect(await evidence.on(ref, { ...has, id: other.id })).toEqual([]);
});

test('the links are shown on the card of a task that had something of that kind already when it is next rendered', async () => {
  const evidence = createEvidence(clients.first);
  const [one, other, third] = ['t1', 't2', 't3'].map((id) => toldTask({ id })) as [Task, Task, Task];
  const told = async (alike: Shared) => {
    await evidence.link(ref, third, one, alike);
    const untold = await evidence.untold(ref);
    for (const id of untold) await evidence.told(ref, id);
    return untold.toSorted();
  };
  await evidence.link(ref, one, other, shared);
  for (const id of [one.id, other.id]) await evidence.told(ref, id);
  expect(await told(shared)).toEqual(['t3']);
  expect(await evidence.on(ref, { id: one.id, hasEvidence: true })).toHaveLength(2);
  expect(await told({ kinds: ['same-text', 'same-address'] })).toEqual(['t1', 't3']);
});

test('strangers may share a network: alone it is no likeness', () => {
  expect(looksAlike(['same-network'])).toBe(false);
  expect(looksAlike(['same-network', 'same-address'])).toBe(true);
});

test('the links are bounded', async () => {
  const evidence = createEvidence(clients.first);
  const one = toldTask({ id: 't0' });
  for (let count = 1; count <= mostAlike + 5; count += 1)
    await evidence.link(ref, one, toldTask({ id: `t${count}` }), shared);
  expect(await evidence.on(ref, { id: one.id, hasEvidence: true })).toHaveLength(mostAlike);
});

const process = () => evidenceProcess(clients.first, ref);

test('a task that arrives is to be compared, until it was', async () => {
  const { arrives, search, evidence } = process();
  const task = await arrives({ id: 't1', slots: [chart] });
  expect(await evidence.pending.some(ref, 10)).toEqual(['t1']);
  await search(ref, task);
  expect(await evidence.pending.isAny(ref)).toBe(false);
});

test('codes from the instructions say nothing; nor what many have in common', async () => {
  const { arrives, search, alike } = process();
  for (const id of ['a', 'b'])
    await search(ref, await arrives({ id, worker: id, slots: ['WAY-0000-XX', 'NR-7777-Q'] }));
  expect(await alike('b')).toEqual([]);
  const told = { slots: [chart, 'AB-1234-C'] };
  for (let count = 0; count < mostAtPlace + 3; count += 1)
    await search(ref, await arrives({ id: `t${count}`, worker: `w${count}`, ...told }));
  expect(await alike('t0')).toContain('t1 same-text+same-code');
  const last = await alike('t17');
  expect(last).toHaveLength(mostAtPlace);
  for (const found of last) expect(found).toMatch(/^t\d+ same-text$/);
});

test('of many tasks with something in common, those with the most of it are compared', () => {
  const ids = Array.from({ length: 40 }, (_, at) => asId<TaskId>(`t${at}`));
  const most = [ids.slice(38), ids.slice(39)].flat();
  expect(mostFound([...ids, ...most])).toEqual([ids[39], ids[38], ...ids.slice(0, 28)]);
});

test('what is submitted anew is compared as it is now', async () => {
  const { arrives, search, alike, tasks, evidence } = process();
  await search(ref, await arrives({ id: 't1', worker: 'w1', slots: [chart] }));
  const copy = await search(ref, await arrives({ id: 't2', worker: 'w2', slots: [chart] }));
  expect(copy.hasEvidence).toBe(true);
  const { hasEvidence: _, ...rest } = copy;
  const proof = { slots: ['Another text altogether, which I wrote myself.'], files: [] };
  await search(ref, { ...rest, round: 2, before: { slots: [chart], comment: '' }, proof });
  expect(await alike('t1')).toEqual([]);
  expect([await tasks.get(ref, copy.id), await evidence.untold(ref)]).toEqual([expect.anything(), []]);
  // A third copy finds the first one only.
  await search(ref, await arrives({ id: 't3', worker: 'w3', slots: [chart] }));
  expect(await alike('t3')).toEqual(['t1 same-text']);
});

/** Creates the job that compares what waits, with an index that fails for some tasks. */
function searchJob(fails: (task: string) => Error | undefined) {
  const [tasks, evidence] = [createTasks(clients.first), createEvidence(clients.first)];
  const tried: string[] = [];
  const logged: string[] = [];
  const index: typeof evidence.index = {
    ...evidence.index,
    async put(account, task: TaskId, postings) {
      tried.push(task);
      const failure = fails(task);
      if (failure !== undefined) throw failure;
      return evidence.index.put(account, task, postings);
    },
  };
  const modules = onlyModules({
    tasks,
    campaigns: { evidence: { ...evidence, index }, briefs: { get: async () => ({}) } },
    log: { error: (_: object, text: string) => void logged.push(text) },
    jobs: { add: async () => undefined },
  });
  const feature = createEvidenceFeature(modules);
  const run = () => feature.jobs['search-evidence'](ref).catch((error: Error) => error.message);
  return { run, tried, logged, pending: () => evidence.pending.some(ref, 10) };
}

test('One that fails is logged and not tried again; the others are compared', async () => {
  const { arrives } = evidenceProcess(clients.first, ref);
  for (const id of ['t1', 't2', 't3']) await arrives({ id, worker: id, slots: [`what ${id} did`], at: 0 });
  const unexpected = new Error('an unexpected text');
  const { run, tried, logged, pending } = searchJob((id) => (id === 't2' ? unexpected : undefined));
  expect(await run()).toBeUndefined();
  expect(tried).toEqual(['t1', 't2', 't3']);
  expect(logged).toEqual(['task cannot be compared with others, and is not']);
  expect(await pending()).toEqual([]);
});

test('While Redis is away, what waits stays', async () => {
  const { arrives } = evidenceProcess(clients.first, ref);
  for (const id of ['t1', 't2']) await arrives({ id, worker: id, slots: [`what ${id} did`], at: 0 });
  const { run, tried, pending } = searchJob(() => new Error('Connection is closed.'));
  for (let times = 0; times < 5; times += 1) expect(await run()).toBe('Connection is closed.');
  expect(tried).toEqual(Array(5).fill('t1'));
  expect(await pending()).toEqual(['t1', 't2']);
});
