import { beforeEach, expect, test } from 'vitest';
import { finished } from '../../gallery/samples/campaigns.ts';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { TaskId, WorkerId } from '../../src/domain/terms.ts';
import type { RatingCounts } from '../../src/domain/worker.ts';
import { setAside } from '../../src/store/stored-hash.ts';
import { toldTask } from '../harness/compared-task.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import {
  createRetentionProcess,
  dayMs as day,
  type RetentionProcess as Process,
  rateTask,
  ref,
  waitingRow,
} from '../harness/retention-process.ts';
import { audited } from './audited.ts';

const campaign: Campaign = { ...finished, id: asId('c1'), tasksOk: 3, tasksNok: 0 };

const redis = redisPerFile();
let time: number;
beforeEach(() => {
  time = 1_000 * day;
});

/** One process of several. */
const createProcess = (retentionDays: number) => createRetentionProcess(redis(), () => time, retentionDays);

/** A task that was rated OK by Ann at a moment; its card shows it. */
async function addDecided(bot: Process, id: string, at: number, of = campaign.id): Promise<TaskId> {
  const task = asId<TaskId>(id);
  await bot.tasks.apply(ref, task, { type: 'seen', ...waitingRow(task, at, of) });
  await rateTask(bot, task, at);
  return task;
}

/** What the audit says that was removed. */
async function removals(): Promise<string[]> {
  const removed = (await audited(redis(), ref)).filter(({ what }) => what === 'remove details');
  return removed.map(({ how, by, campaign: of = 'inbox', before }) => `${by ?? how}: ${before} of ${of}`);
}

/** Stores how many tasks of the campaign Amina has, and how many Bao. */
function storeWorkers({ campaigns }: Process, amina: RatingCounts, bao: RatingCounts): Promise<void> {
  const workers = new Map([[asId<WorkerId>('w1'), { name: 'Amina', counts: amina }]]);
  workers.set(asId('w2'), { name: 'Bao', counts: bao });
  return campaigns.workers.storeCampaign(ref, campaign.id, workers);
}

const hasDetails = async ({ tasks }: Process, id: TaskId) =>
  (await tasks.get(ref, id))?.proof.slots.length === 1;

test('details stay for as long as the setting says, also across days on which nothing is found', async () => {
  const bot = createProcess(90);
  await bot.campaigns.store(ref, [campaign]);
  const [old, recent] = [await addDecided(bot, 't1', time), await addDecided(bot, 't2', time + 10 * day)];
  time += 89.9 * day;
  await bot.run();
  expect([await hasDetails(bot, old), await hasDetails(bot, recent)]).toEqual([true, true]);
  time += 0.2 * day;
  await bot.run();
  expect([await hasDetails(bot, old), await hasDetails(bot, recent)]).toEqual([false, true]);
  time += 10 * day;
  await bot.run();
  expect(await hasDetails(bot, recent)).toBe(false);
  expect(await removals()).toEqual(['job: 1 task of c1', 'job: 1 task of c1']);
});

test('a shorter setting takes effect at once; a fraction of a day is one', async () => {
  const bot = createProcess(90);
  await bot.campaigns.store(ref, [campaign]);
  const id = await addDecided(bot, 't1', time);
  time += 0.6 * day;
  await bot.run();
  await createProcess(0.7).run();
  expect(await hasDetails(bot, id)).toBe(true);
  await createProcess(0.5).run();
  expect(await hasDetails(bot, id)).toBe(false);
});

test('a campaign that runs keeps everything, until it is finished or nobody has looked at it for as long', async () => {
  const bot = createProcess(90);
  const running = { ...campaign, status: 'RUNNING' } as const;
  await bot.campaigns.store(ref, [running]);
  const id = await addDecided(bot, 't1', time);
  time += 200 * day;
  await bot.campaigns.store(ref, [running]);
  await bot.run();
  expect(await hasDetails(bot, id)).toBe(true);
  time += 91 * day;
  await bot.run();
  expect(await hasDetails(bot, id)).toBe(false);
});

