import { expect, test } from 'vitest';
import type { CampaignId, MemberId, TaskId, WorkerId } from '../../src/domain/terms.ts';
import { noTasks, type WorkerInCampaign } from '../../src/domain/worker.ts';
import { createFetchedFiles } from '../../src/store/fetched-files.ts';
import { createWorkers } from '../../src/store/workers.ts';
import { asId, ref } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const [w1, w2] = [asId<WorkerId>('w1'), asId<WorkerId>('w2')];
const [c1, c2] = [asId<CampaignId>('c1'), asId<CampaignId>('c2')];
const [u1, u2] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const redis = redisPerFile();

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
