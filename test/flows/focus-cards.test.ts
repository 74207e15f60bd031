import { afterAll, beforeAll, expect, test } from 'vitest';
import type { View } from '../../src/sandbox/slack/index.ts';
import { eventually } from '../harness/eventually.ts';
import { type FocusReviewer, focusReviewer, taskIn, textIn } from '../harness/focus-reviewer.ts';
import { createWorld, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  available_positions: 100,
} as const;
const place = 'C01REVIEW';
const picture = {
  filename: 'shelf.png',
  content_type: 'image/png',
  base64: Buffer.from('a picture').toString('base64'),
};

const fivePictures = [1, 2, 3, 4, 5].map((number) => ({ ...picture, filename: `shelf-${number}.png` }));
const receipt = {
  filename: 'receipt.pdf',
  content_type: 'application/pdf',
  base64: Buffer.from('a receipt').toString('base64'),
};

let world: World;
let ann: FocusReviewer;
/** Tasks without a card, the oldest first: one that is older has the only card. */
const tasks: string[] = [];
let first: string;

beforeAll(async () => {
  world = await createWorld({
    scenario: { campaigns: [shelf] },
    env: { UNDO_SECONDS: '0', OPEN_CARDS: '1' },
  });
  const oldest = { campaign_id: shelf.campaign_id, finished_datetime: '2026-01-01 00:00:00' };
  const [carded = ''] = await world.marketplace.submit(oldest);
  for (let hour = 1; hour <= 6; hour++) {
    const finished_datetime = `2026-02-01 0${hour}:00:00`;
    const files = hour < 4 ? [] : hour < 6 ? [picture] : [...fivePictures, receipt];
    const proof =
      hour < 6 ? ['A shelf'] : [`See https://bank.example@evil.example/login and ${'x'.repeat(40)}`];
    const about = { campaign_id: shelf.campaign_id, finished_datetime, files, proof };
    const [task = ''] = await world.marketplace.submit(about);
    tasks.push(task);
  }
  await world.startBot();
  await world.ann.sees(place, /6 more tasks wait for review/);
  await eventually('its card', async () => cardOf(carded));
  first = carded;
  ann = focusReviewer(world.slackUrl, 'U01ANN');
});
afterAll(() => world?.close());

const cardOf = async (task: string) =>
  (await world.ann.reads(place)).find(({ raw }) => raw.metadata?.event_payload.task === task);
const pictures = (view: View | undefined) => (view?.blocks ?? []).filter(({ type }) => type === 'image');

test('the summary of what has no card starts a review', async () => {
  const summary = await world.ann.sees(place, /6 more tasks wait for review/);
  await world.ann.clicks(summary, 'Start review');
  expect(taskIn(await ann.until(({ callback_id }) => callback_id === 'focus.task'))).toBe(first);
  await ann.submit();
  expect(taskIn(await ann.until((now) => taskIn(now) !== first))).toBe(tasks[0]);
});

test('a decision that the marketplace refuses, and one that is overtaken, get a card that tells whoever decided', async () => {
  const [refused = '', overtaken = '', fine = ''] = tasks;
  // The decision before must not meet the fault.
  await eventually('the rating', async () => (await world.marketplace.task(first)).task_rating === 'OK');
  await world.marketplace.fault({
    match: { path: 'rate_task' },
    kind: 'error',
    error: 'TASK NOT IN THIS CAMPAIGN',
  });
  await ann.submit();
  const card = await eventually('the card', async () => cardOf(refused));
  await card.untilText(/\*OK\* by @Ann Reyes was not accepted/);
  expect(card.buttons).toContain('REVISE');

  expect(taskIn(await ann.view())).toBe(overtaken);
  // Decided here first: a look that finds the other rating before leaves nothing to decide.
  await world.marketplace.fault({ match: { path: 'rate_task' }, kind: 'latency', delayMs: 12_000 });
  await ann.submit();
  await eventually('ours to be on its way', async () =>
    (await world.marketplace.requests()).some(
      ({ path, status }) => path.includes('rate_task') && status === null,
    ),
  );
  await world.marketplace.rate(overtaken, 'NOK', 'by somebody else');
  await world.marketplace.clearFaults();
  const told = await eventually('the card', async () => cardOf(overtaken));
  await told.untilText(/rated outside of Slack/);
  expect(told.text).toMatch(/@Ann Reyes had decided OK/);

  expect(taskIn(await ann.view())).toBe(fine);
  await ann.submit();
  await eventually('the rating', async () => (await world.marketplace.task(fine)).task_rating === 'OK');
  expect(await cardOf(fine)).toBeUndefined();
});

test('pictures are shown; what Slack refuses is left out, and its files are fetched into the thread', async () => {
  const [, , , shown = '', next = ''] = tasks;
  const view = await ann.until((now) => taskIn(now) === shown && pictures(now).length > 0);
  expect(pictures(view)).toHaveLength(1);
  expect(textIn(view)).toContain('shelf.png');

  await world.slack.fault({
    match: { method: 'views.update' },
    kind: 'error',
    error: 'invalid_arguments',
    times: 1,
  });
  await ann.click('focus.skip');
  const without = await ann.until((now) => taskIn(now) === next);
  expect(pictures(without)).toEqual([]);
  expect(textIn(without)).toContain('shelf.png');
  expect(textIn(without)).toContain('could not be shown here');
  expect(textIn(without)).toContain('"1 picture"');

  expect(await cardOf(next)).toBeUndefined();
  await ann.opens('focus.more', 'task.files', `files ${next}`);
  // Its card is posted first: files go to its thread.
  await ann.until((now) => textIn(now).includes('task.files.fetch'));
  await ann.click('task.files.fetch');
  const card = await eventually('its card', async () => cardOf(next));
  await eventually('the file in the thread', async () =>
    (await card.thread()).some(({ files }) => files.length > 0),
  );
});

test('pictures beyond three are counted and opened together, and links show where they lead, without any card', async () => {
  const last = tasks[5] ?? '';
  await ann.back();
  await ann.click('focus.skip');
  const view = await ann.until((now) => taskIn(now) === last && pictures(now).length > 0);
  expect(pictures(view)).toHaveLength(3);
  expect(textIn(view)).toContain('"2 more pictures"');
  await ann.opens('focus.pictures', 'focus.pictures');
  const all = await ann.until((now) => pictures(now).length > 0);
  expect(pictures(all).map(({ alt_text }) => alt_text)).toEqual(
    [1, 2, 3, 4, 5].map((number) => `Proof file ${number}: shelf-${number}.png`),
  );
  await ann.back();

  expect(textIn(await ann.view())).not.toContain('"url"');
  const links = await ann.opens('focus.links', 'task.links');
  expect(textIn(links)).toMatch(/Host: `evil\.example`.*bank\.example@evil\.example\/login.*"url"/);
  await ann.back();
  expect(taskIn(await ann.view())).toBe(last);
  expect(await cardOf(last)).toBeUndefined();
});

test('a file opens in two clicks, in the thread of the card that it gets', async () => {
  await ann.opens('focus.files', 'task.files');
  const opened = await ann.until((now) => textIn(now).includes('"Open"'));
  expect(textIn(opened)).toMatch(/receipt\.pdf.*In the card’s thread.*"url"/);
  const card = await eventually('its card', async () => cardOf(tasks[5] ?? ''));
  expect((await card.thread()).flatMap(({ files }) => files).map(({ name }) => name)).toEqual([
    'receipt.pdf',
  ]);
  await ann.back();
  await ann.submit();
  await eventually(
    'the rating',
    async () => (await world.marketplace.task(tasks[5] ?? '')).task_rating === 'OK',
  );
});
