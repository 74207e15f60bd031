import type { SeenView } from '@proofdesk/slack-sandbox/testing';
import { expect, onTestFinished, test } from 'vitest';
import { aReview, decides, hasTask, opensReason, place, startsReview } from '../harness/acts.ts';
import { eventually, sharedWorld, startWorld } from '../harness/worlds.ts';

/** How long a task is kept for whoever looks at it and presses nothing; longer than any test, but for one. */
let focusLeaseMs = 600_000;

const world = sharedWorld({
  scenario: { campaigns: [] },
  env: { UNDO_SECONDS: '1' },
  timeouts: {
    // Nobody here is as slow as a person.
    doubleClickMs: 0,
    get focusLeaseMs() {
      return focusLeaseMs;
    },
  },
});
const { ann, ben, marketplace, slack } = world;

/** A campaign with tasks that wait; each test reviews its own. */
async function waiting(title: string, ...proofs: readonly string[]) {
  const campaign = await world.campaignWith(title, proofs);
  for (const proof of proofs) await ann.sees(place, new RegExp(proof));
  return campaign;
}

/** Opens the form for a bonus and favorites. */
async function opensExtras(review: SeenView): Promise<void> {
  await review.select('…', 'OK with bonus or favorite');
  await review.until(({ title }) => title === 'OK with extras');
}

const writes = async (task: string) =>
  (await marketplace.calls('/rate_task')).filter(
    ({ path, applied, form }) => applied && JSON.stringify([path, form]).includes(task),
  );

test('a review has everything in one modal, and no input; Skip and Undo stay inside', async () => {
  const { tasks } = await waiting('Photo of a shelf', 'proof number one', 'proof number two');
  const [first = '', second = ''] = tasks;
  await world.setUndo(120);
  const review = await startsReview(ann, place, 'PHOTO OF a shelf');
  for (const shown of ['Photo of a shelf', 'proof number one', 'Finished', 'Task 1 · 1 left'])
    expect(review.text).toContain(shown);
  expect(review.text).toContain('No ratings here yet');
  expect(review.submitLabel).toBe('OK');
  expect(review.inputs).toEqual([]);
  await review.clicks('Skip', /proof number two/);
  expect(await review.submit()).toMatchObject({ response_action: 'update' });
  await review.untilText(/You rated \*1 task\*: 1 OK\. You skipped 1\./);
  await review.clicks('Undo OK for', /Your \*OK\* for this task was undone/);
  expect(review.text).toContain('proof number two');
  await world.setUndo(1);
  await decides(review, 'NOK', 'Nothing to be seen');
  await review.until(({ buttons }) => buttons.includes('Review skipped tasks'));
  await review.clicks('Review skipped tasks', /proof number one/);
  await marketplace.rated(second, 'NOK');
  expect(await writes(second)).toHaveLength(1);
  expect(await world.ratingOf(first)).toBe('NOTRATED');
});

test('Undo names its task, says when it comes too late, and is gone once it can do nothing', async () => {
  await waiting('Late undo', 'proof of the first', 'proof of the second');
  const undo = ({ buttons }: SeenView) => buttons.find((label) => label.startsWith('Undo'));
  const card = await ann.sees(place, /proof of the first/);
  const review = await startsReview(ann, place, 'Late undo');
  await review.next(/proof of the second/);
  expect(undo(review)).toMatch(/^Undo OK for \w+/);
  const worker = undo(review)?.replace('Undo OK for ', '') ?? '';
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await review.clicks(`Undo OK for ${worker}`);
  await review.until(({ text }) => text.includes(`Too late to undo: ${worker}’s task`));
  expect(review.text).toContain('proof of the second');
  expect(undo(review)).toBeUndefined();
  const after = await ann.lastIn(place);
  await review.close({ all: true });
  await ann.sees(place, /You rated .*1 OK/s, { after });
  expect(undo(await startsReview(ann, place, 'Late undo'))).toBeUndefined();
});

