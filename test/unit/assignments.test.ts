import { WebAPIPlatformError } from '@slack/web-api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { confirm } from '../../src/domain/confirmed-transition.ts';
import { assignmentVersion, type Task } from '../../src/domain/task.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { createAssignmentsFeature } from '../../src/features/assignments/index.ts';
import { createNotices, waitMs } from '../../src/features/assignments/notices.ts';
import { createDecisions } from '../../src/features/decide/decisions.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createAssignments } from '../../src/store/assignments.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { idle, onlyModules, testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { decided, undone, waitingRow } from '../harness/waiting-row.ts';
import { audited } from './audited.ts';
import { forAllAsync, of } from './properties.ts';

const redis = twoRedisClients();
const [ann, ben, chloe] = [asId<MemberId>('U1'), asId<MemberId>('U2'), asId<MemberId>('U3')];
const [t1, t2, t3] = ['t1', 't2', 't3'].map((id) => asId<TaskId>(id)) as [TaskId, TaskId, TaskId];

const row = (id: TaskId, finishedAt: number) => {
  const proof = { slots: [`at ${finishedAt}`], files: [], finishedAt };
  return waitingRow(id, undefined, undefined, { readAt: finishedAt, submittedAt: finishedAt, proof });
};

const tasksOf = (client = redis.first) => createTasks(client);
const see = (id: TaskId, finishedAt: number) => tasksOf().apply(ref, id, row(id, finishedAt));

const assignmentsOf = (client = redis.first) => createAssignments(client, tasksOf(client), () => 1_000);

async function assign(id: TaskId, to: MemberId | undefined, by: MemberId, seen?: string) {
  const stands = seen ?? assignmentVersion((await tasksOf().get(ref, id))?.assignment);
  const event = { type: 'assigned', by, how: 'click', at: 1_000, seen: stands } as const;
  return tasksOf().apply(ref, id, { ...event, ...(to ? { to } : {}) });
}

const decide = (id: TaskId, verdict: 'OK' | 'REVISE') =>
  tasksOf().apply(ref, id, decided(`d-${verdict}`, { by: ben, verdict, comment: 'why' }, 2_000));

async function rate(id: TaskId, verdict: 'OK' | 'REVISE') {
  await decide(id, verdict);
  const decision = `d-${verdict}`;
  await tasksOf().apply(ref, id, { type: 'sending', decision, attempt: 1, at: 2_000, leaseUntil: 3_000 });
  await tasksOf().apply(ref, id, { type: 'applied', decision, at: 2_500, answered: true });
}

/** The tasks that are a member's, what is due first at the top. */
const mine = async (member: typeof ann) => (await assignmentsOf().allOf(ref, member)).map(({ task }) => task);

test('mine are those that I took and those assigned to me, what is due first at the top', async () => {
  for (const [index, id] of [t3, t2, t1].entries()) await see(id, 100 * (index + 1));
  await assign(t1, ann, ann);
  await assign(t2, ann, ben);
  await assign(t3, ben, ben);
  const assignments = assignmentsOf();
  expect(await mine(ann)).toEqual([t2, t1]);
  expect(await mine(ben)).toEqual([t3]);
  expect(await assignments.sorted(ref, ann)).toEqual({ mine: new Set([t1, t2]), others: new Set([t3]) });
});

test('it goes with the rating, comes back with Undo, and stays with a task that is sent back', async () => {
  for (const id of [t1, t2]) await see(id, 100);
  await assign(t1, ann, ben);
  await assign(t2, ann, ben);
  await decide(t1, 'OK');
  expect(await mine(ann)).toEqual([t2]);
  await tasksOf().apply(ref, t1, undone('d-OK'));
  expect(await mine(ann)).toHaveLength(2);
  await rate(t1, 'REVISE');
  expect(await mine(ann)).toEqual([t2]);
  const again = { ...row(t1, 9_000_000), readAt: 9_000_000 };
  const { id, rating, comment, worker, proof } = again;
  const confirmed = confirm(again, { askedAt: 9_000_000, id, rating, comment, worker, proof });
  await tasksOf().apply(ref, t1, { ...(confirmed as NonNullable<typeof confirmed>), type: 'confirmed' });
  expect(await tasksOf().get(ref, t1)).toMatchObject({ round: 2, assignment: { to: ann } });
  expect(await mine(ann)).toHaveLength(2);
  await rate(t2, 'OK');
  expect((await tasksOf().get(ref, t2))?.assignment).toBeUndefined();
  expect(await redis.first.hkeys('proofdesk:{T1/a1}:assignments:by-task')).toEqual([t1]);
});

test('who is told: each assignment by somebody else once, as long as it stands', async () => {
  for (const id of [t1, t2, t3]) await see(id, 100);
  await assign(t1, ann, ann);
  await assign(t2, ann, ben);
  await assign(t3, ann, ben);
  await assign(t2, chloe, ben);
  const assignments = assignmentsOf();
  const news = await assignments.news(ref);
  expect(news).toEqual([
    { number: 2, to: ann, task: t3 },
    { number: 3, to: chloe, task: t2 },
  ]);
  await assignments.newsTold(ref, news.slice(0, 1));
  expect((await assignments.news(ref)).map(({ number }) => number)).toEqual([3]);
});

test('the audit says who took, assigned and released what', async () => {
  await see(t1, 100);
  await assign(t1, ann, ann);
  await assign(t1, chloe, ben);
  await assign(t1, undefined, ben);
  await assign(t1, chloe, ben);
  expect(await assignmentsOf().release(ref, chloe, 'job')).toBe(1);
  const found = await audited(redis.first, ref);
  expect(found.map(({ what, by, member }) => [what, by, member])).toEqual([
    ['take', ann, undefined],
    ['assign', ben, chloe],
    ['release', ben, chloe],
    ['assign', ben, chloe],
    ['release', undefined, chloe],
  ]);
});

const who = fc.constantFrom(ann, ben, undefined);
const act = fc.oneof(of('assign', { to: who, isStale: fc.boolean() }), of('decide'), of('undo'), of('rate'));

test('whatever happens, in whatever order, the index says what the records say', async () => {
  const steps = fc.array(fc.tuple(act, fc.constantFrom(t1, t2, t3)), { minLength: 1, maxLength: 25 });
  await forAllAsync({ numRuns: 60 }, steps, async (acts) => {
    await redis.first.flushall();
    for (const [index, id] of [t1, t2, t3].entries()) await see(id, 100 + index);
    for (const [one, id] of acts) {
      if (one.type === 'assign') await assign(id, one.to, ben, one.isStale ? 'else' : undefined);
      else if (one.type === 'decide') await decide(id, 'OK');
      else if (one.type === 'undo') await tasksOf().apply(ref, id, undone('d-OK'));
      else await rate(id, 'OK');
    }
    const records = await tasksOf().getMany(ref, [t1, t2, t3]);
    const assigned = records.flatMap(({ id, assignment: one }) => (one ? [[id, one.to] as const] : []));
    const found = await redis.first.hgetall('proofdesk:{T1/a1}:assignments:by-task');
    expect(found).toEqual(Object.fromEntries(assigned));
    for (const { rating, assignment } of records) if (rating === 'OK') expect(assignment).toBeUndefined();
  });
});

test('whoever decides on the task that they look at in a review learns of nobody; a colleague learns of them', async () => {
  const leases = { ownerOf: async () => 'review' };
  const focusSessions = { get: async () => ({ current: t1, member: ann }) };
  const { othersOf } = createDecisions(onlyModules({ tasks: { leases, focusSessions } }));
  await see(t1, 100);
  const task = (await tasksOf().get(ref, t1)) as Task;
  expect(await othersOf(ref, task, ann)).toBeUndefined();
  expect(await othersOf(ref, task, ben)).toEqual({ looking: ann });
  const assignment = { to: ben, by: ben, at: 1 };
  expect(await othersOf(ref, { ...task, assignment }, ben)).toEqual({ looking: ann });
  // Her review holds the next task too.
  expect(await othersOf(ref, { ...task, id: t2, assignment }, chloe)).toEqual({ assignment });
});

test.each([
  ['is away', 'internal_error', [2]],
  ['does not reach them', 'user_disabled', []],
])(
  'whoever has new tasks is told two seconds after they were assigned; one whom Slack %s later, or not at all',
  async (_, error, left) => {
    for (const id of [t1, t2, t3]) await see(id, 100);
    await assign(t1, ann, ben);
    await assign(t2, chloe, ben);
    await assign(t3, ann, chloe);
    await decide(t3, 'OK');
    let now = 1_000 + waitMs - 1;
    const refused = new SlackError(
      'conversations.open',
      new WebAPIPlatformError({ ok: false, error } as never),
    );
    const directChannel = async (member: string) => (member === ann ? 'D1' : Promise.reject(refused));
    const modules = testModules(
      redis.first,
      {},
      { now: () => now, messengerOf: () => ({ directChannel }) as never },
    );
    const { refresh } = createNotices({ ...modules, canHave: async () => true, reminderPaceMs: 0 });
    await refresh(ref);
    expect(await modules.slack.assignedNotices.shown(ref)).toEqual([]);
    now += 1;
    await refresh(ref);
    const told = { state: 'some', assigned: [{ by: ben, tasks: 1 }], toldUpTo: 1, level: 0, revision: 1 };
    const counts = { count: 1, late: 0, within: [0, 0, 0], sentAt: now, changedAt: now };
    expect(await modules.slack.assignedNotices.shown(ref)).toEqual([
      { member: ann, channel: 'D1', card: { state: 'wanted' }, ...told, ...counts },
    ]);
    expect((await modules.tasks.assignments.news(ref)).map(({ number }) => number)).toEqual(left);
  },
);

test('assignments of the same two seconds are announced by one job, one’s own by none', async () => {
  const added: unknown[] = [];
  const jobs = { add: async (...job: unknown[]) => void added.push(job) };
  const modules = testModules(redis.first, { jobs, slack: { cards: idle } }, { now: () => 5_500 });
  const { change } = createAssignmentsFeature({ ...modules, reminderPaceMs: 0, detailsOf: idle });
  const changes = (to: MemberId | undefined, seen: string) =>
    change({ member: ben, how: 'click' }, ref, { task: t1, seen }, to);
  await see(t1, 100);
  const assigned = await changes(ann, '');
  const task = await tasksOf().get(ref, t1);
  expect(assigned).toEqual({ task, isChanged: true, outcome: ':white_check_mark: Assigned to <@U1>.' });
  expect(await changes(ben, '')).toEqual({
    task,
    outcome: expect.stringMatching(/quicker.*Assigned to <@U1> by you/),
  });
  await changes(ben, assignmentVersion(task?.assignment));
  expect(added).toEqual([['count-assigned', ref, { delayMs: 2_500, uniqueKey: 'a1 4' }]]);
});

test('whether somebody may rate is looked up for whom there is something to tell, not with each poll', async () => {
  const asked: MemberId[] = [];
  const canHave = async (_: unknown, member: MemberId) => asked.push(member) === 0;
  await see(t1, 100);
  await see(t2, 200);
  await assign(t1, ann, ann);
  await assign(t2, ben, ann);
  await createNotices({ ...testModules(redis.first), canHave, reminderPaceMs: 0 }).refresh(ref);
  expect(asked).toEqual([ben]);
});
