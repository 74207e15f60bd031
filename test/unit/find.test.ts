import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { mostTerms, queryOf, termsOf, textsOf, wordsOf } from '../../src/domain/find/terms.ts';
import type { Task } from '../../src/domain/task.ts';
import type { TaskId } from '../../src/domain/terms.ts';
import { excerptOf } from '../../src/features/find/find.view.ts';
import { createFind, createSearch } from '../../src/features/find/index.ts';
import { createFindIndex } from '../../src/store/find.ts';
import { createNotes } from '../../src/store/notes.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { type Told, toldTask } from '../harness/compared-task.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { forAll, forAllAsync } from './properties.ts';

const clients = twoRedisClients();

const task = (told: Told) => toldTask({ id: '7f3a', worker: '9b2c', ...told });
const has = (told: Told, text: string, seesAddresses = true) => {
  const own = new Set(termsOf(task(told), ['ask the shop']));
  return queryOf(text, { seesAddresses }).terms.every((term) => own.has(term));
};

test('a task is found by words, whatever their case, accents and punctuation; ids, notes and codes', () => {
  const told = { slots: ['The CHART shows “rent”, twice. Code: AB-1234-C', 'Кафе на углу'] };
  for (const text of ['chart', 'Rent twice', 'сhart', 'кафе', '7f3a', '9B2C', 'shop', 'AB-1234-C', 'ab1234c'])
    expect([text, has(told, text)]).toEqual([text, true]);
  for (const text of ['charts', 'chart missing']) expect([text, has(told, text)]).toEqual([text, false]);
});

test('a task is found by words of scripts without spaces, by their letters', () => {
  expect(has({ slots: ['棚の写真を撮りました'] }, '写真')).toBe(true);
  expect(has({ slots: ['棚の写真を撮りました'] }, '真写')).toBe(false);
});

test('a task is found by an address, whole for who may see it, and else its network', () => {
  const told = { ip: '203.0.113.7' };
  expect(has(told, '203.0.113.7')).toBe(true);
  expect(has(told, '203.0.113.8')).toBe(false);
  for (const shown of ['203.0.113.…', '203.0.113.0/24', '203.0.113.8', '203.0.113.9'])
    expect([shown, has(told, shown, false)]).toEqual([shown, true]);
  const isWidened = (text: string, seesAddresses: boolean) => queryOf(text, { seesAddresses }).isWidened;
  expect(isWidened('203.0.113.8', false)).toBe(true);
  expect([isWidened('203.0.113.8', true), isWidened('chart', false)]).toEqual([false, false]);
  expect(has({ ip: '2001:db8:0:1::7' }, '2001:db8:0:1:…', false)).toBe(true);
});

test('a query is searched by its first eight words', () => {
  const { terms } = queryOf('a1 b2 c3 d4 e5 f6 g7 h8 i9', { seesAddresses: true });
  expect(terms).toEqual(['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8']);
});

test('what a task is found by is bounded, whatever is handed in, and the ids are never missing', () => {
  const slots = [Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(' ')];
  const terms = termsOf(task({ slots }), []);
  expect(terms).toHaveLength(mostTerms);
  expect(terms).toContain('9b2c');
});

test('any word of a text is a word of what it is asked by', () => {
  const written = fc.string({ unit: fc.constantFrom(...'abЖé写真ำ٣ .-_\u200d😀'), maxLength: 20 });
  forAll({ numRuns: 30 }, written, (text) => {
    const own = new Set(termsOf(task({ slots: [text] }), []));
    for (const word of wordsOf(text)) expect(own.has(word)).toBe(true);
    const excerpt = excerptOf(textsOf(task({ slots: [text] }), []), wordsOf(text));
    expect(excerpt === undefined || excerpt.text.length > 0).toBe(true);
  });
});

const noteOf = (id: string, text: string, at = 1) =>
  ({ id, text, at, by: asId('U1'), how: 'click' }) as never;

/** A process with its own connection. */
function process(redis = clients.first) {
  const tasks = createTasks(redis);
  const notes = createNotes(redis, tasks);
  const findIndex = createFindIndex(redis);
  const search = createSearch(onlyModules({ tasks: { ...tasks, notes }, campaigns: { findIndex } }));

  async function index(id: string): Promise<boolean> {
    const [record] = await tasks.loadMany(ref, [asId<TaskId>(id)]);
    if (record?.value === undefined) throw new Error(`no record of ${id}`);
    const own = await notes.on(ref, record.value);
    const texts = own.map(({ text }) => text);
    return findIndex.put(ref, record, texts);
  }

  return {
    tasks,
    notes,
    findIndex,
    index,
    /** Stores a task, as an import does. */
    async stores(told: Told): Promise<Task> {
      const { id, campaign, rating, comment, worker, csvRow, submittedAt = 1, proof } = toldTask(told);
      const row = { id, campaign, rating, comment, worker, csvRow, submittedAt, proof };
      const { task } = await tasks.apply(ref, id, { type: 'seen', ...row, readAt: 1, want: 'backlog' });
      if (task === undefined) throw new Error('not stored');
      return task;
    },
    /** Returns the ids of a page, and where the next one begins. */
    async finds(text: string, before?: number) {
      const query = queryOf(text, { seesAddresses: true });
      const { shown, older } = await search.find(ref, query, before);
      return { ids: shown.map(({ task }) => task.id as string), older };
    },
  };
}

