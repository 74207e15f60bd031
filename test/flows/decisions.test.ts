import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import {
  addsBonus,
  decidesTogether,
  opensSelection,
  place,
  presses,
  rates,
  paidShelf as shelf,
  startsReview,
  undoes,
} from '../harness/acts.ts';
import { eventually, type WorldOptions, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

const beginsWithCard = async (options: WorldOptions = {}) => {
  const { ann, ben, marketplace, slack } = await begin(options);
  return { ann, ben, marketplace, slack, ...(await world.taskWithCard('the shelf')) };
};

const ratings = () => world.marketplace.calls('/rate_task');
const applied = async () => (await ratings()).filter((request) => request.applied);

/** What was delivered before a command has been dealt with once that is answered: Ann was told nothing else. */
async function saysNothingMore(): Promise<void> {
  await world.settled();
  expect((await world.ann.reads(place)).filter(({ ephemeral }) => ephemeral)).toEqual([]);
}

const opensExtras = (card: Seen) => world.ann.picks(card, 'OK with bonus or favorite', /OK with extras/);

/** Goes on from a card to an OK with a bonus that makes its worker a favorite, as far as the total. */
async function addsFavorite(card: Seen) {
  const form = await opensExtras(card);
  await form.select('Favorite workers', 'Add this worker');
  return form.next(/This task costs/, { Bonus: '0.05' });
}

test('an OK takes a bonus, a favorite mark and a comment for the worker', async () => {
  const { task, card, marketplace } = await beginsWithCard();
  const modal = await opensExtras(card);
  expect(modal.text).toContain('From 0.01 to 0.20');
  for (const [Bonus, problem] of [
    ['0.21', 'Enter a bonus from 0.01 to 0.20, or leave it empty.'],
    ['plenty', 'Enter the amount as a number such as 1250.50 or 0.05, without a currency sign.'],
    ['0.0512345', 'Use at most five decimal places.'],
  ] as const)
    expect((await modal.submit({ Bonus })).errors).toEqual({ Bonus: problem });
  await modal.fill('Bonus', ' 0,05 ');
  await modal.select('Favorite workers', 'Add this worker');
  const total = await modal.next(/This task costs:/, { 'Comment for the worker': 'Very sharp' });
  expect(total.submitLabel).toMatch(/^Rate OK for 0\.\d\d$/);
  expect(total.fields).toContain('Very sharp');
  // Another amount costs something else than the button says.
  await total.next(/bonus 0\.04 =/, { Bonus: '0.04' });
  await total.next(/bonus 0\.05 =/, { Bonus: '0.05' });
  await total.submit();
  await card.untilText(
    /:white_check_mark: \*OK\* by @Ann.*“Very sharp”, with a bonus of 0\.05, worker added to favorites/,
  );
  expect(card.buttons).toEqual([]);
  expect(await marketplace.task(task)).toMatchObject({
    task_rating: 'OK',
    employer_comment: 'Very sharp',
    bonus_worker_earned: '0.05000',
  });
});

test('Undo takes a decision back before it is sent', async () => {
  const { task, card, ann, ben, marketplace } = await beginsWithCard({ env: { UNDO_SECONDS: '120' } });
  await ann.clicks(card, 'OK', /\*OK\* by @Ann.*sends at .*UTC.* unless undone/);
  expect(card.buttons).toEqual([expect.stringMatching(/^Undo (OK|NOK|REVISE) for /)]);
  const [undo = ''] = card.buttons;
  await undoes(ben, card);
  expect(card.text).not.toMatch(/\*OK\* by @Ann/);
  expect(card.text).toMatch(/@Ben.* undid OK by @Ann/);
  await world.marketplace.polls(4);
  expect(await ratings()).toEqual([]);

  await world.setUndo(3);
  await ann.clicks(card, 'OK', /unless undone/);
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect((await marketplace.task(task)).task_rating).toBe('OK');
  await ann.clicksOldButton(card, undo);
  await ann.sees(place, /Too late to undo: \w+’s task is rated \*OK\*/);
});

test('a bonus over the balance shows the reason on the card, which stays usable', async () => {
  const { ann, marketplace } = await begin({
    scenario: { campaigns: [shelf], settings: { balance: '0.01000' } },
  });
  const { task, card } = await world.taskWithCard('the shelf');
  await (await addsBonus(ann, card, '0.20')).submit();
  await card.untilText(
    /with a bonus of 0\.20, was rejected\. The account’s balance is too low for the bonus/,
  );
  expect(card.text).toContain('The task is still open.');
  expect(card.buttons).toEqual(expect.arrayContaining(['OK', 'REVISE', 'NOK']));
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect(await marketplace.task(task)).toMatchObject({ task_rating: 'OK', bonus_worker_earned: '0.00000' });
});

test('while the campaign is paused a decision is kept with the reason, and sent when it runs again', async () => {
  const { task, card, ann, marketplace } = await beginsWithCard();
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'PAUSED_ADMIN' });
  await ann.clicks(
    card,
    'OK',
    /\*OK\* by @Ann Reyes, not sent yet\. The marketplace has paused the campaign/,
  );
  expect(card.text).toContain('It will be sent automatically.');
  expect(card.buttons).toEqual([expect.stringMatching(/^Undo (OK|NOK|REVISE) for /)]);
  // Not before the campaign goes on, however often it is polled.
  const sent = (await ratings()).length;
  await marketplace.polls(3);
  expect(await ratings()).toHaveLength(sent);
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'RUNNING' });
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect((await marketplace.task(task)).task_rating).toBe('OK');
});

