import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decision, task } from '../../gallery/samples/tasks.ts';
import {
  type CampaignId,
  type MemberId,
  type TaskId,
  type Verdict,
  verdicts,
  type WorkerId,
} from '../../src/domain/terms.ts';
import {
  createWorkerTally,
  type GivenRating,
  isNotable,
  noTasks,
  ratingGiven,
  reasonCounts,
  recordOf,
  trendOf,
  verdictCounts,
  type WorkerInCampaign,
} from '../../src/domain/worker.ts';
import { createFetchedFiles } from '../../src/store/fetched-files.ts';
import { createWorkers } from '../../src/store/workers.ts';
import { workerFactsWords, workerHistoryLines, workerRecordLine } from '../../src/ui/worker.view.ts';
import { asId, ref } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { writeChange } from '../harness/written.ts';
import { forAllAsync } from './properties.ts';

const rated = (verdict: Verdict, reason?: string): GivenRating =>
  reason === undefined ? { verdict } : { verdict, reason };
const many = (count: number, verdict: Verdict) => Array.from({ length: count }, () => rated(verdict));

test('the record of a worker says how many of their tasks were rated what here, where there are other campaigns', () => {
  const [here, other] = [asId<CampaignId>('c1'), asId<CampaignId>('c2')];
  const known = new Map([
    [here, { name: 'amina', counts: { ...noTasks, OK: 3, NOK: 1, NOTRATED: 2 } }],
    [other, { name: 'amina', counts: { ...noTasks, OK: 9 } }],
  ]);
  expect(workerRecordLine(recordOf(asId('w1'), known, here))).toBe(
    '1 NOK · 12 OK · here 1 NOK, 3 OK · 2 waiting in 2 campaigns',
  );
  expect(workerRecordLine(recordOf(asId('w1'), known, asId('c3')))).toContain('none in this campaign');
  // Of one campaign, all are here.
  known.delete(other);
  expect(workerRecordLine(recordOf(asId('w1'), known, here))).toBe('1 NOK · 3 OK · 2 waiting');
});

test('the record of a worker adds up the rows of a campaign, and keeps a name that a later row leaves out', () => {
  const tally = createWorkerTally();
  for (const name of ['', 'amina', '']) tally.add(asId('w1'), name, 'OK');
  expect(tally.workers().get(asId('w1'))).toEqual({ name: 'amina', counts: { ...noTasks, OK: 3 } });
});

test('the record of a worker counts a rating once, whoever gave it, with the saved reason of a decision made here', () => {
  const open = task({ rating: 'NOTRATED' });
  const given = { verdict: 'NOK', reason: 'r1' } as const;
  const applied = task({ rating: 'NOK', decision: decision('applied', given) });
  expect(ratingGiven(open, applied)).toEqual({ verdict: 'NOK', reason: 'r1' });
  expect(ratingGiven(applied, applied)).toBeUndefined();
  // Somebody was faster, outside of Slack: the reason is not that of their rating.
  const overtaken = task({ rating: 'OK', decision: decision('overtaken', given) });
  expect(ratingGiven(open, overtaken)).toEqual({ verdict: 'OK' });
  expect(ratingGiven(undefined, applied)).toBeUndefined();
  expect(ratingGiven(applied, open)).toBeUndefined();
});

test('the record of a worker has a trend once there are enough ratings, and names on a card only one that differs clearly', () => {
  const turned = [...many(20, 'OK'), ...many(12, 'OK'), ...many(8, 'NOK')];
  expect(trendOf(turned.slice(1))).toBeUndefined();
  const trend = trendOf(turned);
  expect(trend).toEqual({
    latest: { OK: 12, NOK: 8, REVISE: 0 },
    before: { OK: 20, NOK: 0, REVISE: 0 },
  });
  expect(trend && isNotable(trend)).toBe(true);
  expect(workerFactsWords({ reasons: [], ...(trend ? { trend } : {}) })).toEqual([
    'latest 20 ratings of this worker: 8 NOK, 12 OK; the 20 before: 20 OK',
  ]);
  const steady = trendOf([...many(30, 'OK'), ...many(2, 'NOK'), ...many(18, 'OK')]);
  if (steady === undefined) throw new Error('no trend');
  expect(isNotable(steady)).toBe(false);
  expect(workerFactsWords({ reasons: [], trend: steady })).toEqual([]);
  const history = { reasons: [], campaigns: [], rated: { OK: 48, NOK: 2, REVISE: 0 } };
  expect(workerHistoryLines({ ...history, trend: steady }).join('\n')).toContain(
    'Trend: latest 20 ratings of this worker: 2 NOK, 18 OK; the 30 before: 30 OK',
  );
});

test('the record of a worker names by how often a reason was given, and on a card what was given twice; texts of people are escaped', () => {
  const ratings = [rated('NOK', 'a'), rated('REVISE', 'b'), rated('NOK', 'a'), rated('OK')];
  expect(reasonCounts(ratings)).toEqual([
    { reason: 'a', verdict: 'NOK', count: 2 },
    { reason: 'b', verdict: 'REVISE', count: 1 },
  ]);
  const reasons = [
    { name: '<!channel> *wrong*', verdict: 'NOK', count: 2 },
    { verdict: 'REVISE', count: 1 },
  ] as const;
  const [words = ''] = workerFactsWords({ reasons });
  expect(words).toMatch(/^NOK 2 times for “&lt;!channel&gt;.*”$/u);
  const all = workerHistoryLines({ reasons, campaigns: [], rated: { OK: 0, NOK: 2, REVISE: 1 } }).join('\n');
  expect(all).toContain(', REVISE once for a deleted reason');
});

