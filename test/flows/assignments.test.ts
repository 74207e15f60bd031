import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import {
  members,
  opensFromDetails,
  place,
  setsTimeToRate,
  paidShelf as shelf,
  undoes,
} from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const guest = { id: 'U04GIL', name: 'gil', real_name: 'Gil Guest', is_restricted: true };

const users = [{ ...members.ann, is_admin: true }, members.ben, members.chloe, guest];
const { world, begin } = worldPerTest({
  transport: 'http',
  scenario: { campaigns: [shelf] },
  env: { UNDO_SECONDS: '120' },
  workspace: { users },
  intervals: { reminderPaceMs: 0 },
});

const takesOver = async (person: Person, card: Seen) =>
  (await person.picks(card, 'Details…', /Details of this task/)).clicks('Take over', /Assigned to you/);

async function assign(person: Person, card: Seen, member: string) {
  const form = await opensFromDetails(person, card, 'Assign to…', /Assign this task/);
  await form.select('Colleague', member);
  return form.submit();
}

test('of two who take a task at once one has it, the other is told who; it is released again', async () => {
  const { ann, ben } = await begin();
  const card = await world.card('taken by two');
  await Promise.all([ann, ben].map((person) => person.chooses(card, '…', 'Take')));
  await card.untilText(/Assigned to @(Ann Reyes|Ben Okafor)/);
  const hasAnn = /Assigned to @Ann Reyes/.test(card.text);
  const [winner, loser] = hasAnn ? [ann, ben] : [ben, ann];
  // The card tells the one, an answer the other.
  const told = await loser.sees(place, /Somebody was quicker, so nothing was changed\. Assigned to @/);
  expect(told.ephemeral).toBe(true);
  expect((await winner.reads(place)).filter(({ ephemeral }) => ephemeral)).toEqual([]);
  // Whoever has seen that takes it over, and anybody releases it.
  await takesOver(loser, card);
  await card.untilText(hasAnn ? /Assigned to @Ben Okafor/ : /Assigned to @Ann Reyes/);
  await winner.chooses(card, '…', 'Unassign');
  await card.until(({ text }) => !text.includes('Assigned to'));
});

test('many that are assigned at once are told by one message; only who may rate is assigned', async () => {
  const { ann, ben, chloe } = await begin();
  const [a, b] = [await world.card('assigned a'), await world.card('assigned b')];
  const c = await world.card('assigned c');
  await world.card('nobody’s');
  expect(await assign(ben, a, guest.id)).toMatchObject({
    errors: { Colleague: expect.stringMatching(/Only reviewers can be assigned/) },
  });
  await assign(ben, a, 'U03CHLOE');
  await assign(ben, b, 'U03CHLOE');
  await a.untilText(/Assigned to @Chloé Martin by @Ben Okafor/);
  const told = await chloe.sees('D03CHLOE', /@Ben Okafor assigned you/);
  await told.untilText(/assigned you \*?2 tasks/);
  await assign(ben, c, 'U03CHLOE');
  await c.untilText(/Assigned to @.* by @Ben Okafor/);
  await told.untilText(/assigned you \*?3 tasks/);
  expect(await world.posts(/assigned you/, 'D03CHLOE')).toHaveLength(1);

  // Her review has these three, and nobody else’s.
  const first = await chloe.enters('/review mine', / · 2 left/);
  expect(first.text).toMatch(/assigned [abc]/);
  expect(first.text).toMatch(/Assigned to/);
  await ann.clicks(a, 'OK');
  await told.untilText(/You have \*?2 tasks/);
});

test('whoever decides on what a colleague has taken, or looks at, is told and can undo it', async () => {
  const { ann, ben } = await begin();
  const card = await world.card('taken by Ben');
  await ben.chooses(card, '…', 'Take');
  await card.untilText(/Assigned to @Ben Okafor/);
  await ann.opens(card, 'NOK', /Assigned to @Ben Okafor/);
  await ann.clicks(card, 'OK');
  const told = await ann.sees(place, /Assigned to @Ben Okafor\. Your \*?OK\*? still counts/);
  expect(told.text).toContain(shelf.title);
  await undoes(ann, card);
  expect(card.text).toContain('Assigned to @Ben Okafor');

  const review = await ben.enters('/review mine', /taken by Ben/);
  await takesOver(ann, card);
  await card.untilText(/Assigned to @Ann Reyes/);
  await ann.clicks(card, 'OK');
  await ann.sees(place, /@Ben Okafor is reviewing this task right now/);
  // He is too late, and learns which task it was.
  await review.next(/\*Photo of a shelf\*.*its card.*@Ann Reyes already rated this \*OK\*/s);
});

test('reminders go to whom the task is assigned, once, and say when nothing is left', async () => {
  const { ann, ben, chloe } = await begin();
  const card = await world.card('runs out');
  await ann.chooses(card, '…', 'Take');
  await card.untilText(/Assigned to @Ann Reyes/);
  await assign(ben, await world.card('due for Chloé'), 'U03CHLOE');
  await setsTimeToRate(ben, place, shelf.campaign_id, 1);
  const reminder = await ann.sees('D01ANN', /of your tasks (is|are) due soon/);
  expect(reminder.text).toContain('within 24 hours');
  await ann.opens(reminder, 'Review my tasks', /runs out/);
  await ann.clicks(card, 'OK');
  await reminder.untilText(/You have no assigned tasks left/);
  await world.settled();
  await chloe.sees('D03CHLOE', /of your tasks is due soon/);
  expect(await world.posts(/due soon/, 'D02BEN')).toEqual([]);
  expect(await world.posts(/due soon|no assigned tasks left/, 'D01ANN')).toHaveLength(1);
});

test('whoever leaves has no tasks any more', async () => {
  const { ben, slack } = await begin();
  const card = await world.card('of somebody who leaves');
  await ben.chooses(card, '…', 'Take');
  await card.untilText(/Assigned to @Ben Okafor/);
  await slack.userPatch('U02BEN', { deleted: true });
  await eventually('the card to be free', async () => !(await card.refresh()).text.includes('Assigned to'));
});