test('also without a time to keep them, details of a campaign that runs stay', async () => {
  const bot = createProcess(0);
  await bot.campaigns.store(ref, [{ ...campaign, status: 'RUNNING' }]);
  const id = await addDecided(bot, 't1', time);
  time += 29 * day;
  await bot.run();
  expect(await hasDetails(bot, id)).toBe(true);
  await bot.campaigns.store(ref, [campaign]);
  await bot.run();
  expect(await hasDetails(bot, id)).toBe(false);
});

test('a card that does not show its decision yet keeps the details for a day more', async () => {
  const bot = createProcess(0);
  await bot.campaigns.store(ref, [campaign]);
  const id = await addDecided(bot, 't1', time);
  await bot.tasks.markNeedsRender(ref, [id]);
  await bot.run();
  expect(await hasDetails(bot, id)).toBe(true);
  time += 1.1 * day;
  await bot.run();
  expect(await hasDetails(bot, id)).toBe(false);
  expect(await bot.tasks.needsRender(ref, id)).toBe(false);
});

test('hundreds of tasks are done in parts, by several processes at once, and begun again after one that ended', async () => {
  const bot = createProcess(0);
  await bot.campaigns.store(ref, [campaign]);
  const ids: TaskId[] = [];
  for (let from = 0; from < 800; from += 50) {
    const some = Array.from({ length: 50 }, (_, index) => addDecided(bot, `t${from + index}`, time));
    ids.push(...(await Promise.all(some)));
  }
  const open = asId<TaskId>('open');
  const dying = createProcess(0);
  const apply = dying.tasks.apply;
  let left = 300;
  dying.tasks.apply = async (...args) => {
    if (left-- === 0) throw new Error('killed');
    return apply(...args);
  };
  await expect(dying.run()).rejects.toThrow('killed');
  const removed = async () => ids.length - (await bot.tasks.getMany(ref, ids)).length;
  expect(await removed()).toBe(300);
  await Promise.all([bot.run(), createProcess(0).run()]);
  await bot.run();
  expect(await removed()).toBe(800);
  expect((await bot.tasks.knownRatings(ref, campaign.id)).get(ids[0] ?? open)).toBe('OK');
  expect(await bot.run()).toBe(1);
});

test('the names of workers and the rows of a template go with the last details, a name comes back with a new task', async () => {
  const bot = createProcess(10);
  await bot.campaigns.store(ref, [campaign]);
  const imported = async (more: Partial<RatingCounts> = {}) => {
    const counts = { NOTREVIEWED: 0, NOTRATED: 0, OK: 3, NOK: 0, REVISE: 0, ...more };
    // None of Bao's tasks is stored.
    await storeWorkers(bot, counts, counts);
    await bot.campaigns.recordImport(ref, campaign.id, { counts: '3/0/0/0', at: time, bytes: 1 });
  };
  const name = async (id = 'w1') => (await bot.campaigns.workers.record(ref, asId(id))).name;
  await bot.campaigns.briefs.storeDraftRows(ref, 'd1', new Map([['1', ['Corner Grocer']]]));
  const brief = { work: 'Visit {{shop}}.', proofs: ['A photo'], columns: ['shop'] };
  await bot.campaigns.briefs.storeCreated(ref, campaign.id, brief, 'd1');
  await addDecided(bot, 't1', time + day);
  await imported();
  time += 5 * day;
  await bot.run();
  time += 5.5 * day;
  await bot.run();
  expect(await name()).toBe('Amina');
  expect(await bot.campaigns.briefs.row(ref, campaign.id, '1')).toEqual(['Corner Grocer']);
  time += day;
  await bot.run();
  expect([await name(), await name('w2')]).toEqual([undefined, undefined]);
  expect(await bot.campaigns.briefs.row(ref, campaign.id, '1')).toBeUndefined();
  expect((await bot.campaigns.workers.record(ref, asId('w1'))).counts.OK).toBe(3);
  await imported();
  expect(await name()).toBeUndefined();
  await imported({ NOTRATED: 1 });
  await bot.run();
  expect(await name()).toBe('Amina');
  await imported();
  time += 11 * day;
  await bot.run();
  expect(await name()).toBeUndefined();
});

