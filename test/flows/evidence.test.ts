import type { Seen } from '@proofdesk/slack-sandbox/testing';
import sharp from 'sharp';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { datetime, hasTask, place, proofFile, startsReview } from '../harness/acts.ts';
import { alterations, screenshot } from '../harness/picture-corpus.ts';
import { seededRandom } from '../harness/text-corpus.ts';
import { eventually, sharedWorld, startWorld, type World } from '../harness/worlds.ts';

const campaigns = [
  { campaign_id: 'c0ffee01', title: 'Budget app', status: 'RUNNING', payment_per_task: '0.10000' },
  { campaign_id: 'c0ffee02', title: 'Tea shelf', status: 'RUNNING', payment_per_task: '0.10000' },
] as const;
const chart = 'The chart shows rent twice. After a restart of the app it was correct.';

/** A picture of one pixel, each with bytes of its own behind its end. */
const png = (mark: number) =>
  Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    ),
    Buffer.of(mark),
  ]);

// A window that is full would leave the last tasks without cards.
const world = sharedWorld({
  scenario: { campaigns },
  readsPictures: true,
  env: { OPEN_CARDS: '0' },
});
const { ann, ben, marketplace } = world;
let workers: string[];
beforeAll(async () => {
  workers = (await marketplace.state()).workers.map(({ worker_id }) => worker_id);
});

type Submitted = Parameters<World['marketplace']['submit']>[0];

let made = 0;

/** A worker submits; whatever is not told is theirs alone. */
async function taskOf(proof: string, more: Submitted = {}): Promise<{ task: string; card: Seen }> {
  made += 1;
  return world.taskWithCard(proof, {
    worker_id: workers[made] ?? '',
    ip: `198.51.${made}.7`,
    country: 'KE',
    user_agent: `Browser ${made}`,
    ...more,
  });
}
const cardOf = async (proof: string, more: Submitted = {}) => (await taskOf(proof, more)).card;

test('a card says what its task has in common with others: the same text and address, on the newer card and the older one; and shows them side by side', async () => {
  const ip = '203.0.113.7';
  const older = await cardOf(`${chart} <!channel>`, { ip });
  expect(older.buttons).not.toContain('Compare…');
  const again = `${chart.toUpperCase()}   <!channel>`;
  const newer = await cardOf(again, { campaign_id: 'c0ffee02', ip });
  // The strongest first, and whose task it is. The address is told, since it is evidence.
  await newer.untilText(/Same text as \S+\nSame IP as \S+/);
  await older.untilText(/· 203\.0\.113\.…[\s\S]*Same text as \S+\nSame IP as \S+/);
  // A third one is added to both.
  const third = await cardOf(chart.replace('rent', 'food'), { ip: '203.0.113.99' });
  await third.untilText(/Nearly the same text as \S+ and 1 more task\nSame network as \S+/);
  // Two lines; and no network where the address is the same.
  await older.untilText(/Same text as \S+\nNearly the same text as \S+ · same IP as/);
  expect(older.text).not.toContain('same network');
  // Nothing is decided, and what a reviewer clicks is where it was.
  expect(third.buttons.slice(-4)).toEqual(expect.arrayContaining(['OK', 'REVISE', 'NOK']));

  // Compare… shows them side by side, with what differs and links to their cards.
  const modal = await ann.opens(third, 'Compare…', /3 tasks, 3 workers, 2 campaigns/);
  expect(modal.text).toContain('Nearly the same text · same network');
  expect(modal.text).toMatch(/Budget app|Tea shelf/);
  expect(modal.text).toContain('Open its card');
  expect(modal.text).toContain('*food*');
  // What a worker wrote pings nobody.
  expect(modal.pings).not.toContain('@channel');
  // The connected ones are reviewed together, each of them seen.
  const selection = await modal.opens('Review together…', /similar tasks/);
  expect(selection.text.match(/shows (?:rent|food) twice/gi)).toHaveLength(3);
});

test('a card says what its task has in common with others: a worker in two countries within minutes, as focus review does', async () => {
  const worker = { worker_id: workers[50] ?? '' };
  const at = Date.now() - 3_600_000;
  const first = { ...worker, country: 'GR', finished_datetime: datetime(at) };
  await cardOf('from the first place', first);
  const other = { ...worker, country: 'EG', finished_datetime: datetime(at + 240_000) };
  const card = await cardOf('from the other place', { ...other, campaign_id: 'c0ffee02' });
  await card.untilText(/Same worker in Egypt and Greece within 4 minutes/);

  // Focus review says the same.
  const review = await startsReview(ben, place);
  await review.untilText(/in Egypt and Greece/);
  expect(hasTask(review)).toBe(true);
  const compared = await review.opens('Compare…', /\d tasks?, \d workers?, \d campaign/);
  await compared.opens('All their tasks', /Tasks with .*Tea shelf/s);
  await review.close({ all: true });
});

