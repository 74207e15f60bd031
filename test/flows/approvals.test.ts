import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addsBonus, finishedShop as finished, givesRole, opensLimits, restarts } from '../harness/acts.ts';
import { eventually, type FaultPoint, sharedWorld, type World } from '../harness/worlds.ts';

const running = {
  campaign_id: '12e5',
  title: 'Photograph a tea shelf',
  status: 'RUNNING',
  available_positions: 50,
  payment_per_task: '0.60000',
} as const;

let failing: FaultPoint | undefined;
/** Longer than any call takes, but where a process dies in one. */
let sendLeaseMs = 40_000;
const dayMs = 24 * 3_600_000;
let approvalMs = dayMs;
const world = sharedWorld({
  scenario: { campaigns: [finished, running] },
  // Ann owns the account, Ben is made a manager, Chloe reviews since she is in the channel.
  env: { ACCOUNT_OWNERS: 'U01ANN' },
  timeouts: {
    lateArrivalMs: 300,
    get sendLeaseMs() {
      return sendLeaseMs;
    },
    get approvalMs() {
      return approvalMs;
    },
  },
  faults(passing) {
    if (passing !== failing) return;
    failing = undefined;
    throw new Error(`the process dies at: ${passing}`);
  },
});
beforeAll(async () => {
  await givesRole(world.ann, 'Manager', 'U02BEN');
});
beforeEach(async () => {
  await world.marketplace.patchCampaign(finished.campaign_id, {
    status: 'FINISHED',
    payment_per_task: '0.25000',
  });
  await world.marketplace.clearRequests();
  // The bot reads lists while it polls: what it knows is what the marketplace has now.
  await world.marketplace.polls(1);
});
afterEach(() => {
  failing = undefined;
  sendLeaseMs = 40_000;
  approvalMs = dayMs;
});

const restarted = () => world.marketplace.calls('restart_campaign');

/** Somebody asks for a restart. Returns what they read, the messages that ask Ann and Ben, and what Chloe is told later. */
async function asks(who: World['ann'], positions: number) {
  const [ofAnn, ofBen] = [await world.ann.lastIn('D01ANN'), await world.ben.lastIn('D02BEN')];
  const toldChloe = await fromNow();
  const told = /asked to approve it|already asked|may or may not|now has \d/;
  return {
    answer: await restarts(who, `${finished.campaign_id} ${positions}`, told),
    ann: await world.ann.sees('D01ANN', /asks to restart/, { after: ofAnn }),
    ben: () => world.ben.sees('D02BEN', /asks to restart/, { after: ofBen }),
    toldChloe,
  };
}

/** Returns what waits for Chloe to be told, from now on. */
async function fromNow() {
  const after = await world.chloe.lastIn('D03CHLOE');
  return (pattern: RegExp) => world.chloe.sees('D03CHLOE', pattern, { after });
}

test('a reviewer asks for a restart; of two managers who approve at once it is done once, and both are told', async () => {
  // The button says what it does: she may not restart it herself.
  const form = await world.chloe.enters(`/campaign restart ${finished.campaign_id} 10`, /Positions to add/);
  const cost = await form.next(/10 positions × 0\.25 = 2\.50/);
  expect(cost.buttons).toEqual(['Ask for approval', 'Change the number']);
  const request = await asks(world.chloe, 10);
  expect(request.answer.text).toMatch(
    /Nothing was done yet.*10 positions × 0\.25 = \*2\.50\*, fees not included.*You are a reviewer, so a manager has to approve this\. @Ann.*@Ben.*were asked/s,
  );
  const { ann, toldChloe } = request;
  const [ben, asBenSawIt] = [await request.ben(), await request.ben()];
  expect(ann.text).toMatch(
    /@Chloé.* asks to restart \*Visit a coffee shop\*: 10 positions × 0\.25 = \*2\.50\*/,
  );
  expect(ben.buttons).toEqual(['Approve', 'Decline']);
  // Slack asks first, elsewhere than the button: in Home, the next request moves up to its place.
  expect(ben.sent()).toContain('"text":"Approve 2.50"');
  await world.ann.looksAtHome(/Waiting for your approval.*@Chloé.* asks to restart/s);

  await Promise.all([world.ann.clicks(ann, 'Approve'), world.ben.clicks(ben, 'Approve')]);
  await ann.untilText(/approved\. .*now has 10 more positions/);
  await ben.untilText(/approved\. .*now has 10 more positions/);
  expect(ann.buttons).toEqual([]);
  await toldChloe(/You asked to restart.*approved\. .*now has 10 more positions/s);
  expect(await restarted()).toHaveLength(1);
  await world.ben.clicks(asBenSawIt, 'Approve');
  await world.ben.sees('D02BEN', /was already answered/);
  expect(await restarted()).toHaveLength(1);
});

