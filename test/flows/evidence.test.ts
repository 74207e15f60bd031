import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import sharp from 'sharp';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { hasTask, place, startsReview } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { alterations, screenshot } from '../harness/picture-corpus.ts';
import { seededRandom } from '../harness/text-corpus.ts';
import { startWorld, type World } from '../harness/world.ts';
import { sharedWorld } from '../harness/worlds.ts';

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
let ann: Person;
let workers: string[];
beforeAll(async () => {
  ann = world.ann;
  workers = (await world.marketplace.state()).workers.map(({ worker_id }) => worker_id);
});

type Submitted = Parameters<World['marketplace']['submit']>[0];

let made = 0;

/** A worker submits; whatever is not told is theirs alone. Returns the card. */
async function cardOf(task: Submitted & { proof: string[] }, shown: RegExp): Promise<Seen> {
  made += 1;
  await world.marketplace.submit({
    campaign_id: 'c0ffee01',
    worker_id: workers[made] ?? '',
    ip: `198.51.${made}.7`,
    country: 'KE',
    user_agent: `Browser ${made}`,
    ...task,
  });
  return ann.sees(place, shown);
}

test('a card says what its task has in common with others: the same text and address, on the newer card and the older one; and shows them side by side', async () => {
  const older = await cardOf({ proof: [`${chart} <!channel>`], ip: '203.0.113.7' }, /the chart shows rent/i);
  expect(older.buttons).not.toContain('Compare…');
  const newer = await cardOf(
    { campaign_id: 'c0ffee02', proof: [`${chart.toUpperCase()}   <!channel>`], ip: '203.0.113.7' },
    /THE CHART SHOWS/,
  );
  // The strongest first, and whose task it is. The address is told, since it is evidence.
  await newer.untilText(/Same text as \S+\nSame IP as \S+/);
  await older.untilText(/· 203\.0\.113\.…[\s\S]*Same text as \S+\nSame IP as \S+/);
  // A third one is added to both.
  const third = await cardOf(
    { proof: [chart.replace('rent', 'food')], ip: '203.0.113.99' },
    /shows food twice/,
  );
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
  const finished = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  await cardOf(
    { ...worker, proof: ['from the first place'], country: 'GR', finished_datetime: finished(at) },
    /the first place/,
  );
  const card = await cardOf(
    {
      ...worker,
      campaign_id: 'c0ffee02',
      proof: ['from the other place'],
      country: 'EG',
      finished_datetime: finished(at + 240_000),
    },
    /the other place/,
  );
  await card.untilText(/Same worker in Egypt and Greece within 4 minutes/);

  // Focus review says the same.
  const review = await startsReview(world.ben, place);
  await review.untilText(/in Egypt and Greece/);
  expect(hasTask(review)).toBe(true);
  const compared = await review.opens('Compare…', /\d tasks?, \d workers?, \d campaign/);
  await compared.opens('All their tasks', /Tasks with .*Tea shelf/s);
  await review.close({ all: true });
});

test('a card says what its task has in common with others: the same bytes of a picture, whatever it is called', async () => {
  const base64 = png(1).toString('base64');
  const picture = (filename: string, content = base64) => [
    { filename, content_type: 'image/png', base64: content },
  ];
  const older = await cardOf(
    { proof: ['a shelf on the left'], files: picture('mine.png') },
    /shelf on the left/,
  );
  await cardOf(
    { proof: ['a shelf on its own'], files: picture('own.png', png(2).toString('base64')) },
    /on its own/,
  );
  const card = await cardOf(
    { proof: ['a shelf on the right'], files: picture('shelf 3.png') },
    /on the right/,
  );
  await card.untilText(/Same picture as \S+/);
  await older.untilText(/Same picture as \S+/);
  const modal = await ann.opens(card, 'Compare…', /2 tasks, 2 workers, 1 campaign/);
  expect(modal.pictures).toHaveLength(2);
});

