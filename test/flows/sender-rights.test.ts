import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeEach, expect, test } from 'vitest';
import { addsBonus, givesRole, place, paidShelf as shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

/*
 * A decision is sent only while its maker may rate, or pay its bonus, also when it is sent again, or after Redis has restarted.
 * Ann owns the account; who Ben is has to be asked.
 */

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
  await givesRole(ann, 'Manager', ben.id);

  await marketplace.patchCampaign(shelf.campaign_id, { status: 'PAUSED_ADMIN' });
  await (await addsBonus(ben, card, '0.05')).submit();
  await card.untilText(/\*OK\* by @Ben.*with a bonus of 0\.05.*not sent yet/s);
  const calls = (await ratingCalls()).length;

  const settings = await ann.enters('/proofdesk settings', /Managers.*@Ben/s);
  await settings.opens(`<@${ben.id}>`, /Saved\./);
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'RUNNING' });
  await card.untilText(/not sent yet\. This person can no longer pay this bonus/);
  await annDecides(calls);
});

test('an OK of somebody whom Slack cannot name is not taken, and said so; pressed again later, it is', async () => {
  await slack.fault({ match: { method: 'users.info' }, kind: '500', times: 0 });
  await ben.clicks(card, 'OK');
  await ben.sees(place, /couldn’t check your role.*Try again/);
  await slack.clearFaults();
  await world.settled();
  expect((await card.refresh()).buttons).toContain('OK');
  expect(await ratingCalls()).toEqual([]);
  await ben.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ben/);
});
