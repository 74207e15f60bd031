import type { Lie } from '@proofdesk/marketplace-sandbox';
import { expect, test } from 'vitest';
import { place, rates, shelf, survey as usual } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const survey = { ...usual, title: 'Survey', tasks: { NOTRATED: 1 } } as const;
const { world, begin, create } = worldPerTest({ scenario: { campaigns: [shelf, survey] }, pollSeconds: 0.2 });
const results = { path: `results_csv/${shelf.campaign_id}` };

/** The messages of the channel that match. */
const shown = (pattern: RegExp) => world.posts(pattern);

test('results that are not what was asked for, inside SUCCESS, are no complete read: tasks still appear once they are readable', async () => {
  const { ann, marketplace } = await begin();
  await ann.sees(place, /Survey/);
  const headless: readonly Lie[] = ['no csv', 'no header', 'other columns', 'cut end'];
  const lies: readonly Lie[] = [...headless, 'fewer rows', 'unreadable rows', 'other campaign'];
  for (const lie of lies) {
    await marketplace.fault({ match: results, kind: 'lie', lie, times: 1 });
    await world.card(`submitted: ${lie}`);
  }
  expect(await shown(/Survey/)).toHaveLength(1);
  for (const lie of lies) expect(await shown(new RegExp(`submitted: ${lie}`))).toHaveLength(1);
  // On a slow machine, three such reads may come in a row, of which people are told, or a task may wait for room for a moment.
  const others = (await shown(/Photo of a shelf/)).filter(({ text }) => !text.includes('submitted: '));
  for (const { text } of others) expect(text).toMatch(/read completely|wait|counted/);
});

test('people are told after the third time, with what was wrong, and when it is over', async () => {
  const { ann, marketplace } = await begin();
  await ann.sees(place, /Survey/);
  const lie = await marketplace.fault({ match: results, kind: 'lie', lie: 'no csv', times: 0 });
  await world.submit('a new one');
  await ann.sees(place, /results of \*Photo of a shelf\* cannot be read completely: they have no table of/);
  expect((await marketplace.calls(results.path)).length).toBeGreaterThanOrEqual(3);
  await marketplace.polls(1, results.path);
  expect(await shown(/cannot be read completely/)).toHaveLength(1);

  await ann.types(place, '/campaign results c0ffee01');
  await ann.sees('D01ANN', /results are incomplete: the marketplace’s results have no table of tasks/);

  await marketplace.clearFaults(lie);
  await ann.sees(place, /a new one/);
  await ann.sees(place, /results of \*Photo of a shelf\* can be read in full again/);
  // Complete is complete: nothing is read again while nothing changes.
  await marketplace.clearRequests();
  await marketplace.polls(3, 'list_extend');
  expect(await marketplace.calls('results_csv')).toEqual([]);
});

test('good rows are used, and a missing row proves nothing', async () => {
  const { marketplace } = await begin();
  const ids = await world.submit('early', { count: 2 });
  await eventually('the cards', async () => (await shown(/early/)).length === 2);
  await marketplace.fault({ match: results, kind: 'lie', lie: 'fewer rows', times: 0 });
  await world.submit('late', { count: 2 });
  await marketplace.rate(ids[0] ?? '', 'NOK', 'Not the shelf');
  await eventually('the rating', async () => (await shown(/NOK\*, rated outside of Slack/)).length === 1);
  expect(await shown(/late/)).toEqual([]);
  const [open] = await shown(/early/);
  expect(open?.buttons).toContain('OK');
  await marketplace.clearFaults();
  await eventually('the others', async () => (await shown(/late/)).length === 2);
});

test('a message that an incomplete list lacks was not moved to the trash', async () => {
  const { ann, marketplace } = await begin();
  for (const subject of ['First letter', 'Second letter']) await marketplace.write({ subject });
  const first = await ann.sees(place, /First letter/);
  await ann.sees(place, /Second letter/);
  for (const lie of ['fewer items', 'unreadable items'] as const) {
    const fault = await marketplace.fault({ match: { path: 'messages/list' }, kind: 'lie', lie, times: 0 });
    await marketplace.polls(3, 'messages/list');
    if (lie === 'unreadable items') {
      await ann.sees(place, /list of messages cannot be read completely: 1 of 2/);
      // What Slack does not take at first is told at a later read.
      const match = { method: 'chat.postMessage' };
      await world.slack.fault({ match, kind: 'error', error: 'internal_error', times: 1 });
    }
    await marketplace.clearFaults(fault);
  }
  await ann.sees(place, /list of messages can be read in full again/);
  expect(await shown(/list of messages can be read in full again/)).toHaveLength(1);
  expect((await shown(/letter/)).map(({ text }) => text).join()).not.toMatch(/trash/i);
  expect(first.buttons.length).toBeGreaterThan(0);
});

test('a list that is empty all at once takes no campaign away: its cards still say which it is', async () => {
  const { ann, marketplace } = await begin();
  const card = await ann.sees(place, /Survey/);
  const none = { kind: 'error', error: 'NO CAMPAIGNS', times: 0 } as const;
  await marketplace.fault({ match: { path: 'list_extend' }, ...none });
  await marketplace.polls(2, 'list_extend');
  await ann.clicks(card, 'OK', /OK\* by @Ann.*Survey/s);
});

test('a campaign whose counts are null waits, and is named; the others go on', async () => {
  const other = { campaign_id: 'facade03', title: 'Receipt', status: 'RUNNING' } as const;
  const scenario = { campaigns: [shelf, other, { ...survey, tasks: {} }] };
  const { ann, marketplace } = await begin({ scenario });
  // The last of the list has the nulls.
  const { campaign_id } = survey;
  await world.card('before', { campaign_id });
  const lie = { kind: 'lie', lie: 'null counts', times: 0 } as const;
  const fault = await marketplace.fault({ match: { path: 'list_extend' }, ...lie });
  await world.submit('it waits', { campaign_id });
  await world.card('a shelf goes on');
  await world.card('a receipt goes on', { campaign_id: other.campaign_id });
  await ann.sees(place, /2 of 3 campaigns can be read, but not Survey \(decade02\)\./);
  expect(await shown(/it waits/)).toEqual([]);
  await marketplace.clearFaults(fault);
  await ann.sees(place, /it waits/);
  await ann.sees(place, /list of campaigns can be read in full again/);
});

test('a campaign that the first list lacks belongs to the backlog all the same', async () => {
  const scenario = {
    campaigns: [
      { ...shelf, available_positions: 100, tasks: { NOTRATED: 25 } },
      { ...survey, tasks: { NOTRATED: 2 } },
    ],
  };
  const { ann, marketplace } = await create({ scenario });
  await marketplace.fault({ match: { path: 'list_extend' }, kind: 'lie', lie: 'fewer items', times: 2 });
  await world.startBot();
  const counted = async () =>
    (await ann.reads(place))
      .map(({ text }) => Number(/(\d+) more tasks? waiting/.exec(text)?.[1] ?? 0))
      .reduce((sum, count) => sum + count, 0);
  await eventually('all 27 tasks to have a card or be counted', async () => (await counted()) === 7);
});

/** A world in which a task has its card; nothing of it is known outside of the test. */
async function withCard() {
  const { ann, marketplace } = await begin({ scenario: { campaigns: [shelf] } });
  const { task, card } = await world.taskWithCard('blurred', { finished_datetime: '2026-01-05 10:00:00' });
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