test('a bonus that turns out to be impossible leaves the task open, and its form is sent again', async () => {
  const { campaign, tasks } = await waiting('No bonus', 'proof of an unpaid bonus');
  const [task = ''] = tasks;
  const review = await startsReview(ann, place, campaign);
  await opensExtras(review);
  await review.next(/This task costs/, { Bonus: '0.05' });
  // Slack no longer answers who somebody is when the bonus is about to be reserved.
  await slack.fault({ match: { method: 'users.info' }, kind: '500', times: 0 });
  expect(Object.values((await review.submit()).errors ?? {}).join()).toContain('couldn’t check');
  await slack.clearFaults();
  expect(await writes(task)).toEqual([]);
  await review.submit();
  await marketplace.rated(task, 'OK');
  expect(await marketplace.task(task)).toMatchObject({ bonus_worker_earned: '0.05000' });
});

test('a bonus and a favorite stay in the same modal, and the worker is excluded above it', async () => {
  const { campaign, tasks } = await waiting('Extras', 'proof of a bonus', 'proof of an excluded worker');
  const [first = '', second = ''] = tasks;
  const review = await startsReview(ann, place, campaign);
  await opensExtras(review);
  await review.fill('Bonus', '0.05');
  await review.select('Favorite workers', 'Add this worker');
  expect(await review.submit()).toMatchObject({ response_action: 'update' });
  await review.untilText(/This task costs/);
  await review.next(/proof of an excluded worker/);
  expect(await ann.modals()).toHaveLength(1);
  await review.select('…', 'Worker…');
  const worker = await ann.modal(/^Worker\n/);
  await worker.clicks('Exclude worker', /is excluded|excluded/i);
  await marketplace.rated(first, 'OK');
  expect(await marketplace.task(first)).toMatchObject({ bonus_worker_earned: '0.05000' });
  const { accounts } = await marketplace.state();
  const { worker_id } = await marketplace.task(second);
  expect(accounts.flatMap((account) => account.excluded_workers ?? [])).toContain(worker_id);
});

test('what one reviewer closes is free for the others at once', async () => {
  const { campaign } = await waiting('Given back', 'a lease that is given back');
  const review = await startsReview(ann, place, campaign);
  expect(review.text).toContain('a lease that is given back');
  const others = await startsReview(ben, place, campaign);
  expect(hasTask(others)).toBe(false);
  await review.close({ all: true });
  await eventually('the task for Ben', async () => {
    // The view may have been shown anew before the click is there.
    if (!hasTask(await others.refresh())) await others.clicks('Check for new tasks').catch(() => undefined);
    return (await others.refresh()).text.includes('a lease that is given back');
  });
});

test('a task is kept for whoever types, and free after a pause; who is then too late is told, and moves on', async () => {
  focusLeaseMs = 2_000;
  await world.settled();
  onTestFinished(async () => {
    focusLeaseMs = 600_000;
    await world.settled();
  });
  const { campaign, tasks } = await waiting('Left', 'left alone', 'next to it');
  const [first = ''] = tasks;
  const opens = async () => {
    const opened = await startsReview(ben, place, campaign);
    if (opened.text.includes('left alone')) return opened;
    await opened.close({ all: true });
    return undefined;
  };
  const review = await startsReview(ann, place, campaign);
  await opensReason(review, 'NOK');
  const began = Date.now();
  while (Date.now() < began + 1.5 * focusLeaseMs) {
    const typedAt = Date.now();
    await review.fill('Reason for NOK', `The label ${typedAt}`);
    const seen = await opens();
    // Unless the machine itself made a pause.
    if (Date.now() < typedAt + focusLeaseMs) expect(seen).toBeUndefined();
  }
  await review.clicks('Back to the task');
  await review.until(hasTask);
  const next = await eventually('the task for Ben', opens);
  await decides(next, 'REVISE', 'Please again');
  expect(await review.submit()).toMatchObject({ response_action: 'update' });
  await review.untilText(/@Ben\b.* already rated this \*REVISE\*/);
  expect(review.text).not.toContain('left alone');
  if (hasTask(review)) expect(review.text).toContain('next to it');
  await marketplace.rated(first, 'REVISE');
  expect(await writes(first)).toHaveLength(1);
});