const keys = async () =>
  (await clients.first.keys('*:find:*')).map((key) => key.replace(/^.*}:find:/, '')).toSorted();

test('the change of a record says that it is to be indexed, after the next poll at the latest, and one that has changed since is not', async () => {
  const { stores, findIndex, index, tasks, notes, finds } = process();
  await stores({ id: 't1', slots: ['a shelf with tea'] });
  expect(await findIndex.pending(ref, 10)).toEqual(['t1']);
  const add = vi.fn(async () => undefined);
  await createFind(onlyModules({ campaigns: { findIndex }, jobs: { add } })).afterPoll(ref);
  expect(add).toHaveBeenCalledOnce();
  const [read] = await tasks.loadMany(ref, [asId<TaskId>('t1')]);
  expect(await notes.leave(ref, asId('t1'), noteOf('n1', 'ask the shop'))).toBe('left');
  expect(await findIndex.put(ref, read as never, [])).toBe(false);
  expect(await findIndex.pending(ref, 10)).toEqual(['t1']);
  expect(await index('t1')).toBe(true);
  expect(await findIndex.pending(ref, 10)).toEqual([]);
  expect((await finds('shelf shop')).ids).toEqual(['t1']);
  await notes.remove(ref, asId('t1'), 'n1', { by: asId('U1'), how: 'click' });
  expect(await findIndex.pending(ref, 10)).toEqual(['t1']);
  await index('t1');
  expect((await finds('shop')).ids).toEqual([]);
  expect((await finds('tea')).ids).toEqual(['t1']);
});

test('the index finds the newest first, page after page, each once', async () => {
  const { stores, index, finds } = process();
  const ids = Array.from({ length: 32 }, (_, number) => `t${number}`);
  for (const id of ids) {
    await stores({ id, slots: [`common word${Number(id.slice(1)) % 2}`] });
    await index(id);
  }
  const found: string[] = [];
  let pages = 0;
  let before: number | undefined;
  do {
    const page = await finds('common word0', before);
    found.push(...page.ids);
    before = page.older;
    pages += 1;
  } while (before !== undefined);
  expect(found).toEqual(ids.filter((_, number) => number % 2 === 0).toReversed());
  expect(pages).toBe(2);
});

test('two processes that index one task leave it in the index once; forgetting it leaves nothing', async () => {
  const [one, other] = [process(), process(clients.second)];
  // So many that the places of a word take a string of their own.
  const ids = Array.from({ length: 70 }, (_, number) => `t${number}`);
  for (const id of ids) await one.stores({ id, slots: ['tea', `own${id.slice(1)}`], ip: '203.0.113.7' });
  await Promise.all(ids.flatMap((id) => [one.index(id), other.index(id)]));
  expect((await one.finds('own33 tea')).ids).toEqual(['t33']);
  const first = await one.finds('203.0.113.7');
  expect(new Set(first.ids).size).toBe(first.ids.length);
  expect((await keys()).some((key) => key.startsWith('w0:'))).toBe(true);
  for (const id of ids) await one.findIndex.forget(ref, asId(id));
  expect(await keys()).toEqual(['tasks']);
});

test('a task whose record is gone is not found, though the index still has it', async () => {
  const { stores, index, finds } = process();
  await stores({ id: 't1', slots: ['tea'] });
  await index('t1');
  const records = (await clients.first.keys('*')).filter((key) => !key.includes(':find:'));
  await clients.first.del(records);
  expect((await finds('tea')).ids).toEqual([]);
});

test('the index looks like what is stored, whatever is indexed, changed and forgotten', async () => {
  const words = ['tea', 'rice', 'soap', 'shelf'];
  const act = fc.record({ id: fc.nat(5), words: fc.subarray(words), forget: fc.boolean() });
  const changes = fc.array(act, { maxLength: 25 });
  const questions = fc.subarray(words, { minLength: 1 });
  await forAllAsync({ numRuns: 15 }, changes, questions, async (acts, asked) => {
    await clients.first.flushall();
    const { tasks, stores, notes, index, findIndex, finds } = process();
    const known = new Map<string, readonly string[]>();
    for (const [at, { id: number, words: said, forget }] of acts.entries()) {
      const id = `t${number}`;
      if (!known.has(id)) await stores({ id, slots: ['x'] });
      const task = await tasks.get(ref, asId(id));
      for (const note of task?.notes ?? [])
        await notes.remove(ref, asId(id), note, { by: asId('U1'), how: 'click' });
      await notes.leave(ref, asId(id), noteOf(`n${at}`, said.join(' ') || '-', at));
      known.set(id, forget ? [] : said);
      if (forget) await findIndex.forget(ref, asId(id));
      else await index(id);
    }
    const expected = [...known].filter(([, said]) => asked.every((word) => said.includes(word)));
    expect((await finds(asked.join(' '))).ids.toSorted()).toEqual(expected.map(([id]) => id).toSorted());
  });
});
