import { expect, test } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { SeenRow } from '../../src/domain/task.ts';
import type { CampaignId, Rating, TaskId } from '../../src/domain/terms.ts';
import { createRowConfirmation, readChanges } from '../../src/features/polling/diff-results.ts';
import { createCampaignImport } from '../../src/features/polling/import-campaign.ts';
import { pauseMs } from '../../src/features/polling/incomplete-reads.ts';
import { createLogger } from '../../src/logger.ts';
import type { MarketplaceClient, ResultRow, TaskInfo } from '../../src/marketplace/index.ts';
import { TransportError } from '../../src/marketplace/index.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules, testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { waitingInfo, waitingRow } from '../harness/waiting-row.ts';
import { resultRow } from './result-rows.ts';

const noConnection = { operation: 'getTaskInfo', kind: 'connection', reason: 'gone' } as const;
const proof = { slots: ['text'], files: [] };
const rows = (count: number): SeenRow[] =>
  Array.from({ length: count }, (_, index) =>
    waitingRow(asId(`t${index}`), undefined, undefined, { rating: 'OK', proof }),
  );

/** Confirms rows with a marketplace that answers as told; returns what was asked about and what was confirmed. */
async function confirmed(
  count: number,
  ratingOf: (id: string) => Rating | Error,
  { turn = 0, hasNewTasks = false } = {},
) {
  const asked: string[] = [];
  const passedOn: string[] = [];
  const getTaskInfo = async (id: string): Promise<TaskInfo> => {
    asked.push(id);
    const rating = ratingOf(id);
    if (rating instanceof Error) throw rating;
    return waitingInfo(asId(id), { proof: ['text', ''], rating });
  };
  const modules = onlyModules({ log: createLogger('silent', []), clock: { now: () => 1 } });
  const confirmation = createRowConfirmation(modules);
  const marketplace = { getTaskInfo } as unknown as MarketplaceClient;
  const isNew = async () => hasNewTasks;
  const passOn = async ({ id }: SeenRow) => void passedOn.push(id);
  const agreed = await confirmation.confirmRows(marketplace, rows(count), turn, isNew, passOn);
  expect(passedOn).toHaveLength(agreed);
  return { asked, agreed };
}

test('rows that would change known tasks are passed on when get_task_info agrees, 300 at most in one import', async () => {
  expect((await confirmed(50, () => 'OK')).agreed).toBe(50);
  expect((await confirmed(1_000, () => 'OK')).agreed).toBe(300);
  expect((await confirmed(3, (id) => (id === 't1' ? 'NOTRATED' : 'OK'))).agreed).toBe(2);
});

test('rows that would change known tasks cost 20 requests when none agrees, and others the next time', async () => {
  const first = await confirmed(1_000, () => 'NOTRATED');
  expect([first.asked.length, first.agreed]).toEqual([20, 0]);
  const second = await confirmed(1_000, () => 'NOTRATED', { turn: 1 });
  expect(second.asked.filter((id) => first.asked.includes(id))).toEqual([]);
});

test('rows that would change known tasks wait after 20 for another read when there are new tasks', async () => {
  expect((await confirmed(100, () => 'OK', { hasNewTasks: true })).agreed).toBe(20);
});

test('rows that would change known tasks wait when the marketplace does not answer, and what was confirmed before stays', async () => {
  const away = new TransportError({ ...noConnection, mayHaveBeenApplied: false });
  const { asked, agreed } = await confirmed(100, (id) => (Number(id.slice(1)) < 5 ? 'OK' : away));
  expect(agreed).toBe(5);
  expect(asked.length).toBeLessThanOrEqual(8);
});

test('a read is repeated at the next poll, then less and less often', () => {
  const pauses = [1, 2, 3, 4, 10].map((times) => pauseMs(times, 0, 30_000) + 15_000);
  expect(pauses).toEqual([30_000, 60_000, 60_000, 60_000, 60_000]);
  expect([1, 2, 3, 4, 10].map((times) => pauseMs(times, 0, 5_000) + 2_500)).toEqual([
    5_000, 10_000, 20_000, 40_000, 60_000,
  ]);
  expect(pauseMs(50, 3_600_000, 30_000) + 15_000).toBe(600_000);
});