test.each([
  ['whose answer is lost', { kind: 'drop-after' }, 1],
  ['whose answer cannot be read', { kind: 'garbage' }, 1],
  ['that is answered after our timeouts', { kind: 'slow-after', delayMs: 2_500 }, 1],
  ['that did not arrive and is sent again', { kind: 'drop-before' }, 2],
] as const)('a rating %s is applied once', async (_, fault, calls) => {
  const { task, card, ann, marketplace } = await beginsWithCard({ timeouts: { marketplaceMs: 1_500 } });
  await marketplace.fault({ match: { path: 'rate_task' }, ...fault });
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect(await applied()).toHaveLength(1);
  expect(await ratings()).toHaveLength(calls);
  expect((await marketplace.task(task)).task_rating).toBe('OK');
});

test('a rating made on the website just before ours is not taken for it, however much it looks the same', async () => {
  const { task, card, marketplace } = await beginsWithCard();
  const total = await addsFavorite(card);
  // Their rating is there when ours arrives, however slow this machine is.
  await marketplace.delays('rate_task', 12_000);
  await total.submit();
  await eventually('our rating on its way', async () => (await ratings()).length > 0);
  await marketplace.rate(task, 'OK');
  await marketplace.clearFaults();
  await card.untilText(/\*OK\*, rated outside of Slack.*The marketplace rejected @Ann Reyes’s OK/);
  expect(card.text).not.toMatch(/bonus|favorites/);
  expect(await marketplace.task(task)).toMatchObject({ bonus_worker_earned: '0.00000' });
  expect(await ratings()).toHaveLength(1);
});

test('a favorite is not claimed where only the rating could be read back', async () => {
  const { card, marketplace } = await beginsWithCard();
  const total = await addsFavorite(card);
  await marketplace.fault({ match: { path: 'rate_task' }, kind: 'drop-after' });
  await total.submit();
  await card.untilText(/:white_check_mark: \*OK\* by @Ann.*with a bonus of 0\.05/);
  expect(card.text).toMatch(/worker may have been added to favorites/);
  expect(await ratings()).toHaveLength(1);
});

test.each([
  ['click', 'block_actions', (ann: Person, card: Seen) => ann.clicks(card, 'OK')],
  ['submission', 'view_submission', (ann: Person, card: Seen) => rates(ann, card, 'REVISE', 'Once')],
])('a %s that is delivered twice decides once, and says nothing more', async (_, delivery, decides) => {
  const { card, ann, slack } = await beginsWithCard();
  await slack.fault({ match: { delivery }, kind: 'twice' });
  await decides(ann, card);
  await card.untilText(/:(white_check_mark|leftwards_arrow_with_hook): \*(OK|REVISE)\* by @Ann/);
  await saysNothingMore();
  expect(await applied()).toHaveLength(1);
});

const undoMs = 2_000;

/** Go on as far as the press that decides. Return that. */
const ways: Record<string, (card: Seen) => Promise<() => Promise<unknown>>> = {
  'by a press': async (card) => () => world.ann.clicks(card, 'OK'),
  async 'with a reason'(card) {
    const form = await world.ann.opens(card, 'NOK', /Rate NOK/);
    return () => form.submit({ 'Reason for NOK': 'It is blurred.' });
  },
  async 'with a bonus'(card) {
    const total = await addsBonus(world.ann, card, '0.05');
    return () => total.submit();
  },
  async 'in a review'() {
    const review = await startsReview(world.ann, place);
    return () => review.submit();
  },
  async 'together with others'() {
    const page = await opensSelection(world.ann);
    await presses(page, 'Select this one');
    const preview = await decidesTogether(page, 'OK');
    return () => preview.clicks('Rate ');
  },
};

test.each(Object.entries(ways))(
  'a decision is sent once, when the time to undo it is over, if it is made %s',
  async (_, comes) => {
    const { task, card } = await beginsWithCard({ env: { UNDO_SECONDS: String(undoMs / 1_000) } });
    const decides = await comes(card);
    const since = Date.now();
    await decides();
    await eventually('the rating', async () => (await world.ratingOf(task)) !== 'NOTRATED');
    await card.until(
      ({ buttons }) => !buttons.includes('OK') && !buttons.some((name) => name.startsWith('Undo')),
    );
    const [call, ...others] = await ratings();
    expect(others).toEqual([]);
    expect(Date.parse(call?.at ?? '')).toBeGreaterThanOrEqual(since + undoMs);
  },
);
