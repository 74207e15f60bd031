import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeEach, expect, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

/*
 * Ben clicks for the first time while Slack's Web API is away: who he is cannot be asked, and nothing can be answered. Ann
 * was known before.
 */

const toBen = 'D02BEN';
const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  env: { ACCOUNT_OWNERS: 'U01ANN' },
});
const { ann, ben, marketplace, slack } = world;

let task: string;
let card: Seen;
beforeEach(async () => {
  await begin();
  ({ task, card } = await world.taskWithCard('for Ben'));
});

const ratingCalls = () => marketplace.calls('/rate_task');
const stopSlack = () => slack.fault({ kind: '500', times: 0 });

/** Waits until Slack has refused to say who Ben is at least so often since the outage began. */
const askedInVain = (times: number) =>
  eventually('questions in vain', async () => {
    const asked = await slack.requests({ method: 'users.info', status: 500 });
    return asked.length >= times;
  });

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
  await ben.clicks(card, 'Undo');
  await card.until(({ buttons }) => buttons.includes('OK'));
  await slack.clearFaults();
  await ben.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ben/);
  expect(await ratingCalls()).toHaveLength(1);
});
