import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import type { Seen } from '../harness/slack.ts';
import { worldPerTest } from '../harness/world-per-test.ts';

// A decision is sent only while its maker may rate, or pay its bonus, also when it is sent again, or after Redis has restarted.

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.10000',
} as const;
const review = 'C01REVIEW';
const { begin, current } = worldPerTest({
  scenario: { campaigns: [shelf] },
  env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '0' },
  timeouts: { marketplaceMs: 1_500 },
});

let task: string;
let card: Seen;
beforeEach(async () => {
  const { ann, marketplace } = await begin();
  [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['decided by Ben'] });
  card = await ann.sees(review, /decided by Ben/);
});

const heldForGood = /not sent yet\. Whoever decided this may no longer rate for this account/;
const ratingCalls = async () =>
  (await current().marketplace.requests()).filter(({ path }) => path.includes('/rate_task'));

/** Ann, who may, decides instead: nothing was sent before. */
async function annDecides(callsBefore: number): Promise<void> {
  const { ann, marketplace } = current();
  await ann.clicks(card, 'Undo');
  await card.untilText(/^(?!.*not sent yet)/s);
  expect((await marketplace.task(task)).task_rating).toBe('NOTRATED');
  expect(await ratingCalls()).toHaveLength(callsBefore);
  await ann.clicks(card, 'OK');
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await ratingCalls()).toHaveLength(callsBefore + 1);
}

test('a decision whose maker has left is not sent after Redis has restarted', async () => {
  const { ben, marketplace, redis, slack } = current();
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'PAUSED_ADMIN' });
  await ben.clicks(card, 'OK');
  await card.untilText(/\*OK\* by @Ben.*not sent yet/s);
  await slack.userPatch(ben.id, { deleted: true });
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'RUNNING' });
  await card.untilText(heldForGood);
  const calls = (await ratingCalls()).length;

  await redis.restart();
  await annDecides(calls);
});

test('a decision whose maker has left while the marketplace was away is not sent again', async () => {
  const { ben, marketplace, slack } = current();
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
  const { ann, ben, marketplace, slack } = current();
  await slack.groupPatch('S01REVIEWERS', [ben.id]);
  await ann.types(review, '/proofdesk settings');
  await (await ann.modal(/Owners/)).clicks('Give a role');
  const role = await ann.modal(/Give a role/);
  await role.select('Role', 'Manager');
  await role.select('A user group', 'Reviewers');
  await role.submit();
  await ann.modal(/manager from now on/);

  await marketplace.patchCampaign(shelf.campaign_id, { status: 'PAUSED_ADMIN' });
  await ben.chooses(card, '…', 'OK with bonus or favorite');
  const form = await ben.modal(/OK with extras/);
  await form.fill('Bonus', '0.05');
  await form.submit();
  await (await ben.modal(/This task costs:/)).clicks('Rate OK for');
  await card.untilText(/\*OK\* by @Ben.*with a bonus of 0\.05.*not sent yet/s);
  const calls = (await ratingCalls()).length;

  await slack.groupPatch('S01REVIEWERS', []);
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'RUNNING' });
  await card.untilText(/not sent yet\. Whoever decided this may no longer pay this bonus/);
  await annDecides(calls);
});