test('a request is declined: each manager is asked once and whoever asked is told once, whatever answer is lost and wherever the process dies', async () => {
  await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: 'drop-after', times: 3 });
  failing = 'posted, not recorded';
  const { ann, toldChloe, ...request } = await asks(world.chloe, 7);
  const ben = await request.ben();
  await world.ben.clicks(ben, 'Decline');
  await Promise.all([ann, ben].map((one) => one.untilText(/@Ben.* declined\. Nothing was done/)));
  await toldChloe(/You asked to restart .*7 positions.*@Ben.* declined\. Nothing was done/s);
  expect(await restarted()).toHaveLength(0);
  for (const channel of ['D01ANN', 'D02BEN', 'D03CHLOE'])
    expect(await world.posts(/: 7 positions/, channel), channel).toHaveLength(1);
});

test('above the limit a manager asks too, and cannot approve that themselves', async () => {
  const { ann, answer } = await asks(world.ben, 2_400);
  expect(answer.text).toMatch(
    /= \*600\.00\*.*It is 100\.00 over your limit of 500\.00 a day for restarts and new campaigns; 0\.00 is already spent today\. @Ann.* was asked/s,
  );
  expect((await world.ben.looksAtHome(/Reviewing/)).buttons).not.toContain('Approve');
  await world.ben.clicks(ann, 'Approve');
  await world.ben.sees('D01ANN', /You can’t approve your own request/);
  expect(await restarted()).toHaveLength(0);
  await world.ben.clicks(ann, 'Decline');
  await ann.untilText(/@Ben.* declined/);
});

test('when the process dies while an approved act is sent, nothing is repeated, and both read that its outcome is not known', async () => {
  const { ann, toldChloe } = await asks(world.chloe, 5);
  failing = 'act claimed, not sent';
  sendLeaseMs = 1_000;
  await world.ann.clicks(ann, 'Approve', /may or may not have 5 more positions now.*was not repeated/);
  await toldChloe(/may or may not have 5 more positions now/);
  expect(await restarted()).toHaveLength(0);
});

test('an approved act that takes long is left alone meanwhile, and both read its outcome', async () => {
  const { ann, toldChloe } = await asks(world.chloe, 4);
  const slow = await world.marketplace.delays('restart_campaign', 60_000);
  await world.ann.clicks(ann, 'Approve');
  await eventually('the call to be under way', async () => (await restarted()).length > 0);
  await world.marketplace.polls(2);
  await world.marketplace.clearFaults(slow);
  await ann.untilText(/now has 4 more positions/);
  await toldChloe(/now has 4 more positions/);
  expect(await restarted()).toHaveLength(1);
});

test('when the process dies after it has decided with an approved bonus, both read that the task is rated', async () => {
  const [toldChloe, asked] = [await fromNow(), await world.ann.lastIn('D01ANN')];
  const { task, card } = await world.taskWithCard('decided just in time');
  await (await addsBonus(world.chloe, card, '0.10')).submit();
  const request = await world.ann.sees('D01ANN', /asks to rate a task.* OK with a bonus/, { after: asked });
  failing = 'act sent, not recorded';
  sendLeaseMs = 1_000;
  await world.ann.clicks(request, 'Approve', /The task was rated \*OK\* with a bonus of 0\.10/);
  await toldChloe(/The task was rated \*OK\* with a bonus of 0\.10/);
  await world.marketplace.rated(task, 'OK');
});

test('what was approved is not done once its time is over', async () => {
  approvalMs = 4_000;
  const { ann } = await asks(world.chloe, 8);
  const away = await world.marketplace.fault({ match: {}, kind: 'drop-before', times: 0 });
  await world.ann.clicks(ann, 'Approve', /there was no time left to do it/);
  await world.marketplace.clearFaults(away);
  expect(await restarted()).toHaveLength(0);
});

