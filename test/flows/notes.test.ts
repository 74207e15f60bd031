import type { Person } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, expect, test } from 'vitest';
import { members, place, setsThreads, shelf } from '../harness/acts.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const { dan: stranger, ...others } = members;
const guest = { id: 'U05GIL', name: 'gil', real_name: 'Gil Guest', is_restricted: true };

const world = sharedWorld({
  scenario: { campaigns: [shelf] },
  workspace: {
    users: [...Object.values(others), { ...stranger, team_id: 'T0OTHER' }, guest],
    channels: [{ id: place, name: 'review' }],
  },
  env: { UNDO_SECONDS: '0', ACCOUNT_OWNERS: 'U01ANN' },
});
const { ann, ben, chloe, dan, marketplace, slack, redis } = world;
beforeAll(() => setsThreads(ann, place, true));

test('a note of a reply stands on the card, follows its reply, and goes with it', async () => {
  const { card } = await world.taskWithCard('a shelf with tea');
  const { ts } = await ben.says(place, 'Note: ask <@U01ANN> about the &lt;shop&gt;', card);
  await card.untilText(/@Ben Okafor: ask @Ann about the <shop>/);
  await eventually('an answer to whoever wrote it', async () => (await answers(ben)).length === 1);

  await ben.edits(place, ts, 'note the shop has closed');
  await card.untilText(/@Ben Okafor: the shop has closed/);
  await ann.says(place, 'note it opens again in May', card);
  await card.untilText(/@Ann Reyes: it opens again in May · 2 notes/);

  // What is no note any more is none on the card.
  await ben.edits(place, ts, 'never mind');
  await card.until(({ text }) => !text.includes('2 notes'));
  const [own] = (await card.thread()).filter(({ text }) => text === 'note it opens again in May');
  if (own) await slack.deletes(own);
  await card.until(({ text }) => !text.includes('@Ann Reyes'));

  // What was said is neither in the audit nor anywhere else, and no worker ever read it.
  const audit = await ann.asks('/proofdesk audit', /Audit/);
  const acts = [...audit.text.matchAll(/\*(@.*)\* (.* note)\b/g)].slice(0, 5);
  expect(acts.map(([, ...act]) => act.join(' '))).toEqual([
    '@Ann Reyes removed a note',
    '@Ben Okafor removed a note',
    '@Ann Reyes left a note',
    '@Ben Okafor changed a note',
    '@Ben Okafor left a note',
  ]);
  await eventually('nothing to be left of them', async () =>
    (await Promise.all(['closed', 'in May'].map(redis.mentions))).every((keys) => keys.length === 0),
  );
  expect(JSON.stringify(await marketplace.requests())).not.toMatch(/closed|in May/);
});

test('notes are left, read whole and removed in a modal, from the card and from a review', async () => {
  const { task, card } = await world.taskWithCard('a shelf with rice');
  const long = `Second look: ${'the label '.repeat(30)}end of it`;
  const notes = await ann.picks(card, 'Notes…', /Note for your colleagues/);
  expect((await notes.submit({ 'Note for your colleagues': '   ' })).errors).toEqual({
    'Note for your colleagues': 'A note needs some text.',
  });
  await notes.submit({ 'Note for your colleagues': long });
  await notes.until(({ text }) => text.includes('end of it'));
  await card.untilText(/@Ann Reyes: Second look/);

  await ben.shortcut('review_this', card);
  const review = await ben.modal(/a shelf with rice/);
  expect(review.text).toContain('end of it');
  await review.select('…', 'Notes…');
  const again = await ben.modal(/Note for your colleagues/);
  // Somebody else's cannot be removed.
  expect(again.buttons).not.toContain('Remove note');
  await again.submit({ 'Note for your colleagues': 'I called the shop' });
  await again.until(({ buttons }) => buttons.includes('Remove note'));
  await card.untilText(/@Ben Okafor: I called the shop · 2 notes/);
  await again.clicks('Remove note');
  await again.until(({ text }) => text.includes('Your note was removed'));
  await card.until(({ text }) => !text.includes('2 notes'));

  await ann.clicks(card, 'OK', /OK\* by @Ann[\s\S]*1 note/);
  expect((await marketplace.task(task)).employer_comment ?? '').toBe('');
});

