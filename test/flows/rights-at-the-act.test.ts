import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import type { MemberId } from '../../src/domain/terms.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { createGrants } from '../../src/store/grants.ts';
import { type BulkReviewer, bulkReviewer } from '../harness/bulk-reviewer.ts';
import { eventually } from '../harness/eventually.ts';
import { focusReviewer, taskIn } from '../harness/focus-reviewer.ts';
import { asId } from '../harness/ids.ts';
import { byAnn, letRepliesRate, sandboxAccount, sandboxWorkspace } from '../harness/sandbox-account.ts';
import type { Person, Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

/*
 * Forms and jobs ask for the right when the act is done. Dan reviews, and then settles as a manager, because somebody has given
 * him a role: he is in no channel of the account. It is taken away while his forms are open, or just before a job.
 */

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.10000',
} as const;
const review = 'C01REVIEW';
const other = 'C02OTHER';
const toDan = { kind: 'member', id: asId<MemberId>('U04DAN') } as const;

let world: World;
let ann: Person;
let ben: Person;
let dan: Person;
let danSelects: BulkReviewer;
let redis: Redis;
/** What happens once when the bot passes a point. */
let atPoint: Partial<Record<FaultPoint, () => Promise<unknown>>> = {};

beforeAll(async () => {
  world = await startWorld({
    transport: 'http',
    scenario: { campaigns: [shelf] },
    workspace: {
      users: [
        { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes' },
        { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor' },
        { id: 'U04DAN', name: 'dan', real_name: 'Dan Moss' },
      ],
      channels: [
        { id: review, name: 'review', members: ['U01ANN', 'U02BEN'] },
        { id: other, name: 'other', members: ['U01ANN', 'U02BEN', 'U04DAN'] },
      ],
    },
    env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '0' },
    async faults(passing) {
      const happens = atPoint[passing];
      delete atPoint[passing];
      await happens?.();
    },
  });
  ({ ann, ben } = world);
  dan = world.slack.person('U04DAN');
  danSelects = bulkReviewer(world.slackUrl, 'U04DAN');
  redis = new Redis(world.redis.url);
});
afterAll(async () => {
  redis?.disconnect();
  await world?.close();
});
afterEach(async () => {
  atPoint = {};
  await world.slack.clearFaults();
});

const give = (role: 'reviewer' | 'manager') =>
  createGrants(redis).change(sandboxAccount, { type: 'granted', grant: { to: toDan, role, at: 1 } }, byAnn);
const withdraw = () => createGrants(redis).change(sandboxAccount, { type: 'withdrawn', from: toDan }, byAnn);
const rating = async (task: string) => (await world.marketplace.task(task)).task_rating;
const refusal = /needs at least the role of (reviewer|manager)/;

async function taskWithCard(proof: string): Promise<{ task: string; card: Seen }> {
  const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await ann.sees(review, new RegExp(proof)) };
}

async function audited(): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const entry of createAudit(redis).lines(sandboxAccount)) found.push(entry);
  for await (const entry of createAudit(redis).lines({ workspace: sandboxWorkspace })) found.push(entry);
  return found;
}
const actsOf = async (member: string) =>
  (await audited()).filter(({ by }) => by === member).map(({ what }) => what);

/** Whoever may not is told so, in their direct messages or where they pressed. */
const isRefused = (after: string) =>
  eventually('the refusal', async () => {
    const read = [...(await dan.reads(review)), ...(await dan.reads(other)), ...(await dan.reads('D04DAN'))];
    const views = JSON.stringify(await dan.modals());
    return read.some(({ text, ts }) => ts > after && refusal.test(text)) || refusal.test(views);
  });
const lastSeen = async () => String(Date.now() / 1_000 - 1);

test('a bulk rating that was confirmed rates nothing once its maker may not rate', async () => {
  await give('reviewer');
  const tasks = await world.marketplace.submit({
    campaign_id: shelf.campaign_id,
    count: 3,
    proof: ['together'],
  });
  await eventually('the tasks', async () => {
    await dan.opensHome();
    await (await dan.home(/Reviewing/)).clicks('Select…');
    const page = await danSelects.until(({ callback_id }) => callback_id === 'bulk.page');
    return JSON.stringify(page.blocks).includes('of 3 that wait');
  });
  await danSelects.presses('bulk.tick-page', 'tick');
  await danSelects.decides('NOK');
  atPoint['bulk: confirmed, no job queued'] = withdraw;
  await danSelects.submits();
  const message = await dan.sees('D04DAN', /rate/);
  await message.until(({ text }) => /may not rate|no longer/i.test(text));
  for (const task of tasks) expect(await rating(task)).toBe('NOTRATED');
  expect(await actsOf('U04DAN')).toEqual(['rate in bulk']);
  for (const task of tasks) await world.marketplace.rate(task, 'OK');
});

