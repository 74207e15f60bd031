import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningApp, startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { bulkReviewer } from '../harness/bulk-reviewer.ts';
import { eventually } from '../harness/eventually.ts';
import { textIn } from '../harness/focus-reviewer.ts';
import type { Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.60000',
  available_positions: 1000,
} as const;
const place = 'C01REVIEW';

let world: World;
let second: RunningApp;

beforeAll(async () => {
  world = await startWorld({
    scenario: { campaigns: [shelf] },
    env: { UNDO_SECONDS: '0', OPEN_CARDS: '0', ACCOUNT_OWNERS: 'U01ANN' },
  });
  // Of two processes each takes a part of what is done.
  second = await startApp(
    { ...readConfig({ ...world.environment, PORT: '0' }), pollSeconds: 0.4 },
    { logger: createLogger('silent', [], { write: () => undefined }) },
  );
  const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['his'] });
  const his = await cardOf(task);
  await world.ben.clicks(his, 'OK');
  await his.untilText(/:white_check_mark: \*OK\* by @Ben/);
  await world.ann.types(place, '/proofdesk settings');
  await (await world.ann.modal(/Owners/)).clicks('Second looks');
  const form = await world.ann.modal(/How many decisions wait/);
  await form.select('How many decisions wait', '0');
  await form.fill('Also every bonus above', '0.20');
  await form.select('Bulk ratings', ['bulk']);
  expect((await form.submit()).errors).toBeUndefined();
});
afterAll(async () => {
  await second?.stop();
  await world?.close();
});

const cardOf = (task: string) =>
  eventually('its card', async () =>
    (await world.ann.reads(place)).find(({ raw }) => raw.metadata?.event_payload.task === task),
  );
const taskOf = (task: string) => world.marketplace.task(task);
/** Returns a task once it has a rating. */
const rated = (task = '', rating: string) =>
  eventually(`the rating ${rating}`, async () => {
    const found = await taskOf(task);
    return found.task_rating === rating && found;
  });

async function refuses(by: World['ann'], card: Seen, reason: string): Promise<void> {
  await by.clicks(card, 'NOK');
  const form = await by.modal(/Refuse this task/);
  await form.fill('Why is it refused?', reason);
  await form.submit();
}

test('a bonus above the sum waits until somebody agrees, and is paid once; one below goes at once', async () => {
  const tasks = await world.marketplace.submit({ campaign_id: shelf.campaign_id, count: 2 });
  for (const [index, bonus] of ['0.30', '0.10'].entries()) {
    const card = await cardOf(tasks[index] ?? '');
    await world.ann.chooses(card, '…', 'OK with bonus or favorite');
    const form = await world.ann.modal(/OK with extras/);
    await form.fill('Bonus', bonus);
    await form.submit();
    await (await world.ann.modal(/payment 0\.60 \+ bonus/)).submit();
    if (index === 1) {
      await card.untilText(/:white_check_mark: \*OK\* by @Ann.*with a bonus of 0\.10/);
      continue;
    }
    await card.untilText(/Waits for a second look by somebody other than @Ann/);
    expect(JSON.stringify(card.blocks)).not.toContain('0.30');
    expect((await taskOf(tasks[0] ?? '')).task_rating).toBe('NOTRATED');
    await world.ben.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by @Ann.*with a bonus of 0\.30.*second look by @Ben/s);
  }
  for (const [index, bonus] of ['0.30000', '0.10000'].entries())
    await eventually('the bonus', async () => {
      const { bonus_worker_earned: earned } = await taskOf(tasks[index] ?? '');
      return earned === bonus;
    });
});

test('every NOK of a bulk rating waits: those that a colleague refuses too are sent with the first comment, and one differs', async () => {
  const tasks = await world.marketplace.submit({
    campaign_id: shelf.campaign_id,
    count: 3,
    // Too short to look like one another.
    proof: ['a shelf'],
  });
  const cards = await Promise.all(tasks.map(cardOf));
  const ann = bulkReviewer(world.slackUrl, 'U01ANN');
  await eventually('3 tasks', async () => {
    await world.ann.opensHome();
    await (await world.ann.home(/Reviewing/)).clicks('Select…');
    const page = await ann.until(({ callback_id }) => callback_id === 'bulk.page');
    return textIn(page).includes('of 3 that wait');
  });
  await ann.presses('bulk.tick-page', 'tick');
  await ann.decides('NOK');
  await ann.submits();
  const message = await world.ann.sees('D01ANN', /Deciding|decided|rated/);
  for (const card of cards) await card.untilText(/Waits for a second look by somebody other than @Ann/);
  await message.untilText(/3 .*not sent yet|waits for a second look/i);
  for (const task of tasks) expect((await taskOf(task)).task_rating).toBe('NOTRATED');

  const [agreed, otherwise, undone] = cards as [Seen, Seen, Seen];
  await refuses(world.ben, agreed, 'What Ben says');
  await agreed.untilText(/\*NOK\* by @Ann.*second look by @Ben/s);
  const refused = await rated(tasks[0], 'NOK');
  expect(refused.employer_comment).not.toBe('');
  expect(refused.employer_comment).not.toContain('Ben');

  await world.ben.clicks(otherwise, 'OK');
  await otherwise.untilText(/@Ann.*NOK.*@Ben.*OK/s);
  await world.chloe.clicks(otherwise, 'OK');
  await otherwise.untilText(/:white_check_mark: \*OK\* by @Chl/);
  await rated(tasks[1], 'OK');

  await world.ann.clicks(undone, 'Undo');
  await undone.until(({ buttons }) => !buttons.includes('Undo'));
  expect(undone.text).not.toMatch(/second look/);
  expect((await taskOf(tasks[2] ?? '')).task_rating).toBe('NOTRATED');
});
