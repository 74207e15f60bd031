import fc from 'fast-check';
import { expect, it } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { RatingEntry, Skipped } from '../../src/marketplace/index.ts';
import { decodeRatings } from '../../src/marketplace/ratings.ts';
import { clientOf, rejection, serve } from './marketplace-server.ts';
import { forAll } from './properties.ts';

const ok = (taskId: string, more: Partial<RatingEntry> = {}): RatingEntry => ({
  taskId,
  rating: 'OK',
  comment: '',
  ...more,
});
const done = (id_task: string, more = {}) => ({ id_task, rating: 'OK', success: true, errors: [], ...more });

it('rateTasks sends full arrays matched by position', async () => {
  const server = await serve(() => ({ body: { status: 'SUCCESS', tasks: [done('a'), done('b')] } }));
  const entries = [
    ok('a', { bonus: money('0.05'), favorite: 'add' }),
    ok('b', { rating: 'REVISE', comment: 'again', bonus: money('1'), favorite: 'remove' }),
  ];
  const rated = await clientOf(server.url).rateTasks('c/1', entries);
  expect(server.seen[0]).toMatchObject({ method: 'PUT', path: '/campaign_hg/rate_tasks/c%2F1' });
  expect([...(server.seen[0]?.form ?? [])].map(([name, value]) => `${name}=${value}`).join(' ')).toBe(
    'id_task[]=a id_task[]=b rating[]=OK rating[]=REVISE comment[]= comment[]=again bonus[]=0.05000 bonus[]=1.00000 favorite[]=add favorite[]=remove',
  );
  expect(rated).toEqual([
    { taskId: 'a', rating: 'OK', success: true, errors: [], answered: true },
    { taskId: 'b', rating: 'REVISE', success: true, errors: [], answered: true },
  ]);
});

it('rateTasks sends no array that nobody fills, and refuses one with gaps', async () => {
  const server = await serve(() => ({ body: { status: 'SUCCESS', tasks: [] } }));
  const client = clientOf(server.url);
  await client.rateTasks('c', [ok('a'), ok('b')]);
  expect(server.seen[0]?.form.has('bonus[]')).toBe(false);
  expect(server.seen[0]?.form.has('favorite[]')).toBe(false);
  const withBonus = [ok('a', { bonus: money(1) }), ok('b')];
  const gaps = [withBonus, [ok('a'), ok('b', { favorite: 'add' })]];
  for (const entries of gaps) {
    expect(await rejection(client.rateTasks('c', entries))).toBeInstanceOf(TypeError);
  }
  expect(await client.rateTasks('c', [])).toEqual([]);
  expect(server.seen).toHaveLength(1);
});

it('rateTasks reads each entry’s own errors, in any of their shapes, and skips what it cannot read', async () => {
  const skipped: Skipped[] = [];
  const server = await serve(() => ({
    body: {
      status: 'SUCCESS',
      tasks: [
        { id_task: 1, rating: 'NOK', comment: '', errors: ['comment IS MANDATORY', 'news'] },
        { id_task: 'b', success: true, errors: 'Your account balance is too low to add bonus' },
        'nonsense',
        { id_task: 'd', rating: 'OK', success: 'true' },
        { id_task: 'e', rating: 'OK' },
      ],
    },
  }));
  const client = clientOf(server.url, { onSkipped: (one) => skipped.push(one) });
  const entries = ['1', 'b', 'c', 'd', 'e'].map((id) => ok(id));
  const rated = await client.rateTasks('c', entries);
  expect(
    rated.map(({ success, answered, errors }) => [success, answered, errors.map(({ code }) => code)]),
  ).toEqual([
    [false, true, ['COMMENT_MISSING', 'OTHER']],
    [false, true, ['BALANCE_TOO_LOW']],
    [false, false, ['OTHER']],
    [true, true, []],
    [false, false, ['OTHER']],
  ]);
  expect(rated[2]?.errors).toEqual([{ code: 'OTHER', text: 'no answer for this task' }]);
  expect(skipped).toMatchObject([{ endpoint: 'rateTasks', index: 2 }]);
});

it('rateTasks refuses REVISE through rateTask', async () => {
  const server = await serve(() => ({}));
  const entry = ok('a', { rating: 'REVISE', comment: 'x' });
  expect(await rejection(clientOf(server.url).rateTask('c', entry))).toBeInstanceOf(TypeError);
  expect(server.seen).toHaveLength(0);
});

const fail = (id_task: string | undefined, text: string, more = {}) => ({
  id_task,
  rating: 'OK',
  success: false,
  errors: [text],
  ...more,
});

it('matching answers to entries finds answers out of order, and says which are missing', () => {
  const rated = decodeRatings([ok('a'), ok('b'), ok('c')], [done('c'), done('a')]);
  expect(rated.map(({ success }) => success)).toEqual([true, false, true]);
  expect(rated[1]?.answered).toBe(false);
});

it('matching answers to entries takes none of several for one task', () => {
  const rated = decodeRatings([ok('a'), ok('b')], [done('a'), done('b'), fail('a', 'x')]);
  expect(rated.map(({ success, answered }) => [success, answered])).toEqual([
    [false, false],
    [true, true],
  ]);
});

it('matching answers to entries takes an answer without an id by its position only when there is one for each', () => {
  const nameless = { id_task: undefined, rating: 'OK', success: true, errors: [] };
  const answered = (...answers: Parameters<typeof decodeRatings>[1][number][]) =>
    decodeRatings([ok('a'), ok('b')], answers).map((one) => one.answered);
  expect(answered(nameless, done('b'))).toEqual([true, true]);
  expect(answered(nameless)).toEqual([false, false]);
});

it('matching answers to entries matches any order of unique ids to the right entries', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 30 });
  const shuffled = ids.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: 0, maxLength: list.length })),
  );
  forAll(shuffled, ([asked, answered]) => {
    const rated = decodeRatings(
      asked.map((id) => ok(id)),
      answered.map((id) => done(id)),
    );
    expect(rated.map(({ taskId }) => taskId)).toEqual(asked);
    for (const one of rated) expect(one.success).toBe(answered.includes(one.taskId));
  });
});
