import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { afterEach, expect, test } from 'vitest';
import { pixel, proofFile, shelf } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

let made = 0;
/** A picture like no other, so that no card tells of another one with the same. */
const picture = () => {
  made += 1;
  return proofFile(`shelf-${made}.png`, Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.of(made)]));
};

const world = sharedWorld({
  scenario: { campaigns: [shelf] },
  // As in production: a poll renders nothing again that waits for Slack.
  timeouts: { requeueAfterMs: 5_000 },
});
afterEach(() => world.slack.settings({ fileReadyMs: [300, 2_000] }));

const cardWith = (proof: string, count: number) =>
  world.card(proof, { files: Array.from({ length: count }, picture) });

const untilPicture = (card: Seen) => card.until(({ pictures }) => pictures.length === 1);
const calls = async () =>
  (await world.slack.requests({ direction: 'in' })).filter(({ method }) => /^(chat|files)\./.test(method));

test('pictures that Slack cannot show yet are on the card from the first moment, with at most eight calls for three of them', async () => {
  await world.slack.clearRequests();
  const card = await cardWith('three at once', 3);
  expect(card.pictures).toHaveLength(1);
  await world.settled();
  const made = (await calls()).map(({ method, ok }) => `${method} ${ok}`);
  expect(made.length, made.join('\n')).toBeLessThanOrEqual(8);
  expect((await calls()).filter(({ error }) => error === 'invalid_blocks')).toEqual([]);
});

test('pictures that Slack cannot show yet are added when Slack is slower than usual; until then only these are missing', async () => {
  await world.slack.clearRequests();
  await world.slack.settings({ fileReadyMs: [3_000, 3_000] });
  const card = await cardWith('slow ones', 3);
  expect(card.pictures).toEqual([]);
  expect(card.buttons).toContain('3 pictures…');
  await untilPicture(card);
  await world.settled();
  const made = (await calls()).map(({ method, ok }) => `${method} ${ok}`);
  expect(made.length, made.join('\n')).toBeLessThanOrEqual(8);
});

test('pictures that Slack cannot show yet are left out of the form of all pictures alone, and are there when it is opened again', async () => {
  const card = await cardWith('five of them', 5);
  await untilPicture(card);
  await world.slack.settings({ fileReadyMs: [4_000, 4_000] });
  const form = await world.ann.opens(card, '5 pictures…', /Files of this task/);
  await form.until((now) => now.pictures.length === 3 && !now.text.includes('Loading'));
  await form.close();
  await expect
    .poll(async () => {
      const again = await world.ann.opens(card, '5 pictures…', /Files of this task/);
      await again.until((now) => now.pictures.length > 0 && !now.text.includes('Loading'));
      const count = again.pictures.length;
      await again.close();
      return count;
    })
    .toBe(5);
  // They are in the form alone.
  expect(await card.thread()).toEqual([]);
});