test('what is pressed in a focus review that was begun with a role decides nothing without it', async () => {
  await give('reviewer');
  const { task } = await taskWithCard('looked at');
  const looking = focusReviewer(world.slackUrl, 'U04DAN');
  const view = await eventually('the task', async () => {
    const shown = await looking.start(other);
    return taskIn(shown) === task && shown;
  });
  expect(view.callback_id).toBe('focus.task');
  await withdraw();
  const after = await lastSeen();
  await looking.submit().catch(() => undefined);
  await isRefused(after);
  expect(await rating(task)).toBe('NOTRATED');
  expect(await actsOf('U04DAN')).toEqual(['rate in bulk']);
  await looking.close();
});

test('a form that was opened with a role leaves no note and assigns nothing without it; both are audited', async () => {
  await give('reviewer');
  const { card } = await taskWithCard('noted');
  const more = async () => {
    await dan.chooses(card, 'task.more', 'More…');
    return dan.modal(/More for this task/);
  };
  await (await more()).clicks('Notes…');
  const notes = await dan.modal(/Note for your colleagues/);
  await notes.fill('Note for your colleagues', 'while I may');
  await notes.submit();
  await card.untilText(/@Dan Moss: while I may/);
  await (await more()).clicks('Take');
  await card.untilText(/@Dan Moss has taken this/);

  await (await more()).clicks('Notes…');
  const again = await dan.modal(/Note for your colleagues/);
  await again.fill('Note for your colleagues', 'too late');
  await withdraw();
  let after = await lastSeen();
  await again.submit().catch(() => undefined);
  await isRefused(after);
  const menu = await more();
  after = await lastSeen();
  await menu.clicks('Release').catch(() => undefined);
  await isRefused(after);
  await card.refresh();
  expect(card.text).not.toMatch(/too late/);
  expect(card.text).toMatch(/@Dan Moss has taken this/);
  expect(await actsOf('U04DAN')).toEqual(['rate in bulk', 'leave note', 'take']);
});

test('a reply in a thread is judged when it is read: whoever was deactivated meanwhile rates nothing', async () => {
  await letRepliesRate(redis, true);
  const { task, card } = await taskWithCard('replied to');
  await world.slack.fault({
    match: { method: 'conversations.replies' },
    kind: 'error',
    error: 'internal_error',
    times: 0,
  });
  await ben.says(review, 'ok', card);
  await world.slack.request(({ method, fault }) => method === 'conversations.replies' && fault !== undefined);
  await world.slack.userPatch('U02BEN', { deleted: true });
  await world.slack.clearFaults();
  await eventually('the reply to be read', async () =>
    (await world.slack.requests({ method: 'conversations.replies' })).some(
      ({ fault }) => fault === undefined,
    ),
  );
  await world.settled();
  expect(await rating(task)).toBe('NOTRATED');
  expect(await actsOf('U02BEN')).toEqual([]);
  await world.slack.userPatch('U02BEN', { deleted: false });
  await letRepliesRate(redis, false);
});

test('digests and settings of channels take a manager when they are sent; each change is audited', async () => {
  await give('manager');
  await dan.types(other, '/proofdesk subscribe digest');
  await dan.sees(other, /wait for review|Nothing waits/i);
  await dan.types(other, '/proofdesk subscriptions');
  const list = await dan.sees(other, /channels/);
  await dan.clicks(list, 'Settings…');
  const modal = await dan.modal(/Channel settings/);
  await modal.fill('Most open cards at a time', '7');
  await withdraw();
  const after = await lastSeen();
  await modal.submit().catch(() => undefined);
  await isRefused(after);
  await dan.types(other, '/proofdesk unsubscribe digest');
  await world.settled();
  const acts = await audited();
  const ofDan = acts.filter(({ by }) => by === 'U04DAN').map(({ what }) => what);
  expect(ofDan).toEqual(['rate in bulk', 'leave note', 'take', 'subscribe']);
});