const redis = redisPerFile();

let workers = 0;
/** Stores ratings one by one, as the changes of tasks do. */
async function stored(ratings: readonly GivenRating[]): Promise<WorkerId> {
  workers += 1;
  const worker = { ...task().worker, id: asId<WorkerId>(`w${workers}`) };
  for (const given of ratings) {
    const after = task({ worker, rating: given.verdict, decision: decision('applied', given) });
    await writeChange(redis(), ref, task({ worker }), after);
  }
  return worker.id;
}

test('stored ratings of a worker are read as they were given, whatever a reason is called', async () => {
  const reason = fc.oneof(fc.constantFrom('a b', 'O:X R', '%20', ''), fc.string({ maxLength: 12 }));
  const rating = fc
    .tuple(fc.constantFrom(...verdicts), fc.option(reason, { nil: undefined }))
    .map(([verdict, one]) => rated(verdict, one));
  await forAllAsync({ numRuns: 40 }, fc.array(rating, { maxLength: 12 }), async (ratings) => {
    expect(await createWorkers(redis()).ratings(ref, await stored(ratings))).toEqual(ratings);
  });
});

test('stored ratings of a worker stay few: the oldest go, and all of them a year after the last', async () => {
  const reason = '0b8f7a3e-3c5a-4a0e-9d55-0d6e1b7a2f10';
  const ratings = [...many(30, 'OK'), ...Array.from({ length: 400 }, () => rated('NOK', reason))];
  const worker = await stored(ratings);
  const left = await createWorkers(redis()).ratings(ref, worker);
  expect(left).toHaveLength(400);
  expect(left).toEqual(ratings.slice(-left.length));
  const [key = ''] = await redis().keys(`*workers:ratings:${worker}`);
  const seconds = await redis().ttl(key);
  expect(seconds).toBeGreaterThan(364 * 86_400);
  expect(verdictCounts(left).NOK).toBeGreaterThan(20);
  expect(await createWorkers(redis()).ratings({ ...ref, account: asId('a2') }, worker)).toEqual([]);
});

const [w1, w2] = [asId<WorkerId>('w1'), asId<WorkerId>('w2')];
const [c1, c2] = [asId<CampaignId>('c1'), asId<CampaignId>('c2')];
const [u1, u2] = [asId<MemberId>('U1'), asId<MemberId>('U2')];

const known = (name: string, counts: Partial<typeof noTasks>): WorkerInCampaign => ({
  name,
  counts: { ...noTasks, ...counts },
});

test('a read of a campaign takes the place of the last one', async () => {
  const workers = createWorkers(redis());
  await workers.storeCampaign(ref, c1, new Map([[w1, known('amina', { NOTRATED: 2 })]]));
  const both = new Map([[w1, known('', { OK: 1 })]]).set(w2, known('ben', { NOK: 3 }));
  await workers.storeCampaign(ref, c2, both);
  await workers.storeCampaign(ref, c1, new Map([[w1, known('amina', { OK: 1, NOK: 1 })]]));
  const [one, two, nobody] = await workers.recordMany(ref, [w1, w2, asId('w3')]);
  expect(one).toEqual({ id: 'w1', name: 'amina', counts: { ...noTasks, OK: 2, NOK: 1 }, campaigns: 2 });
  expect(two).toMatchObject({ name: 'ben', campaigns: 1 });
  expect(nobody).toEqual({ id: 'w3', counts: noTasks, campaigns: 0 });
  await workers.storeCampaign(ref, c2, new Map());
  expect(await workers.record(ref, w2)).toMatchObject({ campaigns: 0 });
  const [elsewhere] = await workers.recordMany({ ...ref, account: asId('a2') }, [w1]);
  expect(elsewhere).toMatchObject({ campaigns: 0 });
});

const file = { account: ref, task: asId<TaskId>('12e5'), round: 1, index: 1 };

test('fetching a file is one process’s at a time, once per round and index', async () => {
  let at = 1_000_000;
  const [here, there] = [createFetchedFiles(redis(), () => at), createFetchedFiles(redis(), () => at)];
  const claims = await Promise.all([here.claim(file, u1), there.claim(file, u2), here.claim(file, u1)]);
  const [claim, ...more] = claims.filter((one) => one !== undefined);
  expect(more).toEqual([]);
  expect(await there.of(file)).toMatchObject(new Map([[1, { state: 'under-way' }]]));
  expect(await there.claim({ ...file, index: 2 }, u2)).toBeDefined();
  expect(await there.claim({ ...file, round: 2 }, u2)).toBeDefined();

  await claim?.dropped();
  const second = await there.claim(file, u2);
  await claim?.posted();
  expect((await here.of(file)).get(1)?.state).toBe('under-way');
  await second?.posted();
  at += 10_000_000;
  expect((await here.of(file)).get(1)).toMatchObject({ state: 'posted', by: u2 });
  expect(await here.claim(file, u1)).toBeUndefined();
});

test('fetching a file is left to another when the process that began has ended', async () => {
  let at = 1_000_000;
  const files = createFetchedFiles(redis(), () => at);
  const own = { ...file, task: asId<TaskId>('abandoned') };
  const abandoned = await files.claim(own, u1);
  at += 299_000;
  expect(await files.claim(own, u2)).toBeUndefined();
  at += 2_000;
  expect((await files.of(own)).size).toBe(0);
  const taken = await files.claim(own, u2);
  await abandoned?.dropped();
  await taken?.posted();
  expect((await files.of(own)).get(1)).toMatchObject({ state: 'posted', by: u2 });
});
