import { beforeAll, expect, test } from 'vitest';
import { place, setsThreads, shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { sharedWorld } from '../harness/worlds.ts';

const world = sharedWorld({
  scenario: { campaigns: [shelf] },
  env: { UNDO_SECONDS: '0', ACCOUNT_OWNERS: 'U01ANN' },
});
const { ann, ben, chloe, marketplace, slack, redis } = world;
beforeAll(() => setsThreads(ann, place, true));

test('a note of a reply stands on the card, follows its reply, and is removed where it was answered', async () => {
  const { card } = await world.taskWithCard('a shelf with tea');
  const { ts } = await ben.says(place, 'Note: ask <@U01ANN> about the &lt;shop&gt;', card);
  await card.untilText(/@Ben Okafor: ask @Ann about the <shop>/);
  const answer = await eventually('an answer', async () =>
    (await card.thread()).find(({ text }) => text.includes('Note by @Ben Okafor added to the card')),
  );

  await ben.edits(place, ts, 'note the shop has closed');
  await card.untilText(/@Ben Okafor: the shop has closed/);
  await ann.says(place, 'note it opens again in May', card);
  await card.untilText(/@Ann Reyes: it opens again in May · 2 notes/);

  await ann.clicks(answer, 'Remove note');
  await ann.sees(place, /Only its author can remove a note/);
  await ben.clicks(answer, 'Remove note', /@Ben Okafor removed this note/);
  await card.until(({ text }) => !text.includes('2 notes'));
  const [own] = (await card.thread()).filter(({ text }) => text === 'note it opens again in May');
  if (own) await slack.deletes(own);
  await card.until(({ text }) => !text.includes('@Ann Reyes'));

  // What was said is neither in the audit nor anywhere else, and no worker ever read it.
  const audit = await ann.asks('/proofdesk audit', /Audit/);
  const acts = [...audit.text.matchAll(/\*(@.*)\* (.* note)\b.*\n.* · (.*)/g)].slice(0, 5);
  expect(acts.map(([, ...act]) => act.join(' '))).toEqual([
    '@Ann Reyes removed a note by a reply in a thread',
    '@Ben Okafor removed a note *Photo of a shelf*',
    '@Ann Reyes left a note by a reply in a thread',
    '@Ben Okafor changed a note by a reply in a thread',
    '@Ben Okafor left a note by a reply in a thread',
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
    'Note for your colleagues': 'Enter a note.',
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
  await ben.sees(place, /your note stays as it was: .* 599 characters.*500/, { timeoutMs: 8_000 });
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