test('the same picture is shown and compared whatever type it is submitted as', async () => {
  const jpeg = await sharp(await screenshot({ app: 1, number: 3, seed: 5 }))
    .jpeg()
    .toBuffer();
  const types = ['image/jpeg', 'image/jpg', 'image/jpeg; charset=binary', 'application/octet-stream'];
  const cards: Seen[] = [];
  for (const [at, content_type] of types.entries()) {
    const files = [{ ...proofFile(`${at}.jpg`, jpeg), content_type }];
    cards.push(await cardOf(`an order of type ${at}`, { files }));
  }
  for (const card of cards) {
    const shown = await card.untilText(/Same picture as/);
    expect(shown.pictures).toHaveLength(1);
  }
  // A card does not change for every further copy.
  await cards.at(-1)?.untilText(/Same picture as \S+ and 2 more tasks/);
});

test('a picture that another one has replaced stands beside it on the corrected card, and in a review', async () => {
  const { task: id, card } = await taskOf('a dim shelf', { files: [proofFile('dim.png', png(5))] });
  await marketplace.rate(id, 'REVISE', 'With light, please');
  await card.untilText(/With light, please/);
  await marketplace.correct(id, ['a bright shelf'], { files: [proofFile('bright.png', png(6))] });
  const corrected = await ann.sees(place, /a bright shelf/);
  await corrected.until(({ pictures }) => pictures.length === 2);
  expect(corrected.pictures).toEqual(['Picture before', 'Proof file 1: bright.png']);
  expect(corrected.text).not.toContain('as before the correction');
  const review = await startsReview(ann, place, 'bright shelf');
  await review.until(({ pictures }) => pictures.join() === corrected.pictures.join());
  await review.close();

  // Nothing is changed by the next correction.
  await marketplace.rate(id, 'REVISE', 'Brighter still');
  await corrected.untilText(/Brighter still/);
  await marketplace.correct(id, ['a bright shelf']);
  const again = await ann.sees(place, /round 3/);
  expect(again.text).toContain('Same text as before the correction');
  expect(again.text).toContain('Same picture as before the correction');
  expect(again.pictures).toEqual(['Proof file 1: bright.png']);
});

test('two pictures that are too large to be shown are compared all the same, whatever they are called', async () => {
  const large = (name: string) => [proofFile(name, Buffer.concat([png(3), Buffer.alloc(5_200_000)]))];
  const older = await cardOf('a wide shelf', { files: large('large.png') });
  const newer = await cardOf('another wide one', { files: large('another large.png') });
  for (const card of [newer, older]) {
    const shown = await card.untilText(/Same picture as \S+/);
    expect(shown.pictures).toEqual([]);
    expect(shown.text).toContain('large.png');
  }
  await ann.opens(newer, 'Compare…', /Same picture/);
});

test('the same picture, saved in another way, is found and shown beside the other', async () => {
  const [original, copy, another] = await Promise.all([
    screenshot({ app: 1, number: 1, seed: 5 }),
    alterations.resized({ app: 1, number: 1, seed: 5 }, seededRandom(4)),
    screenshot({ app: 1, number: 2, seed: 5 }),
  ]);
  const older = await cardOf('a list of orders', { files: [proofFile('a.png', original)] });
  await cardOf('some other screen', { files: [proofFile('b.png', another)] });
  const newer = await cardOf('what was bought', { files: [proofFile('c.png', copy)] });
  await newer.untilText(/Same picture as \S+/);
  await older.untilText(/Same picture as \S+/);
  const modal = await ann.opens(newer, 'Compare…', /Same picture/);
  expect(modal.pictures.filter((shown) => shown.includes('The other task: a.png'))).toHaveLength(1);
});

test('the simulated workers of the demo show each kind of evidence within a round of turns', async () => {
  const own = await startWorld({ scenario: { campaigns }, env: { OPEN_CARDS: '0' } });
  onTestFinished(() => own.close());
  await own.marketplace.workers(true, 0.1);
  await eventually('a round of turns', async () => {
    const { tasks } = await own.marketplace.state();
    return tasks.length >= 9;
  });
  await own.marketplace.workers(false);
  const said = [/text as/i, /same code as/i, /same network as/i, /in Egypt and Greece within/];
  await eventually('each kind on a card', async () => {
    const cards = (await own.ann.reads(place)).map(({ text }) => text);
    return said.every((kind) => cards.some((text) => kind.test(text)));
  });
});