test('a name goes with the details of the worker’s task, although another task of the campaign is still open', async () => {
  const bot = createProcess(0);
  await bot.campaigns.store(ref, [{ ...campaign, tasksNotRated: 1 }]);
  const none = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };
  await storeWorkers(bot, { ...none, OK: 1 }, { ...none, NOTRATED: 1 });
  const id = await addDecided(bot, 't1', time);
  await bot.run();
  expect(await hasDetails(bot, id)).toBe(false);
  const names = await bot.campaigns.workers.recordMany(ref, [asId('w1'), asId('w2')]);
  expect(names.map(({ name }) => name)).toEqual([undefined, 'Bao']);
});

test('subjects of messages that were dealt with go, and values that could not be read', async () => {
  const bot = createProcess(90);
  const message = { subject: 'From Amina', messageType: '', hasAttachment: false, sentAt: time };
  for (const id of ['m1', 'm2']) {
    const listed = { ...message, id: asId<never>(id), unread: id === 'm2' };
    await bot.slack.announcements.apply(ref, asId(id), { type: 'listed', message: listed, announce: false });
  }
  await setAside(redis(), undefined, { kind: 'task', key: 'k', reason: 'not JSON', text: 'Amina' });
  const subject = async (id: string) => (await bot.slack.announcements.get(ref, asId(id)))?.subject;
  await bot.run();
  expect(await subject('m1')).toBe('From Amina');
  expect(await redis().exists('proofdesk:unreadable')).toBe(1);
  time = Date.now() + 31 * day;
  await bot.run();
  expect(await redis().exists('proofdesk:unreadable')).toBe(0);
  time += 60 * day;
  await bot.run();
  expect([await subject('m1'), await subject('m2')]).toEqual(['', 'From Amina']);
  const read = { ...message, id: asId<never>('m2'), unread: false };
  await bot.slack.announcements.apply(ref, asId('m2'), { type: 'listed', message: read, announce: false });
  await bot.run();
  time += 91 * day;
  await bot.run();
  expect(await removals()).toEqual(['job: 1 message of inbox', 'job: 1 message of inbox']);
});

test('what somebody has typed or noted about a task, and which of its files were fetched, goes with its details', async () => {
  const bot = createProcess(0);
  await bot.campaigns.store(ref, [campaign]);
  const task = await addDecided(bot, 't1', time);
  const name = { task, round: 1, member: asId<never>('U01ANN'), slot: 'reason' } as const;
  const typed = { text: 'Amina', verdict: 'NOK', form: time, order: '', at: time } as const;
  await bot.tasks.typedTexts.put(ref, name, typed);
  const { evidence } = bot.campaigns;
  const [told, other] = [toldTask({ id: task }), toldTask({ id: 'other' })];
  await evidence.link(ref, told, other, { kinds: ['same-text'] });
  await bot.marketplace.fetchedFiles.claim({ account: ref, task, round: 1, index: 1 }, name.member);
  const note = { id: 'n1', text: 'Amina', at: time, by: name.member, how: 'form' } as const;
  await bot.tasks.notes.leave(ref, task, note);
  const kept = async () =>
    (await redis().keys(`*:${task}*`)).map((key) => key.split(':')[2] ?? '').toSorted();
  expect(await kept()).toEqual(['evidence-links', 'files', 'notes', 'task', 'typed-text']);
  time += day / 2;
  await bot.run();
  expect(await kept()).toEqual([]);
  expect(await evidence.on(ref, { id: other.id, hasEvidence: true })).toEqual([]);
});
