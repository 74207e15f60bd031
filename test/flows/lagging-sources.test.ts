import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { worldPerTest } from '../harness/world-per-test.ts';

const place = 'C01REVIEW';
const submitted = '2026-01-05 10:00:00';
const scenario = { campaigns: [{ campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' }] };
const worlds = worldPerTest({ scenario });
const results = { path: 'results_csv' };

/** A world in which a task has its card; nothing of it is known outside of the test. */
async function withCard(proof = 'blurred') {
  const world = await worlds.begin();
  const { ann, marketplace } = world;
  const [task = ''] = await marketplace.submit({
    campaign_id: 'c0ffee01',
    proof: [proof],
    finished_datetime: submitted,
  });
  const card = await ann.sees(place, new RegExp(proof));
  const cards = async () => (await ann.reads(place)).filter(({ ephemeral }) => !ephemeral);
  return { ...world, task, card, cards };
}

/** How soon after a rating the results are not trusted in any case, and a bit. */
const notTrustedMs = 2_500;

/** Waits until the results have been read late enough after now to be believed. */
async function resultsBelieved(): Promise<void> {
  const { marketplace } = worlds.current();
  const from = Date.now() + notTrustedMs;
  await eventually(
    'the results were read',
    async () =>
      (await marketplace.requests()).some(
        ({ path, status, at }) => path.includes('results_csv') && status !== null && Date.parse(at) > from,
      ),
    30_000,
  );
}

describe('results that lag behind ratings', () => {
  test('open no second card for a task that was just rated, and nothing is said', async () => {
    const { ann, marketplace, card, cards } = await withCard();
    await marketplace.fault({ match: results, kind: 'stale', lagSeconds: 60, times: 0 });
    await ann.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by/);
    const before = (await cards()).map(({ text }) => text);
    await resultsBelieved();
    expect((await cards()).map(({ text }) => text)).toEqual(before);
  });
});
