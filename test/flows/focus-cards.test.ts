import type { SeenView } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, expect } from 'vitest';
import { aReview, opensReason, place, proofFile, paidShelf as shelf } from '../harness/acts.ts';
import { createWorld, eventually, sharedWorld, story } from '../harness/worlds.ts';

const fivePictures = [1, 2, 3, 4, 5].map((number) => proofFile(`shelf-${number}.png`, 'a picture'));

let review: SeenView;
/** Tasks without a card, the oldest first: one that is older has the only card. */
const tasks: string[] = [];
let first: string;

const world = sharedWorld({ scenario: { campaigns: [shelf] }, env: { OPEN_CARDS: '1' } }, createWorld);
beforeAll(async () => {
  [first = ''] = await world.submit('Shelf of January', { finished_datetime: '2026-01-01 00:00:00' });
  const files = [proofFile('shelf.png', 'a picture')];
  for (let hour = 1; hour < 6; hour++) {
    const finished_datetime = `2026-02-01 0${hour}:00:00`;
    const about = { finished_datetime, files: hour < 4 ? [] : files };
    tasks.push(...(await world.submit(`Shelf of hour ${hour}`, about)));
  }
  const last = {
    finished_datetime: '2026-02-01 06:00:00',
    files: [...fivePictures, proofFile('receipt.pdf', 'a receipt')],
  };
  tasks.push(
    ...(await world.submit(`See https://bank.example@evil.example/login and ${'x'.repeat(40)}`, last)),
  );
  await world.startBot();
  await world.ann.sees(place, /6 more tasks waiting/);
  await eventually('its card', async () => cardOf(first));
});

const cardOf = async (task: string) =>
  (await world.ann.reads(place)).find(({ raw }) => raw.metadata?.event_payload.task === task);
const shows = (proof: string) => review.until(({ text }) => text.includes(proof));

story(
  'a review of tasks without cards shows everything there is, and posts a card only where one is needed',
  {
    'the summary of what has no card starts a review': async () => {
      const summary = await world.ann.sees(place, /6 more tasks waiting/);
      await world.ann.clicks(summary, 'Start review');
      review = await world.ann.modal(aReview);
      expect(review.text).toContain('Shelf of January');
      await review.submit();
      await review.until(({ text }) => !text.includes('Shelf of January'));
      expect(review.text).toContain('Shelf of hour 1');
    },

    'a decision that the marketplace refuses, and one that is overtaken, get a card that tells whoever decided':
      async () => {
        const [refused = '', overtaken = '', fine = ''] = tasks;
        // The decision before must not meet the fault.
        await world.marketplace.rated(first, 'OK');
        await world.marketplace.refuses('rate_task', 'TASK NOT IN THIS CAMPAIGN');
        await review.submit();
        const card = await eventually('the card', async () => cardOf(refused));
        await card.untilText(/\*OK\* by @Ann Reyes was rejected/);
        expect(card.buttons).toContain('REVISE');

        await shows('Shelf of hour 2');
        // Decided here first: a look that finds the other rating before leaves nothing to decide.
        await world.marketplace.delays('rate_task', 12_000);
        await review.submit();
        await eventually('ours to be on its way', async () =>
          (await world.marketplace.requests()).some(
            ({ path, status }) => path.includes('rate_task') && status === null,
          ),
        );
        await world.marketplace.rate(overtaken, 'NOK', 'by somebody else');
        await world.marketplace.clearFaults();
        const told = await eventually('the card', async () => cardOf(overtaken));
        await told.untilText(/rated outside of Slack/);
        expect(told.text).toMatch(/@Ann Reyes’s OK/);

        await shows('Shelf of hour 3');
        await review.submit();
        await world.marketplace.rated(fine, 'OK');
        expect(await cardOf(fine)).toBeUndefined();
      },

    'pictures are shown; what Slack refuses is left out, and its files are fetched into the thread':
      async () => {
        const [, , , , next = ''] = tasks;
        await review.until(({ text, pictures }) => text.includes('Shelf of hour 4') && pictures.length > 0);
        expect(review.pictures).toHaveLength(1);
        expect(review.text).toContain('Files: shelf.png');
        await opensReason(review, 'NOK');
        expect(review.pictures).toHaveLength(1);
        await review.clicks('Back to the task', /Files: shelf\.png/);

        await world.slack.refuses('views.update', 'invalid_arguments', 1);
        await review.clicks('Skip');
        await shows('Shelf of hour 5');
        expect(review.pictures).toEqual([]);
        expect(review.text).toContain('shelf.png');
        expect(review.text).toContain('can’t be shown here');
        expect(review.buttons).toContain('Picture…');

        expect(await cardOf(next)).toBeUndefined();
        await review.select('…', 'Files…');
        // Its card is posted first: files go to its thread.
        const files = await world.ann.modal(/^Files of this task/);
        await files.until(({ buttons }) => buttons.includes('Post in thread'));
        await files.clicks('Post in thread');
        const card = await eventually('its card', async () => cardOf(next));
        await eventually('the file in the thread', async () =>
          (await card.thread()).some(({ files }) => files.length > 0),
        );
      },

    'pictures beyond three are counted and opened together, and links show where they lead, without any card':
      async () => {
        const last = tasks[5] ?? '';
        await (await world.ann.modal(/^Files of this task/)).close();
        await review.clicks('Skip');
        await review.until(({ text, pictures }) => text.includes('bank.example') && pictures.length > 0);
        expect(review.pictures).toHaveLength(3);
        expect(review.buttons).toContain('2 more pictures…');
        const all = await review.opens('2 more pictures…', /^Pictures of this task/);
        await all.until(({ pictures }) => pictures.length > 0);
        expect(all.pictures).toEqual(
          [1, 2, 3, 4, 5].map((number) => `Proof file ${number}: shelf-${number}.png`),
        );
        await all.close();

        expect((await review.refresh()).links).toEqual([]);
        const links = await review.opens('Open link…', /^Links in this proof/);
        expect(links.text).toMatch(/Host: `evil\.example`.*bank\.example@evil\.example\/login/s);
        expect(links.links).toHaveLength(1);
        await links.close();
        expect((await review.refresh()).text).toContain('bank.example');
        expect(await cardOf(last)).toBeUndefined();
      },

    'a file opens in two clicks, in the thread of the card that it gets': async () => {
      const files = await review.opens('Open file…', /^Files of this task/);
      await files.until(({ buttons }) => buttons.includes('Open'));
      expect(files.text).toMatch(/receipt\.pdf.*In the card’s thread/s);
      expect(files.links).not.toEqual([]);
      const card = await eventually('its card', async () => cardOf(tasks[5] ?? ''));
      expect((await card.thread()).flatMap(({ files }) => files).map(({ name }) => name)).toEqual([
        'receipt.pdf',
      ]);
      await files.close();
      await review.submit();
      await world.marketplace.rated(tasks[5] ?? '', 'OK');
    },
  },
);