test('a note stays when its reply becomes too long, and whoever wrote it is told', async () => {
  const { card } = await world.taskWithCard('a shelf with coffee');
  const { ts } = await ben.says(place, 'note a short one', card);
  await card.untilText(/@Ben Okafor: a short one/);
  await ben.edits(place, ts, `note ${'long '.repeat(120)}`);
  await ben.sees(place, /That text wasn’t saved as your note. A note can have 500 characters at most/, {
    timeoutMs: 8_000,
  });
  await card.untilText(/@Ben Okafor: a short one/);
  await ben.edits(place, ts, 'note a shorter one');
  await card.untilText(/@Ben Okafor: a shorter one/, 8_000);
});

test('what somebody has noted goes with them', async () => {
  const { card } = await world.taskWithCard('a shelf with soap');
  await chloe.says(place, 'note leaving soon', card);
  await card.untilText(/@Chloé Martin: leaving soon/);
  await slack.userPatch('U03CHLOE', { deleted: true });
  await card.until(({ text }) => !text.includes('leaving soon'));
  const stored = () => redis.mentions('leaving soon');
  await eventually('nothing of it is stored', async () => (await stored()).length === 0);
});

/** What the bot has said about notes to whoever wrote them, and to nobody else. */
const answers = async (person: Person) =>
  (await person.reads(place)).filter(
    ({ ephemeral, text }) => ephemeral && /Your note is on the card/.test(text),
  );

test('a reply in a thread never rates, whatever it says', async () => {
  const { task, card } = await world.taskWithCard('talked about');
  for (const text of ['ok', 'OK!', 'nok: the label is missing', 'revise show the label', 'notes?'])
    await ben.says(place, text, card);
  const before = (await answers(ben)).length;
  await ben.says(place, 'note the last one', card);
  await card.untilText(/@Ben Okafor: the last one/);
  await world.settled();
  expect(await answers(ben)).toHaveLength(before + 1);
  expect((await card.thread()).filter(({ raw }) => raw.user === 'U0BOT')).toEqual([]);
  expect((await marketplace.task(task)).task_rating).toBe('NOTRATED');
});

test('a note of a reply is left and answered once, also when Slack delivers it twice', async () => {
  const card = await world.card('delivered twice');
  const before = (await answers(ben)).length;
  await slack.fault({ match: { delivery: 'message' }, kind: 'twice' });
  await ben.says(place, 'note only once', card);
  await card.untilText(/@Ben Okafor: only once/);
  await world.settled();
  expect(await answers(ben)).toHaveLength(before + 1);
  expect((await card.refresh()).text).not.toContain('2 notes');
});

test('a note waits while Slack is away, and says what its reply says then; a deleted one is not left', async () => {
  const deleted = await world.taskWithCard('deleted while away');
  const changed = await world.taskWithCard('changed while away');
  const before = (await answers(ben)).length;
  const failing = await slack.refuses('conversations.replies', 'internal_error', 0);
  const { ts } = await ben.says(place, 'note never mind', deleted.card);
  const reply = await ben.says(place, 'note ask the shop', changed.card);
  await slack.request(({ method, fault }) => method === 'conversations.replies' && fault !== undefined);
  await slack.deletes({ channel: place, ts });
  await ben.edits(place, reply.ts, 'note ask the owner');
  await slack.clearFaults(failing);
  await changed.card.untilText(/@Ben Okafor: ask the owner/);
  await world.settled();
  expect(await answers(ben)).toHaveLength(before + 1);
  expect((await deleted.card.refresh()).text).not.toContain('never mind');
});

test('a guest, somebody from another company and a channel without them leave no notes by reply', async () => {
  const card = await world.card('of others');
  const gil = slack.person(guest.id);
  await gil.says(place, 'note of mine', card);
  expect((await gil.sees(place, /guest/i)).ephemeral).toBe(true);
  await dan.says(place, 'note of mine too', card);
  expect((await dan.sees(place, /workspace|company/i)).ephemeral).toBe(true);
  await setsThreads(ann, place, false);
  await ben.says(place, 'note of no effect', card);
  await world.settled();
  expect(await answers(dan)).toEqual([]);
  expect((await card.refresh()).text).not.toMatch(/note/i);
  await setsThreads(ann, place, true);
});
