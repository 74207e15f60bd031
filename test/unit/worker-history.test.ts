import { expect, test } from 'vitest';
import { decision, task } from '../../gallery/samples/tasks.ts';
import type { CampaignId, MemberId, TaskId, Verdict, WorkerId } from '../../src/domain/terms.ts';
import { createWorkerTally, noTasks, recordOf, type WorkerInCampaign } from '../../src/domain/worker.ts';
import { factsOfTask, workerHistoryOf } from '../../src/features/workers/public.ts';
import { createFetchedFiles } from '../../src/store/fetched-files.ts';
import { createWorkers } from '../../src/store/workers.ts';
import { workerFactsWords, workerHistoryLines, workerRecordLine } from '../../src/ui/worker.view.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { writeChange } from '../harness/written.ts';

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

test('the record of a worker names by how often a reason was given, and on a card what was given twice; texts of people are escaped', () => {
  const reasons = [
    { name: '<!channel> *wrong*', verdict: 'NOK', count: 2 },
    { verdict: 'REVISE', count: 1 },
  ] as const;
  const [words = ''] = workerFactsWords({ reasons });
  expect(words).toMatch(/^NOK 2 times for “&lt;!channel&gt;.*”$/u);
  const all = workerHistoryLines({ reasons, campaigns: [] }).join('\n');
  expect(all).toContain(', REVISE once for a deleted reason');
});

const redis = redisPerFile();

test('the record of a worker counts a reason once, of a decision made here; for a year after the last', async () => {
  const worker = { ...task().worker, id: asId<WorkerId>('w9') };
  const open = task({ worker });
  const give = (verdict: Verdict, reason?: string, state: 'applied' | 'overtaken' = 'applied') => {
    const made = decision(state, { verdict, ...(reason === undefined ? {} : { reason }) });
    return task({ worker, rating: verdict, decision: made });
  };
  const given = [give('REVISE', 'b c'), give('NOK', 'a:X %20'), give('NOK', 'a:X %20'), give('OK')];
  for (const after of given) await writeChange(redis(), ref, open, after);
  // It is no new rating, or somebody was faster, outside of Slack: the reason is not that of their rating.
  await writeChange(redis(), ref, give('NOK', 'b'), give('NOK', 'b'));
  await writeChange(redis(), ref, open, give('NOK', 'b', 'overtaken'));
  expect(await createWorkers(redis()).reasonsGiven(ref, worker.id)).toEqual([
    { reason: 'a:X %20', verdict: 'NOK', count: 2 },
    { reason: 'b c', verdict: 'REVISE', count: 1 },
  ]);
  const [key = ''] = await redis().keys(`*workers:reasons:${worker.id}`);
  expect(await redis().ttl(key)).toBeGreaterThan(364 * 86_400);
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
  for (const [index, worker] of [w1, w2].entries()) await workers.addExcluded(ref, worker, { at: index });
  expect((await workers.excluded(ref)).map(({ worker }) => worker)).toEqual([w2, w1]);
  const [elsewhere] = await workers.recordMany({ ...ref, account: asId('a2') }, [w1]);
  expect(elsewhere).toMatchObject({ campaigns: 0 });
});

test('the record of a worker is read where their task can be rated: a card that folds asks no campaign for it', async () => {
  const modules = testModules(redis());
  await modules.campaigns.workers.storeCampaign(ref, c1, new Map([[w1, known('amina', { OK: 1 })]]));
  const of = { worker: { ...task().worker, id: w1 } };
  expect((await factsOfTask(modules, ref, task(of))).record).toMatchObject({ campaigns: 1 });
  const decided = task({ ...of, decision: decision('waiting') });
  expect(await factsOfTask(modules, ref, decided)).toMatchObject({ record: undefined, worker: undefined });
  await modules.campaigns.workers.storeCampaign(ref, c2, new Map([[w1, known('amina', { OK: 2 })]]));
  const okIn = async (here?: CampaignId) =>
    (await workerHistoryOf(modules, ref, w1, here)).campaigns.map(({ counts }) => counts.OK);
  expect([await okIn(), await okIn(c1)]).toEqual([
    [2, 1],
    [1, 2],
  ]);
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
