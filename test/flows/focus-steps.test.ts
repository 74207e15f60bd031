import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { View } from '../../src/sandbox/slack/index.ts';
import { eventually } from '../harness/eventually.ts';
import { type FocusReviewer, focusReviewer, taskIn, textIn } from '../harness/focus-reviewer.ts';
import { setsTimeToRate } from '../harness/time-to-rate.ts';
import { type FaultPoint, startWorld, type World } from '../harness/world.ts';

const place = 'C01REVIEW';

let world: World;
let ann: FocusReviewer;
let ben: FocusReviewer;
/** The process ends, as far as its work goes, when it next passes here. */
let deadAt: FaultPoint | undefined;

/** Nobody here is as slow as a person, but for one test. */
let doubleClickMs = 0;
/** How long a task is kept for whoever looks at it and presses nothing; longer than any test, but for one. */
let focusLeaseMs = 600_000;

beforeAll(async () => {
  world = await startWorld({
    scenario: { campaigns: [] },
    env: { UNDO_SECONDS: '1' },
    timeouts: {
      get doubleClickMs() {
        return doubleClickMs;
      },
      get focusLeaseMs() {
        return focusLeaseMs;
      },
    },
    faults(passing) {
      if (passing !== deadAt) return;
      deadAt = undefined;
      throw new Error('as if the process had died here');
    },
  });
  ann = focusReviewer(world.slackUrl, 'U01ANN');
  ben = focusReviewer(world.slackUrl, 'U02BEN');
});
afterAll(() => world?.close());

const ratingOf = async (task: string) => (await world.marketplace.task(task)).task_rating;

/** A campaign with tasks that wait, a minute apart; each test reviews its own. */
async function waiting(
  title: string,
  ...proofs: readonly string[]
): Promise<{ campaign: string; tasks: string[] }> {
  const { campaign_id: campaign } = await world.marketplace.addCampaign({
    title,
    status: 'RUNNING',
    payment_per_task: '0.10000',
    available_positions: 100,
  });
  const tasks: string[] = [];
  for (const [index, proof] of proofs.entries()) {
    const finished_datetime = `2026-02-01 08:0${index}:00`;
    const [task = ''] = await world.marketplace.submit({
      campaign_id: campaign,
      proof: [proof],
      finished_datetime,
    });
    tasks.push(task);
  }
  for (const proof of proofs) await world.ann.sees(place, new RegExp(proof));
  return { campaign, tasks };
}

const writes = async (task: string) =>
  (await world.marketplace.requests()).filter(
    ({ path, applied, form }) =>
      applied && path.includes('/rate_task') && JSON.stringify([path, form]).includes(task),
  );

test('a review has everything in one modal, and no input; Skip and Undo stay inside', async () => {
  const { tasks } = await waiting('Photo of a shelf', 'proof number one', 'proof number two');
  const [first = '', second = ''] = tasks;
  await world.setUndo(120);
  const view = await ann.start(place, 'PHOTO OF a shelf');
  expect(taskIn(view)).toBe(first);
  const text = textIn(view);
  for (const shown of [
    'Photo of a shelf',
    'proof number one',
    'Finished',
    '1 campaign',
    '*1* of this review, 1 more',
  ])
    expect(text).toContain(shown);
  expect(view).toMatchObject({ submit: { text: 'OK' }, notify_on_close: true });
  expect(view.blocks.filter(({ type }) => type === 'input')).toEqual([]);
  await ann.click('focus.skip');
  await ann.until((now) => taskIn(now) === second);
  expect(await ann.submit()).toMatchObject({ response_action: 'update' });
  expect(textIn(await ann.view())).toContain('You decided on *1 task*: 1 OK. You skipped 1.');
  await ann.click('focus.undo');
  const again = await ann.until((now) => taskIn(now) === second);
  expect(again.id).toBe(view.id);
  expect(textIn(again)).toContain('Your *OK* for this task was undone');
  await world.setUndo(1);
  await ann.decides('NOK', 'Nothing to be seen');
  await ann.opens('focus.skipped', 'focus.task');
  expect(taskIn(await ann.view())).toBe(first);
  await eventually('the rating', async () => (await ratingOf(second)) === 'NOK');
  expect(await writes(second)).toHaveLength(1);
  expect(await ratingOf(first)).toBe('NOTRATED');
});