const redis = redisPerFile();
const campaign = asId<CampaignId>('c1');
const counts = { OK: 0, NOK: 0, NOTRATED: 0, NOTREVIEWED: 0, REVISE: 0 };

/** A marketplace whose results have these rows. */
const withResults = (rows: readonly ResultRow[], more: object = {}) => ({
  async campaignResults(
    _: unknown,
    { into }: { into: () => { onRows(some: readonly ResultRow[]): Promise<void> } },
  ) {
    await into().onRows(rows);
    return {
      wireBytes: 1,
      counts: { ...counts, OK: rows.length },
      doubtful: new Set(),
      problems: [],
      ...more,
    };
  },
});

/** Reads results with these rows, of a campaign that is listed like that. */
const reads = (rows: readonly ResultRow[], listed?: Partial<Campaign>, more: object = {}) => {
  const marketplace = withResults(rows, more) as never;
  return readChanges(testModules(redis()), marketplace, ref, campaign, listed as Campaign | undefined);
};

test('a task that was rated, of which only the rating is kept, is asked about when its row says that it waits', async () => {
  const { tasks } = testModules(redis());
  await tasks.recordRatings(ref, campaign, new Map([[asId<TaskId>('t1'), 'OK']]), new Map());
  const { rows, suspicions } = await reads([resultRow({ rating: 'NOTRATED' })]);
  expect(rows).toEqual([]);
  expect(suspicions.map(({ id }) => id)).toEqual(['t1']);
});

test('results with fewer than nine of ten rows that the list counts are incomplete', async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => resultRow({ taskId: asId(`t${n}`) }));
  const listed = { tasksOk: 6, tasksNok: 2, tasksNotRated: 2 };
  expect((await reads(rows(9), listed)).problems).toEqual([]);
  const { workers } = testModules(redis()).campaigns;
  const ofWorker = await workers.record(ref, asId('w1'), campaign);
  expect((await reads(rows(8), listed)).problems).toEqual([{ kind: 'fewer rows', read: 8, expected: 10 }]);
  // The worker keeps what the rows that are missing said.
  expect(ofWorker).toMatchObject({ name: 'Ann', counts: { OK: 9 } });
  expect(await workers.record(ref, asId('w1'), campaign)).toEqual(ofWorker);
});

test('new tasks come oldest first, with what each seems to correct; what contradicts itself counts as nothing', async () => {
  const row = (id: string, rating: Rating, more: Partial<ResultRow> = {}) =>
    resultRow({ taskId: asId(id), rating, csvRow: '0', ...more });
  const [second, third] = [{ csvRow: '2' }, { csvRow: '3' }];
  const all = [
    row('late', 'NOTRATED', { finishedAt: new Date(2) }),
    row('other worker', 'NOTRATED', { finishedAt: new Date(1), workerId: asId('w2'), ...second }),
    row('no time', 'NOTRATED', { finishedAt: undefined, ...third }),
    row('next', 'NOTRATED', { finishedAt: new Date(3), ...second }),
    row('sent back', 'REVISE', { ...second, employerComment: 'Sharper', proof: ['blurred'] }),
    row('without a template', 'REVISE'),
    row('doubtful back', 'REVISE', third),
    row('doubtful', 'NOTRATED'),
    row('rated', 'NOK'),
    row('doubtful rated', 'OK'),
  ];
  const ids = ['rated', 'doubtful rated'].map((id) => asId<TaskId>(id));
  const doubtful = new Set(['doubtful', 'doubtful back', 'doubtful rated']);
  const { rows, corrected } = await reads(all, undefined, { doubtful });
  expect(rows.map(({ id }) => id)).toEqual(['no time', 'other worker', 'late', 'next']);
  const round = { slots: ['blurred'], comment: 'Sharper', likely: true };
  expect([...corrected]).toEqual([['next', { id: 'sent back', round }]]);
  expect(await testModules(redis()).tasks.knownRatingsOf(ref, campaign, ids)).toEqual(['NOK', undefined]);
});