test('a decision made on the card meanwhile is told, and the text of a lost race is given back', async () => {
  const { campaign, tasks } = await waiting('Race', 'decided on its card', 'shown after that');
  const [first = ''] = tasks;
  const review = await startsReview(ann, place, campaign);
  await opensReason(review, 'REVISE');
  const card = await ben.sees(place, /decided on its card/);
  await ben.clicks(card, 'OK', /\*OK\* by @Ben/);
  await review.next(/@Ben\b.* already rated this \*OK\*/, {
    'What should be corrected?': 'A long reason that nobody wants to type again',
  });
  expect(review.text).toContain('A long reason that nobody wants to type again');
  expect(review.text).toContain('shown after that');
  await marketplace.rated(first, 'OK');
  expect(await writes(first)).toHaveLength(1);
  await review.submit();
  await review.untilText(/You rated \*1 task\*: 1 OK\.(?! You skipped)/);
});

test('the modal that is closed early ends with one summary, for whoever reviewed', async () => {
  const { campaign } = await waiting('Closed', 'one that is decided', 'one that is left');
  const review = await startsReview(ann, place, campaign);
  await review.submit();
  const after = await ann.lastIn(place);
  await review.close({ all: true });
  const said = await ann.sees(place, /You rated/, { after });
  expect(said.ephemeral).toBe(true);
  expect(said.text).toContain('1 OK. 1 task is left.');
  await world.settled();
  const news = (await ann.reads(place)).filter(({ ts, ephemeral }) => ephemeral && ts > after);
  expect(news).toHaveLength(1);
  await ann.opens(said, 'Continue', /· Closed\n.*one that is left/s);
});

test('the shortcut starts a review as well', async () => {
  await waiting('Everywhere', 'seen from everywhere');
  await ann.shortcut('start_review');
  expect(hasTask(await ann.modal(aReview))).toBe(true);
});

test('Review this opens the review at that task; who looks at it, or has decided, is said', async () => {
  const [, task = ''] = (await waiting('Review this', 'an older one', 'exactly this one')).tasks;
  const card = await ann.sees(place, /exactly this one/);
  await ben.shortcut('review_this', card);
  const review = await ben.modal(/exactly this one/);
  await ann.shortcut('review_this', card);
  await ann.sees(place, /@Ben Okafor is reviewing this task right now/);
  // It goes on with what waits.
  await review.next(/Task 2 · /);
  await marketplace.rated(task, 'OK');
  await ann.shortcut('review_this', card);
  await ann.sees(place, /@Ben Okafor already rated this \*OK\*, .* nothing to review/);
  const { ts } = await ann.says(place, 'just a message');
  await ann.shortcut(
    'review_this',
    await ann.sees(place, /just a message/, { after: String(Number(ts) - 1) }),
  );
  await ann.sees(place, /This message isn’t a task card/);
});

test('whoever decides before the first task is loaded sees the next one, also when the rest of the first comes late', async () => {
  const own = await startWorld({ timeouts: { doubleClickMs: 0 } });
  onTestFinished(() => own.close());
  const { marketplace, slack } = own;
  const noDetails = await marketplace.delays('get_task_info', 60_000, 0);
  const { campaign_id: campaign } = await marketplace.addCampaign({
    title: 'Unloaded',
    status: 'RUNNING',
    available_positions: 100,
  });
  const both = (await marketplace.state()).workers.slice(0, 2);
  for (const { worker_id } of both) await marketplace.submit({ campaign_id: campaign, worker_id });
  await eventually('both to wait', async () => {
    await own.ann.opensHome();
    // Before the first poll Home says what the marketplace counts, which is not since when.
    return /\*2 tasks\* waiting .* the oldest since/.test((await own.ann.home(/Reviewing/)).text);
  });
  const late = await slack.delays('views.update', 60_000);
  const lateUpdate = async () =>
    (await slack.requests({ method: 'views.update' })).find(({ fault }) => fault === 'latency');

  const review = await startsReview(own.ann, place, campaign);
  const workers = both.map(({ username }) => username);
  const first = workers.find((worker) => review.text.includes(worker)) ?? '';
  const second = workers.find((worker) => worker !== first) ?? '';
  expect(first).not.toBe('');
  const showsSecond = ({ text }: SeenView) => text.includes(second) && !text.includes(first);
  await marketplace.clearFaults(noDetails);
  await eventually('the rest of the first task to be under way', lateUpdate);
  await review.submit();
  await review.until(showsSecond);
  await slack.clearFaults(late);
  await eventually('Slack to show it', async () => (await lateUpdate())?.ok);
  await review.until(showsSecond);
});