test('Undo names its task, says when it comes too late, and is gone once it can do nothing', async () => {
  const { tasks } = await waiting('Late undo', 'proof of the first', 'proof of the second');
  const [, second = ''] = tasks;
  const undo = ({ blocks }: View) =>
    blocks
      .flatMap(
        ({ elements }) =>
          (elements ?? []) as { action_id?: string; value?: string; text?: { text: string } }[],
      )
      .find(({ action_id }) => action_id === 'focus.undo');
  const card = await world.ann.sees(place, /proof of the first/);
  await ann.start(place, 'Late undo');
  await ann.submit();
  const shown = await ann.until((view) => taskIn(view) === second);
  expect(undo(shown)?.text?.text).toMatch(/^Undo OK for \w+/);
  const worker = undo(shown)?.text?.text.replace('Undo OK for ', '') ?? '';
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await ann.click('focus.undo', undo(shown)?.value);
  const late = await ann.until((view) => textIn(view).includes(`Too late to undo: the task of ${worker}`));
  expect(taskIn(late)).toBe(second);
  expect(undo(late)).toBeUndefined();
  await ann.close();
  expect(undo(await ann.start(place, 'Late undo'))).toBeUndefined();
  await ann.close();
});

test('a bonus that turns out to be impossible leaves the task open, and the modal goes on', async () => {
  const { campaign, tasks } = await waiting('No bonus', 'proof of an unpaid bonus');
  const [task = ''] = tasks;
  await ann.start(place, campaign);
  await ann.opens('focus.more', 'focus.extras', `extras ${task}`);
  await ann.submit({ bonus: { value: '0.05' } });
  expect(textIn(await ann.view())).toContain('This task costs');
  // Slack answers who somebody is when the form is sent, and no more when the bonus is about to be reserved.
  const match = { method: 'users.info' };
  await world.slack.fault({ match, kind: 'latency', delayMs: 1 });
  await world.slack.fault({ match, kind: '500', times: 0 });
  try {
    await ann.click('focus.extras.confirm', 'confirm');
    await ann.until((view) => textIn(view).includes('You decided on no task. You skipped 1.'));
  } finally {
    await world.slack.clearFaults();
  }
  expect(await writes(task)).toEqual([]);
  await ann.opens('focus.skipped', 'focus.task');
  expect(taskIn(await ann.view())).toBe(task);
  await ann.submit();
  await eventually('the rating', async () => (await ratingOf(task)) === 'OK');
  expect(await world.marketplace.task(task)).toMatchObject({ bonus_worker_earned: '0.00000' });
});

test('a bonus, a favorite and the exclude list stay in the same modal', async () => {
  const { campaign, tasks } = await waiting('Extras', 'proof of a bonus', 'proof of an excluded worker');
  const [first = '', second = ''] = tasks;
  const { id } = await ann.start(place, campaign);
  await ann.opens('focus.more', 'focus.extras', `extras ${first}`);
  const values = { bonus: { value: '0.05' }, favorite: { value: 'add' } };
  expect(await ann.submit(values)).toMatchObject({ response_action: 'update' });
  expect(textIn(await ann.view())).toContain('This task costs');
  expect((await ann.view())?.submit).toBeNull();
  await ann.click('focus.extras.confirm', 'confirm');
  const next = await ann.until((view) => taskIn(view) === second);
  expect(next.id).toBe(id);
  await ann.opens('focus.more', 'focus.exclude', `exclude ${second}`);
  await ann.submit();
  const after = await ann.until(({ callback_id }) => callback_id === 'focus.task');
  expect(taskIn(after)).toBe(second);
  expect(textIn(after)).toContain('Excluded');
  await eventually('the rating', async () => (await ratingOf(first)) === 'OK');
  expect(await world.marketplace.task(first)).toMatchObject({ bonus_worker_earned: '0.05000' });
  expect(
    (await world.marketplace.state()).accounts.flatMap((account) => account.excluded_workers ?? []),
  ).toContain((await world.marketplace.task(second)).worker_id);
});

