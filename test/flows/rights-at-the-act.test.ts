import type { Person } from '@proofdesk/slack-sandbox/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  givesRole,
  hasTask,
  members,
  place as review,
  setsThreads,
  paidShelf as shelf,
  startsReview,
} from '../harness/acts.ts';
import { readsAudit } from '../harness/audit-file.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

/*
 * Forms and jobs ask for the right when the act is done. Dan reviews, and then settles as a manager, because somebody has given
 * him a role: he is in no channel of the account. It is taken away while his forms are open, or just before a job.
 */

const other = 'C02OTHER';

/** How many lines the audit had when the test began. */
let linesBefore: number;

const world = sharedWorld({
  transport: 'http',
  scenario: { campaigns: [shelf] },
  workspace: {
    users: [members.ann, members.ben, members.dan],
    channels: [
      { id: review, name: 'review', members: ['U01ANN', 'U02BEN'] },
      { id: other, name: 'other', members: ['U01ANN', 'U02BEN', 'U04DAN'] },
    ],
  },
  env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '0' },
});
const { ann, ben, dan, marketplace, slack } = world;
beforeEach(async () => {
  linesBefore = (await readsAudit(world)).length;
});
afterEach(async () => {
  for (const { task_id, task_rating } of (await marketplace.state()).tasks)
    if (task_rating === 'NOTRATED') await marketplace.rate(task_id, 'OK');
});

const give = (role: 'Reviewer' | 'Manager') => givesRole(ann, role, dan.id);
async function withdraw(): Promise<void> {
  const settings = await ann.enters('/proofdesk settings', /@Dan/);
  await (await settings.opens('Remove', /Saved\./)).close({ all: true });
}
const refusal = /Only (reviewer|manager)s can/;

/** What the audit says that somebody has done in this test. */
const actsOf = async ({ id }: Person) =>
  (await readsAudit(world))
    .slice(linesBefore)
    .filter(({ who }) => who === id)
    .map(({ what }) => what);

/** Whoever may not is told so, in their direct messages or where they pressed. */
const isRefused = (after: string) =>
  eventually('the refusal', async () => {
    const read = [...(await dan.reads(review)), ...(await dan.reads(other)), ...(await dan.reads('D04DAN'))];
    const isShown = await dan.modal(refusal, 0).then(
      () => true,
      () => false,
    );
    return isShown || read.some(({ text, ts }) => ts > after && refusal.test(text));
  });
const lastSeen = async () => String(Date.now() / 1_000 - 1);

test('what is pressed in a focus review that was begun with a role decides nothing without it', async () => {
  await give('Reviewer');
  const { task } = await world.taskWithCard('looked at');
  const looking = await eventually('the task', async () => {
    const shown = await startsReview(dan, other);
    return shown.text.includes('looked at') && shown;
  });
  expect(hasTask(looking)).toBe(true);
  await withdraw();
  const after = await lastSeen();
  await looking.submit().catch(() => undefined);
  await isRefused(after);
  expect(await world.ratingOf(task)).toBe('NOTRATED');
  expect(await actsOf(dan)).toEqual([]);
  await looking.close({ all: true });
});

test('a form that was opened with a role leaves no note and assigns nothing without it; both are audited', async () => {
  await give('Reviewer');
  const card = await world.card('noted');
  const opensNotes = () => dan.picks(card, 'Notes…', /Note for your colleagues/);
  const notes = await opensNotes();
  await notes.submit({ 'Note for your colleagues': 'while I may' });
  await card.untilText(/@Dan Moss: while I may/);
  await dan.chooses(card, '…', 'Take');
  await card.untilText(/Assigned to @Dan Moss/);

  const again = await opensNotes();
  await again.fill('Note for your colleagues', 'too late');
  await withdraw();
  let after = await lastSeen();
  await again.submit().catch(() => undefined);
  await isRefused(after);
  after = await lastSeen();
  await dan.chooses(card, '…', 'Unassign').catch(() => undefined);
  await isRefused(after);
  await card.refresh();
  expect(card.text).not.toMatch(/too late/);
  expect(card.text).toMatch(/Assigned to @Dan Moss/);
  expect(await actsOf(dan)).toEqual(['leave note', 'take']);
});

test('a reply in a thread is judged when it is read: whoever was deactivated meanwhile leaves no note', async () => {
  await setsThreads(ann, review, true);
  const card = await world.card('replied to');
  await slack.refuses('conversations.replies', 'internal_error', 0);
  await ben.says(review, 'note ask the shop', card);
  await slack.request(({ method, fault }) => method === 'conversations.replies' && fault !== undefined);
  await slack.userPatch(ben.id, { deleted: true });
  await slack.clearFaults();
  await slack.request(({ method, fault }) => method === 'conversations.replies' && fault === undefined);
  await world.settled();
  expect((await card.refresh()).text).not.toContain('ask the shop');
  expect(await actsOf(ben)).toEqual([]);
  await slack.userPatch(ben.id, { deleted: false });
});

test('a channel’s digest and settings are changed only by whoever is a manager when the form is sent; it is audited', async () => {
  await world.card('counted');
  await give('Manager');
  await dan.asks('/proofdesk subscribe digest', /1 task waiting/, other);
  const list = await dan.asks('/proofdesk subscriptions', /channels/, other);
  const modal = await dan.opens(list, 'Settings…', /Channel settings/);
  await modal.fill('Maximum open cards', '7');
  await withdraw();
  const after = await lastSeen();
  await modal.submit().catch(() => undefined);
  await isRefused(after);
  await dan.types(other, '/proofdesk unsubscribe digest');
  await world.settled();
  expect(await actsOf(dan)).toEqual(['subscribe']);
});
