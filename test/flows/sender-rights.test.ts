import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeEach, expect, test } from 'vitest';
import { addsBonus, givesRole, paidShelf as shelf, undoes } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

/*
 * A decision is sent only while its maker may rate, or pay its bonus, also when it is sent again, or after Redis has restarted.
 * Ann owns the account; who Ben is has to be asked.
 */

const toBen = 'D02BEN';
const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  env: { ACCOUNT_OWNERS: 'U01ANN' },
  timeouts: { marketplaceMs: 1_500 },
});
const { ann, ben, marketplace, slack, redis } = world;

let task: string;
let card: Seen;
beforeEach(async () => {
  await begin();
  ({ task, card } = await world.taskWithCard('decided by Ben'));
});

const heldForGood = /not sent yet\. This person can no longer rate for this account/;
const ratingCalls = () => marketplace.calls('/rate_task');

/** Ann, who may, decides instead: nothing was sent before. */
async function annDecides(callsBefore: number): Promise<void> {
  await ann.clicks(card, 'Undo', /^(?!.*not sent yet)/s);
  expect(await world.ratingOf(task)).toBe('NOTRATED');
  expect(await ratingCalls()).toHaveLength(callsBefore);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect(await ratingCalls()).toHaveLength(callsBefore + 1);
}

test('a decision whose maker has left is not sent after Redis has restarted', async () => {
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'PAUSED_ADMIN' });
  await ben.clicks(card, 'OK', /\*OK\* by @Ben.*not sent yet/s);
  await slack.userPatch(ben.id, { deleted: true });
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'RUNNING' });
  await card.untilText(heldForGood);
  const calls = (await ratingCalls()).length;

  await redis.restart();
  await annDecides(calls);
});

test('a decision whose maker has left while the marketplace was away is not sent again', async () => {
  await marketplace.fault({ match: { path: 'rate_task' }, kind: 'drop-before' });
  await marketplace.fault({ match: { path: 'get_task_info' }, kind: '500', times: 0 });
  await ben.clicks(card, 'OK');
  await eventually('the call lost', async () => (await ratingCalls()).length > 0);
  await slack.userPatch(ben.id, { deleted: true });
  await marketplace.clearFaults();

  await card.untilText(heldForGood);
  await annDecides(1);
});

test('a bonus whose maker is no longer a manager is not paid', async () => {
  await slack.groupPatch('S01REVIEWERS', [ben.id]);
  await givesRole(ann, 'Manager', 'Reviewers');

  await marketplace.patchCampaign(shelf.campaign_id, { status: 'PAUSED_ADMIN' });
  await (await addsBonus(ben, card, '0.05')).clicks('Rate OK for');
  await card.untilText(/\*OK\* by @Ben.*with a bonus of 0\.05.*not sent yet/s);
  const calls = (await ratingCalls()).length;

  await slack.groupPatch('S01REVIEWERS', []);
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'RUNNING' });
  await card.untilText(/not sent yet\. This person can no longer pay this bonus/);
  await annDecides(calls);
});

const stopSlack = () => slack.fault({ kind: '500', times: 0 });

/** Waits until Slack has refused to say who Ben is at least so often since the outage began. */
const askedInVain = (times: number) =>
  eventually('questions in vain', async () => {
    const asked = await slack.requests({ method: 'users.info', status: 500 });
    return asked.length >= times;
  });

// Ben clicks for the first time while Slack's Web API is away: nothing can be answered either. Ann was known before.

test('a first OK while Slack is away is sent once Slack has said who it was; only who was known before is not waited for', async () => {
  const { task: other, card: cardOfOther } = await world.taskWithCard('for Ann');
  await ann.asks('/campaign list', /1 campaign\*?\./);
  await stopSlack();
  await ben.clicks(card, 'OK');
  await ann.clicks(cardOfOther, 'OK');
  await marketplace.rated(other, 'OK');
  await askedInVain(3);
  expect(await world.ratingOf(task)).toBe('NOTRATED');

  await slack.clearFaults();
  await card.untilText(/:white_check_mark: \*OK\* by @Ben/);
  expect(await world.ratingOf(task)).toBe('OK');
  expect(await ratingCalls()).toHaveLength(2);
});

test('a first OK while Slack is away by a guest opens the card again once Slack has said so, and the guest is told', async () => {
  await slack.userPatch(ben.id, { is_restricted: true });
  await stopSlack();
  await ben.clicks(card, 'OK');
  await askedInVain(2);

  await slack.clearFaults();
  await card.untilText(/\*OK\* by @Ben.* was not sent\. .*can’t rate.*The task is still open/s);
  const told = await ben.sees(toBen, /can’t rate/);
  expect(told.text).toContain('Photo of a shelf');
  expect(await world.ratingOf(task)).toBe('NOTRATED');
  expect(await ratingCalls()).toHaveLength(0);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect(await world.posts(/can’t rate/, toBen)).toHaveLength(1);
});

test('a first OK while Slack is away by somebody who has left since opens the card again', async () => {
  await stopSlack();
  await ben.clicks(card, 'OK');
  await askedInVain(2);
  await slack.userPatch(ben.id, { deleted: true });
  await slack.clearFaults();
  await card.untilText(/was not sent\. .*can’t rate/s);
  expect(card.buttons).toContain('OK');
  expect(await world.ratingOf(task)).toBe('NOTRATED');
});

test('a first OK while Slack is away is sent by nobody after the bot was restarted while Slack still cannot say who it was', async () => {
  await slack.fault({ match: { method: 'users.info' }, kind: '500', times: 0 });
  await ben.clicks(card, 'OK', /\*OK\* by @Ben.*not sent yet\. Slack has not confirmed yet/s);
  await world.settled();
  const asked = (await slack.requests({ method: 'users.info' })).length;
  await askedInVain(asked + 1);
  expect(await world.ratingOf(task)).toBe('NOTRATED');
  await undoes(ben, card);
  await slack.clearFaults();
  await ben.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ben/);
  expect(await ratingCalls()).toHaveLength(1);
});