test('what is due first comes first, then what has waited longest', async () => {
  const calm = await waiting('Order of a calm one', 'the oldest proof', 'the second oldest proof');
  const urgent = await waiting('Order of an urgent one', 'an urgent proof');
  await setsTimeToRate(world.ann, place, urgent.campaign, 1);
  expect(taskIn(await ann.start(place, 'order of'))).toBe(urgent.tasks[0]);
  expect(textIn(await ann.view())).toContain('Due');
  await ann.submit();
  expect(taskIn(await ann.view())).toBe(calm.tasks[0]);
  await ann.submit();
  expect(taskIn(await ann.view())).toBe(calm.tasks[1]);
});

test('what one reviewer closes is free for the others at once', async () => {
  const last = await waiting('Given back', 'a lease that is given back');
  expect(taskIn(await ann.start(place, last.campaign))).toBe(last.tasks[0]);
  expect(taskIn(await ben.start(place, last.campaign))).toBeUndefined();
  await ann.close();
  await eventually('the task for Ben', async () => {
    // The view may have been shown anew before the click is there.
    if (taskIn(await ben.view()) === undefined) await ben.click('focus.again').catch(() => undefined);
    return taskIn(await ben.view()) === last.tasks[0];
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
  const [first = '', second = ''] = tasks;
  const benSees = async () => {
    const task = taskIn(await ben.start(place, campaign));
    if (task !== first) await ben.close();
    return task;
  };
  await ann.start(place, campaign);
  await ann.opens('focus.nok', 'focus.reason');
  const reason = await world.ann.modal(/Refuse this task/);
  const began = Date.now();
  while (Date.now() < began + 1.5 * focusLeaseMs) {
    const typedAt = Date.now();
    await reason.fill('Why is it refused?', `The label ${typedAt}`);
    const seen = await benSees();
    // Unless the machine itself made a pause.
    if (Date.now() < typedAt + focusLeaseMs) expect(seen).not.toBe(first);
  }
  await ann.opens('focus.back', 'focus.task');
  await eventually('the task for Ben', async () => (await benSees()) === first);
  await ben.decides('REVISE', 'Please again');
  expect(await ann.submit()).toMatchObject({ response_action: 'update' });
  const view = await ann.view();
  expect(textIn(view)).toMatch(/<@U02BEN> has already decided \*REVISE\* on this task/);
  expect([undefined, second]).toContain(taskIn(view));
  await eventually('the rating', async () => (await ratingOf(first)) === 'REVISE');
  expect(await writes(first)).toHaveLength(1);
});

test('a decision made on the card meanwhile is told, and the text of a lost race is given back', async () => {
  const { campaign, tasks } = await waiting('Race', 'decided on its card', 'shown after that');
  const [first = '', second = ''] = tasks;
  await ann.start(place, campaign);
  await ann.opens('focus.revise', 'focus.reason');
  const card = await world.ben.sees(place, /decided on its card/);
  await world.ben.clicks(card, 'OK');
  await card.untilText(/\*OK\* by @Ben/);
  await ann.submit({
    'comment.0': { 'task.comment.typed': 'A long reason that nobody wants to type again' },
  });
  const text = textIn(await ann.view());
  expect(text).toContain('<@U02BEN> has already decided *OK*');
  expect(text).toContain('A long reason that nobody wants to type again');
  expect(taskIn(await ann.view())).toBe(second);
  await eventually('the rating', async () => (await ratingOf(first)) === 'OK');
  expect(await writes(first)).toHaveLength(1);
});

test('a double click on OK rates one task, and says so on the next', async () => {
  const { campaign, tasks } = await waiting('Twice', 'meant by the first click', 'hit by the second');
  const [first = '', second = ''] = tasks;
  await ann.start(place, campaign);
  doubleClickMs = 60_000;
  await ann.submit();
  await ann.submit();
  doubleClickMs = 0;
  const view = await ann.view();
  expect(taskIn(view)).toBe(second);
  expect(textIn(view)).toContain('This task is not rated yet');
  await eventually('the rating', async () => (await ratingOf(first)) === 'OK');
  expect(await ratingOf(second)).toBe('NOTRATED');
  await ann.submit();
  await eventually('the rating', async () => (await ratingOf(second)) === 'OK');
});

test('the modal that is closed early ends with one summary, for whoever reviewed', async () => {
  const { campaign } = await waiting('Closed', 'one that is decided', 'one that is left');
  await ann.start(place, campaign);
  await ann.submit();
  const after =
    (await world.ann.reads(place))
      .map(({ ts }) => ts)
      .sort()
      .at(-1) ?? '';
  await ann.close();
  const said = await world.ann.sees(place, /You decided on/, { after });
  expect(said.ephemeral).toBe(true);
  expect(said.text).toContain('1 OK. 1 task is left.');
  await world.settled();
  const news = (await world.ann.reads(place)).filter(({ ts, ephemeral }) => ephemeral && ts > after);
  expect(news).toHaveLength(1);
});

test('Home’s first button and the shortcut start a review as well', async () => {
  await waiting('Everywhere', 'seen from everywhere');
  await world.ann.opensHome();
  const home = await world.ann.home(/Reviewing/);
  expect(home.buttons[0]).toMatch(/^Start review \(\d+ waiting/);
  await home.clicks(home.buttons[0] ?? '');
  await ann.until(({ callback_id }) => callback_id === 'focus.task');
  await ann.close();
  await world.ann.shortcut('start_review');
  await ann.until(({ callback_id }) => callback_id === 'focus.task');
  await ann.close();
});

test.each<FaultPoint>(['decided in focus review, not moved on', 'focus review moved on, nothing shown'])(
  'a review that is killed at “%s” loses nothing and repeats nothing',
  async (moment) => {
    const { campaign, tasks } = await waiting(moment, `killed in ${moment}`, `after ${moment}`);
    const [first = '', second = ''] = tasks;
    await ann.start(place, campaign);
    deadAt = moment;
    await ann.submit();
    expect(deadAt).toBeUndefined();
    // The modal still shows the first task: nobody answered it.
    await world.stopBots();
    await world.startBot();
    await ann.submit();
    await ann.until((view) => taskIn(view) === second);
    await eventually('the rating', async () => (await ratingOf(first)) === 'OK');
    expect(await writes(first)).toHaveLength(1);
    expect(await ratingOf(second)).toBe('NOTRATED');
  },
);

test('whoever decides before the first task is loaded sees the next one, also when the rest of the first comes late', async () => {
  const own = await startWorld({ timeouts: { doubleClickMs: 0 } });
  onTestFinished(() => own.close());
  const { marketplace, slack } = own;
  const reviewer = focusReviewer(own.slackUrl, 'U01ANN');
  const noDetails = await marketplace.fault({
    match: { path: 'get_task_info' },
    kind: 'latency',
    delayMs: 60_000,
    times: 0,
  });
  const { campaign_id: campaign } = await marketplace.addCampaign({
    title: 'Unloaded',
    status: 'RUNNING',
    available_positions: 100,
  });
  const tasks = await marketplace.submit({ campaign_id: campaign, count: 2 });
  await eventually('both to wait', async () => {
    await own.ann.opensHome();
    // Before the first poll Home says what the marketplace counts, which is not since when.
    return /\*2 tasks\* wait .* the oldest since/.test((await own.ann.home(/Reviewing/)).text);
  });
  const late = await slack.fault({
    match: { method: 'views.update' },
    kind: 'latency',
    delayMs: 60_000,
  });
  const lateUpdate = async () =>
    (await slack.requests({ method: 'views.update' })).find(({ fault }) => fault === 'latency');

  const first = taskIn(await reviewer.start(place, campaign));
  const second = tasks.find((task) => task !== first);
  await marketplace.clearFaults(noDetails);
  await eventually('the rest of the first task to be under way', lateUpdate);
  await reviewer.submit();
  await reviewer.until((view) => taskIn(view) === second);
  await slack.clearFaults(late);
  await eventually('Slack to show it', async () => (await lateUpdate())?.ok);
  await reviewer.until((view) => taskIn(view) === second);
  await reviewer.close();
});
