import { expect, test } from 'vitest';
import { place, rates, shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const submitted = '2026-01-05 10:00:00';
const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] }, pollSeconds: 0.2 });
const results = { path: 'results_csv' };

/** A world in which a task has its card; nothing of it is known outside of the test. */
async function withCard(proof = 'blurred') {
  const { ann, marketplace } = await begin();
  const { task, card } = await world.taskWithCard(proof, { finished_datetime: submitted });
  return { ann, marketplace, task, card, cards: () => world.posts(/./) };
}

/** How soon after a rating the results are not trusted in any case, and a bit. */
const notTrustedMs = 2_500;

/** Waits until the results have been read late enough after now to be believed. */
async function resultsBelieved(): Promise<void> {
  const from = Date.now() + notTrustedMs;
  const isRead = async () =>
    (await world.marketplace.calls('results_csv')).some(
      ({ status, at }) => status !== null && Date.parse(at) > from,
    );
  // Results that lag are read again at longer and longer intervals.
  await eventually('the results were read', isRead, 60_000);
}

test('results that lag behind ratings open no second card for a task that was just rated, and nothing is said', async () => {
  const { ann, marketplace, card, cards } = await withCard();
  await marketplace.fault({ match: results, kind: 'stale', lagSeconds: 60, times: 0 });
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by/);
  const before = (await cards()).map(({ text }) => text);
  await resultsBelieved();
  expect((await cards()).map(({ text }) => text)).toEqual(before);
});

test('a correction is told once both sources have it, and nothing of it before', async () => {
  const { ann, marketplace, task, card, cards } = await withCard();
  await rates(ann, card, 'REVISE', 'Hold it still');
  await card.untilText(/:leftwards_arrow_with_hook: \*REVISE\* by/);
  // Each source alone lags for a while: the results show the first submission, then get_task_info does.
  await marketplace.fault({ match: results, kind: 'stale', lagSeconds: 60, times: 0 });
  const info = { path: 'get_task_info' };
  await marketplace.fault({ match: info, kind: 'stale', lagSeconds: 60, times: 0 });
  await marketplace.correct(task, ['sharp']);
  await resultsBelieved();
  expect(await cards()).toHaveLength(1);
  await marketplace.clearFaults();
  const next = await ann.sees(place, /sharp/);
  expect(next.text).toMatch(/Resubmitted, round 2.*@Ann Reyes requested a revision: “Hold it still”/s);
  expect(await cards()).toHaveLength(2);
});

test('where get_task_info lags behind the results, a rating made elsewhere is told once both agree', async () => {
  const { marketplace, task, card } = await withCard();
  await marketplace.fault({ match: { path: 'get_task_info' }, kind: 'stale', lagSeconds: 60, times: 0 });
  await marketplace.rate(task, 'NOK', 'Not the shelf');
  const asked = async () => (await marketplace.calls('task_info')).filter(({ fault }) => fault).length;
  await eventually('it was asked', async () => (await asked()) >= 2);
  expect((await card.refresh()).buttons).toContain('OK');
  await marketplace.clearFaults();
  await card.untilText(/\*NOK\*, rated outside of Slack, seen .*“Not the shelf”/);
});