test('when the payment has changed, nothing is done, and both read that it has to be asked for again', async () => {
  const { ann, toldChloe } = await asks(world.chloe, 6);
  await world.marketplace.patchCampaign(finished.campaign_id, { payment_per_task: '0.50000' });
  const home = await world.ann.looksAtHome(/asks to restart.*6 positions/s);
  await home.opens('Approve', /Approved\. In progress/);
  await ann.untilText(/The payment has changed/);
  await toldChloe(/The payment has changed, so nothing was done. Ask again with the new total/);
  expect(await restarted()).toHaveLength(0);
});

test('a request that nobody answers ends, and whoever asked is told', async () => {
  approvalMs = 2_000;
  const { ann, toldChloe } = await asks(world.chloe, 9);
  await ann.untilText(/Nobody answered in time, so nothing was done/);
  await toldChloe(/Nobody answered in time, so nothing was done/);
  await world.ann.asks('/proofdesk audit', /ended a request by @Chloé.*nobody answered in time/s);
  expect(await restarted()).toHaveLength(0);
});

test('above the limit of the day a bonus is asked for; one that a rating made elsewhere overtakes is left for others', async () => {
  const limits = await opensLimits(world.ann);
  expect((await limits.submit({ 'Bonuses a day': 'much' })).errors).toBeDefined();
  expect((await limits.submit({ 'Bonuses a day': '0.50' })).errors).toBeUndefined();

  const [first, second] = [await world.taskWithCard('within'), await world.taskWithCard('beyond')];
  const form = await addsBonus(world.ben, first.card, '0.30');
  expect(form.text).toContain('payment 0.60 + bonus 0.30 = *0.90*, fees not included');
  expect((await world.marketplace.task(first.task)).task_rating).toBe('NOTRATED');
  expect(form.submitLabel).toBe('Rate OK for 0.90');
  await form.submit();
  await first.card.untilText(/\*OK\* by @Ben.*with a bonus of 0\.30/);

  const after = await world.ann.lastIn('D01ANN');
  await (await addsBonus(world.ben, second.card, '0.30')).next(
    /0\.10 over your limit of 0\.50 a day for bonuses.*the task stays open/s,
  );
  const request = await world.ann.sees('D01ANN', /@Ben.* asks to rate a task.* OK with a bonus/, { after });
  expect((await world.marketplace.task(second.task)).task_rating).toBe('NOTRATED');
  await world.ann.clicks(request, 'Approve');
  await second.card.untilText(/\*OK\* by @Ben.*with a bonus of 0\.30/);
  await world.marketplace.rated(second.task, 'OK');
  const { bonus_worker_earned } = await world.marketplace.task(second.task);
  expect(bonus_worker_earned).toBe('0.30000');

  // Of the 0.50 a day, 0.30 are spent.
  const [held, next] = [await world.taskWithCard('overtaken'), await world.taskWithCard('left')];
  await world.marketplace.patchCampaign(running.campaign_id, { status: 'PAUSED_ADMIN' });
  await (await addsBonus(world.ben, held.card, '0.20')).submit();
  await held.card.untilText(/paused/i);
  await world.marketplace.rate(held.task, 'NOK', 'Blurred');
  await held.card.untilText(/NOK.*outside of Slack|elsewhere/is);
  await world.marketplace.patchCampaign(running.campaign_id, { status: 'RUNNING' });
  await (await addsBonus(world.ben, next.card, '0.20')).submit();
  await next.card.untilText(/\*OK\* by @Ben.*with a bonus of 0\.20/);
});

test('a request for a bonus ends when somebody else decides on the task', async () => {
  const card = await world.card('third');
  const [ofAnn, toldChloe] = [await world.ann.lastIn('D01ANN'), await fromNow()];
  await (await addsBonus(world.chloe, card, '0.30')).submit();
  const request = await world.ann.sees('D01ANN', /@Chloé.* asks to rate a task/, { after: ofAnn });
  await world.ben.clicks(card, 'OK');
  await request.untilText(/@Ben.* rated the task \*?OK\*? in the meantime, so no bonus was paid/);
  await toldChloe(/rated .*in the meantime, so no bonus was paid/);
  expect(card.buttons).not.toContain('Approve');
});