test('the same picture is shown and compared whatever type it is submitted as', async () => {
  const jpeg = await sharp(await screenshot({ app: 1, number: 3, seed: 5 }))
    .jpeg()
    .toBuffer();
  const types = ['image/jpeg', 'image/jpg', 'image/jpeg; charset=binary', 'application/octet-stream'];
  const cards: Seen[] = [];
  for (const [at, content_type] of types.entries()) {
    const files = [{ filename: `${at}.jpg`, content_type, base64: jpeg.toString('base64') }];
    cards.push(await cardOf({ proof: [`an order of type ${at}`], files }, new RegExp(`of type ${at}`)));
  }
  for (const card of cards) {
    const shown = await card.untilText(/Same picture as/);
    expect(shown.pictures).toHaveLength(1);
  }
  // A card does not change for every further copy.
  await cards.at(-1)?.untilText(/Same picture as \S+ and 2 more tasks/);
});

test('a picture that comes back unchanged after a revision is said to be the same as before', async () => {
  const files = [{ filename: 'blurry.png', content_type: 'image/png', base64: png(4).toString('base64') }];
  const card = await cardOf({ proof: ['a blurry shelf'], files }, /blurry shelf/);
  const { tasks } = await world.marketplace.state();
  const id = tasks.find(({ proof }) => proof.join() === 'a blurry shelf')?.task_id ?? '';
  await world.marketplace.rate(id, 'REVISE', 'Sharper, please');
  await card.untilText(/Sharper, please/);
  await world.marketplace.correct(id, ['a sharp shelf']);
  const corrected = await ann.sees(place, /a sharp shelf/);
  expect(corrected.text).toContain('Same picture as before the correction');
});

test('a picture that another one has replaced stands beside it on the corrected card, and in a review', async () => {
  const file = (filename: string, size: number) => [
    { filename, content_type: 'image/png', base64: png(size).toString('base64') },
  ];
  const card = await cardOf({ proof: ['a dim shelf'], files: file('dim.png', 5) }, /dim shelf/);
  const { tasks } = await world.marketplace.state();
  const id = tasks.find(({ proof }) => proof.join() === 'a dim shelf')?.task_id ?? '';
  await world.marketplace.rate(id, 'REVISE', 'With light, please');
  await card.untilText(/With light, please/);
  await world.marketplace.correct(id, ['a bright shelf'], { files: file('bright.png', 6) });
  const corrected = await ann.sees(place, /a bright shelf/);
  await corrected.until(({ pictures }) => pictures.length === 2);
  expect(corrected.pictures).toEqual(['Picture before', 'Proof file 1: bright.png']);
  expect(corrected.text).not.toContain('as before the correction');
  const review = await startsReview(ann, place, 'bright shelf');
  await review.until(({ pictures }) => pictures.join() === corrected.pictures.join());
  await review.close();

  // Nothing is changed by the next correction.
  await world.marketplace.rate(id, 'REVISE', 'Brighter still');
  await corrected.untilText(/Brighter still/);
  await world.marketplace.correct(id, ['a bright shelf']);
  const again = await ann.sees(place, /round 3/);
  expect(again.text).toContain('Same text as before the correction');
  expect(again.text).toContain('Same picture as before the correction');
  expect(again.pictures).toEqual(['Proof file 1: bright.png']);
});

test('two pictures that are too large to be shown are compared all the same', async () => {
  const large = Buffer.concat([png(3), Buffer.alloc(5_200_000)]).toString('base64');
  const files = [{ filename: 'large.png', content_type: 'image/png', base64: large }];
  const older = await cardOf({ proof: ['a wide shelf'], files }, /wide shelf/);
  const newer = await cardOf({ proof: ['another wide one'], files }, /another wide/);
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
  const file = (filename: string, bytes: Buffer) => [
    { filename, content_type: 'image/png', base64: bytes.toString('base64') },
  ];
  const older = await cardOf({ proof: ['a list of orders'], files: file('a.png', original) }, /of orders/);
  await cardOf({ proof: ['some other screen'], files: file('b.png', another) }, /other screen/);
  const newer = await cardOf({ proof: ['what was bought'], files: file('c.jpg', copy) }, /was bought/);
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
