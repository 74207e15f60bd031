import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createTimesToRate } from '../../src/store/times-to-rate.ts';
import { eventually } from '../harness/eventually.ts';
import { focusReviewer, taskIn, textIn } from '../harness/focus-reviewer.ts';
import { asId } from '../harness/ids.ts';
import type { Person, Seen } from '../harness/slack-person.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  available_positions: 100,
} as const;
const place = 'C01REVIEW';
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };
const guest = { id: 'U04GIL', name: 'gil', real_name: 'Gil Guest', is_restricted: true };

describe('who has what', () => {
  let world: World;
  beforeAll(async () => {
    const users = [
      { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes', is_admin: true },
      { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor' },
      { id: 'U03CHLOE', name: 'chloe', real_name: 'Chloé Martin' },
      guest,
    ];
    world = await startWorld({
      transport: 'http',
      scenario: { campaigns: [shelf] },
      env: { UNDO_SECONDS: '120' },
      workspace: { users },
      intervals: { reminderPaceMs: 0 },
    });
  });
  afterAll(() => world?.close());

  async function submit(text: string): Promise<{ id: string; card: Seen }> {
    const [id = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [text] });
    return { id, card: await world.ann.sees(place, new RegExp(text)) };
  }

  async function more(person: Person, card: Seen) {
    await person.chooses(card, 'task.more', 'More…');
    return person.modal(/More for this task/);
  }

  async function assign(person: Person, card: Seen, choice: { member?: string; group?: string }) {
    const open = await more(person, card);
    await open.clicks('Assign to…');
    const form = await person.modal(/Assign this task/);
    if (choice.member) await form.select('A colleague', choice.member);
    if (choice.group) await form.select('Or a user group', choice.group);
    return form.submit();
  }

  test('of two who take a task at once one has it, the other is told who; it is released again', async () => {
    const { ann, ben } = world;
    const { card } = await submit('taken by two');
    const [ofAnn, ofBen] = [await more(ann, card), await more(ben, card)];
    await Promise.all([ofAnn.clicks('Take'), ofBen.clicks('Take')]);
    await card.untilText(/@(Ann Reyes|Ben Okafor) has taken this/);
    const hasAnn = /@Ann Reyes has taken this/.test(card.text);
    const [winner, loser] = hasAnn ? [ofAnn, ofBen] : [ofBen, ofAnn];
    await winner.untilText(/You have taken this task/);
    await loser.untilText(
      /Somebody was quicker, so nothing was changed. @(Ann Reyes|Ben Okafor) has taken this/,
    );
    // Whoever has seen that takes it over.
    await loser.clicks('Take over');
    await card.untilText(hasAnn ? /@Ben Okafor has taken this/ : /@Ann Reyes has taken this/);
    await loser.until(({ buttons }) => buttons.includes('Release'));
    await loser.clicks('Release');
    await loser.untilText(/free for everybody again/);
    await card.until(({ text }) => !text.includes('has taken this'));
  });

  test('many that are assigned at once are told by one message; only who may rate is assigned', async () => {
    const { ann, ben, chloe } = world;
    const cards = [await submit('assigned a'), await submit('assigned b'), await submit('for the group')];
    const [a, b, c] = cards.map(({ card }) => card) as [Seen, Seen, Seen];
    expect(await assign(ben, a, { member: guest.id })).toMatchObject({
      errors: { 'A colleague': expect.stringMatching(/may not rate/) },
    });
    await ben.modal(/Assign this task/).then((form) => form.close({ all: true }));
    await assign(ben, a, { member: 'U03CHLOE' });
    await assign(ben, b, { member: 'U03CHLOE' });
    await a.untilText(/Assigned to @Chloé Martin by @Ben Okafor/);
    const told = await chloe.sees('D03CHLOE', /@Ben Okafor assigned you/);
    await told.untilText(/assigned you \*?2 tasks/);
    await world.slack.groupPatch('S01REVIEWERS', ['U03CHLOE']);
    await assign(ben, c, { group: 'S01REVIEWERS' });
    await c.untilText(/Assigned to @.* by @Ben Okafor/);
    await told.untilText(/assigned you \*?3 tasks/);
    const messages = (await chloe.reads('D03CHLOE')).filter(({ text }) => text.includes('assigned you'));
    expect(messages).toHaveLength(1);

    // Her review has these three, and nobody else’s.
    const review = focusReviewer(world.slackUrl, 'U03CHLOE');
    const first = await review.start(place, 'mine');
    expect(cards.map(({ id }) => id)).toContain(taskIn(first));
    expect(textIn(first)).toContain('2 more after this one');
    expect(textIn(first)).toMatch(/Assigned to/);
    await review.close();
    await ann.clicks(a, 'OK');
    await told.untilText(/You have \*?2 tasks/);
  });

  test('whoever decides on what a colleague has taken, or looks at, is told and can undo it', async () => {
    const { ann, ben } = world;
    const { card } = await submit('taken by Ben');
    await (await more(ben, card)).clicks('Take');
    await card.untilText(/@Ben Okafor has taken this/);
    await ann.clicks(card, 'NOK');
    await ann.modal(/@Ben Okafor has taken this/).then((form) => form.close());
    await ann.clicks(card, 'OK');
    const told = await ann.sees(place, /@Ben Okafor has taken this\. Your \*?OK\*? still counts/);
    expect(told.text).toContain(shelf.title);
    await ann.clicks(told, 'Undo');
    await card.until(({ buttons }) => buttons.includes('NOK'));
    expect(card.text).toContain('@Ben Okafor has taken this');

    const review = focusReviewer(world.slackUrl, 'U02BEN');
    await review.start(place, 'mine');
    await (await more(ann, card)).clicks('Take over');
    await card.untilText(/@Ann Reyes has taken this/);
    await ann.clicks(card, 'OK');
    await ann.sees(place, /@Ben Okafor is looking at this task in a review right now/);
    // He is too late, and learns which task it was.
    await review.submit();
    const late = await review.until((view) => textIn(view).includes('already decided'));
    expect(textIn(late)).toMatch(/\*Photo of a shelf\*.*its card.*<@U01ANN> has already decided \*OK\*/);
    await review.close();
  });

  test('whoever loses the race gets the task, a link, who decided what, and their own text', async () => {
    const { ann, ben } = world;
    const { card } = await submit('raced for');
    await ann.clicks(card, 'NOK');
    const form = await ann.modal(/Refuse this task/);
    await ben.clicks(card, 'OK');
    await card.untilText(/\*?OK\*? by @Ben Okafor/);
    await form.fill('Why is it refused?', 'The label cannot be read.');
    await form.submit();
    const told = await ann.sees(place, /@Ben Okafor has already decided \*?OK\*? on this task/);
    expect(told.text).toContain(shelf.title);
    expect(JSON.stringify(told.blocks)).toMatch(/archives\/C01REVIEW\/p\d+\|its card/);
    expect(told.text).toContain('Your NOK was not sent');
    expect(told.text).toContain('The label cannot be read.');
  });

  test('reminders go to whom the task is assigned, in their hours, once, and say when nothing is left', async () => {
    const { ann, chloe } = world;
    const { card } = await submit('runs out');
    const setHours = async (person: Person, days: string) => {
      await person.types(place, '/proofdesk hours');
      const form = await person.modal(/Reminders of my tasks/);
      await form.select('Days', days);
      await form.select('From', '00:00');
      await form.select('Until', '24:00');
      await form.submit();
      await person.modal(/You are/).then((done) => done.close());
    };
    await setHours(ann, 'Every day');
    await setHours(chloe, 'Never');
    await (await more(ann, card)).clicks('Take');
    await card.untilText(/@Ann Reyes has taken this/);
    const redis = new Redis(world.redis.url);
    await createTimesToRate(redis).put(ref, asId(shelf.campaign_id), 1);
    redis.disconnect();
    const reminder = await ann.sees('D01ANN', /of your tasks (is|are) due soon/);
    expect(reminder.text).toContain('within 24 hours');
    await ann.clicks(reminder, 'Review my tasks');
    const review = focusReviewer(world.slackUrl, 'U01ANN');
    await review.until(({ callback_id }) => callback_id === 'focus.task');
    await review.close();
    await ann.clicks(card, 'OK');
    await reminder.untilText(/No task that is assigned to you|You have/);
    await world.settled();
    const toChloe = (await chloe.reads('D03CHLOE')).map(({ text }) => text);
    expect(toChloe.some((text) => text.includes('due soon') && !text.includes('assigned you'))).toBe(false);
    const reminders = (await ann.reads('D01ANN')).filter(({ text }) => text.includes('out soon'));
    expect(reminders.length).toBeLessThanOrEqual(1);
  });

  test('whoever leaves has no tasks any more', async () => {
    const { ben } = world;
    const { card } = await submit('of somebody who leaves');
    await (await more(ben, card)).clicks('Take');
    await card.untilText(/@Ben Okafor has taken this/);
    await world.slack.userPatch('U02BEN', { deleted: true });
    await eventually(
      'the card to be free',
      async () => !(await card.refresh()).text.includes('has taken this'),
    );
  });
});