/** Imports results of a marketplace that also answers about tasks, and returns what is recorded of the read. */
async function imports(rows: readonly ResultRow[], client: object, more: object = {}) {
  const marketplace = { of: async () => ({ ...withResults(rows, more), ...client }) };
  const modules = testModules(redis(), { marketplace });
  const reported: unknown[] = [];
  const reports = { results: async (...[, , read]: unknown[]) => reported.push(read) };
  await createCampaignImport(modules, reports as never).run(ref, campaign);
  return { modules, reported };
}

test.each([
  [1, true],
  [0, false],
])(
  'an import of two doubtful rows of which %i is confirmed has progressed: %s',
  async (agreed, hasProgressed) => {
    const rows = [1, 2].map((n) => resultRow({ taskId: asId(`t${n}`), rating: 'NOTRATED' }));
    const getTaskInfo = async (id: string) =>
      waitingInfo(asId(id), { rating: Number(id.slice(1)) <= agreed ? 'NOTRATED' : 'OK' });
    const before = rows.map(({ taskId }) => [taskId, 'OK'] as const);
    await testModules(redis()).tasks.recordRatings(ref, campaign, new Map(before), new Map());
    const { reported } = await imports(rows, { getTaskInfo });
    const counted = { listed: '', read: '2/0/0/0', isCountsOnly: false };
    expect(reported).toEqual([{ ...counted, wrong: undefined, hasProgressed }]);
  },
);

test('of a task that was rated long ago another rating is recorded, and nothing is asked', async () => {
  const [id, rating] = [asId<TaskId>('t1'), 'NOK'] as const;
  await testModules(redis()).tasks.recordRatings(ref, campaign, new Map([[id, 'OK']]), new Map());
  const { modules, reported } = await imports([resultRow({ taskId: id, rating })], {});
  expect(await modules.tasks.knownRatingsOf(ref, campaign, [id])).toEqual([rating]);
  expect(reported).toEqual([undefined]);
});

test('a new task has an earlier round if get_task_info says that it was sent back; fifty at most are asked about', async () => {
  const asked: string[] = [];
  async function getTaskInfo(id: string) {
    asked.push(id);
    if (id === 'b1') throw new TransportError({ ...noConnection, mayHaveBeenApplied: false });
    return waitingInfo(asId(id), { rating: id === 'b2' ? 'OK' : 'REVISE' });
  }
  const rows = Array.from({ length: 51 }, (_, n) => [
    resultRow({ taskId: asId(`a${n}`), rating: 'NOTRATED', csvRow: `${n + 1}`, finishedAt: new Date(n) }),
    resultRow({ taskId: asId(`b${n}`), rating: 'REVISE', csvRow: `${n + 1}` }),
  ]);
  const { modules } = await imports(rows.flat(), { getTaskInfo });
  expect(asked).toEqual(Array.from({ length: 50 }, (_, n) => `b${n}`));
  const found = await modules.tasks.getMany(
    ref,
    [0, 1, 2, 49, 50].map((n) => asId(`a${n}`)),
  );
  expect(found.map(({ before }) => before?.slots)).toEqual([
    ['done'],
    undefined,
    undefined,
    ['done'],
    undefined,
  ]);
});

test('a first import ends with what could be read the third time', async () => {
  await testModules(redis()).campaigns.requestFirstImport(ref, [campaign]);
  for (const failures of [1, 2, undefined]) {
    const { modules } = await imports([], {}, { problems: [{ kind: 'undecodable' }] });
    expect((await modules.campaigns.firstImports(ref)).get(campaign)).toBe(failures);
  }
});
