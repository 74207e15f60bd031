import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeEach, expect, test } from 'vitest';
import { place, proofFile, rates, shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const bowl = { campaign_id: 'c0ffee02', title: 'Photo of a bowl', status: 'RUNNING' } as const;

const { world, begin } = worldPerTest({
  scenario: { campaigns: [{ ...shelf, available_positions: 90 }, bowl] },
  env: { UNDO_SECONDS: '0', ACCOUNT_OWNERS: 'U01ANN', OPEN_CARDS: '5', RETENTION_DAYS: '0' },
  intervals: { retentionMs: 300, sweepMs: 500 },
});
const { ann, ben, chloe, marketplace, slack } = world;
beforeEach(() => begin());

/** Searches, and returns the answer, which is private. */
async function finds(person: Person, text: string): Promise<Seen> {
  const before = (await person.reads(place)).length;
  await person.types(place, `/proofdesk find ${text}`);
  return eventually(`an answer to ${text}`, async () =>
    (await person.reads(place)).slice(before).find(({ ephemeral }) => ephemeral),
  );
}

/** Searches until the answer reads so: what was just written elsewhere may not be stored yet. */
const findsInTheEnd = async (person: Person, text: string, pattern: RegExp) =>
  eventually(`${text} finds ${pattern}`, async () => {
    const answer = await finds(person, text);
    return pattern.test(answer.text) ? answer : undefined;
  });

test('a task is found by its proof, comment, note, file and worker, and its card is a link', async () => {
  const files = [proofFile('receipt-4711.png')];
  const { task, card } = await world.taskWithCard('cashew from the <!channel> market', { files });
  const { worker_id: worker } = await marketplace.task(task);
  const { workers } = await marketplace.state();
  const other = workers.find(({ worker_id }) => worker_id !== worker);
  await world.taskWithCard('nothing of that kind', { worker_id: other?.worker_id ?? '' });
  await findsInTheEnd(ann, 'receipt-4711', /File: receipt-4711\.png/);

  const notes = await ann.picks(card, 'Notes…', /Note for your colleagues/);
  await notes.submit({ 'Note for your colleagues': 'telephone the shopkeeper' });
  await card.untilText(/telephone the shopkeeper/);
  await rates(ann, card, 'NOK', 'illegible quantity');
  await card.untilText(/NOK\* by/);

  for (const [text, shown] of [
    ['CASHEW, market', /Proof: cashew from the <!channel> market/],
    ['shopkeeper', /Note: telephone the shopkeeper/],
    ['illegible cashew', /Comment: illegible quantity/],
    [worker, /Photo of a shelf/],
    [task, /cashew|Photo of a shelf/],
  ] as const) {
    const answer = await findsInTheEnd(ben, text, shown);
    expect(answer.text).not.toContain('nothing of that kind');
    expect(answer.text).toContain('Open its card');
    // What a worker wrote pings nobody.
    expect(answer.pings).not.toContain('@channel');
  }
  expect((await finds(ben, 'cashew unheard')).text).toMatch(/No task has “cashew unheard”/);
});

test('an address finds its network for whoever does not see whole addresses, and is never shown whole', async () => {
  await world.taskWithCard('address one', { ip: '203.0.113.7' });
  await world.taskWithCard('address two', { ip: '203.0.113.9' });
  const own = await findsInTheEnd(ann, '203.0.113.7', /203\.0\.113\.…/);
  expect(own.text).toContain('203.0.113.…');
  await findsInTheEnd(ann, '203.0.113.9', /203\.0\.113\.…/);
  const network = await finds(ben, '203.0.113.200');
  expect(network.text).toMatch(/whole network/);
  // What was asked for is repeated; nothing else of an address is shown.
  expect(own.sent()).not.toMatch(/203\.0\.113\.9/);
  expect(network.sent()).not.toMatch(/203\.0\.113\.[79]/);
  const rows = (seen: Seen) => seen.text.split('203.0.113.…').length - 1;
  expect([rows(own), rows(network)]).toEqual([1, 2]);
});

test('whoever may not see the account finds nothing', async () => {
  await world.taskWithCard('cashew from the market');
  await findsInTheEnd(ann, 'cashew', /Tasks with “cashew”/);
  await slack.userPatch('U03CHLOE', { is_restricted: true });
  expect((await finds(chloe, 'cashew')).text).not.toMatch(/Proof:|Tasks with/);
});

test('retention takes a task out of the index', async () => {
  const card = await world.card('walnuts in a bowl', { campaign_id: bowl.campaign_id });
  await findsInTheEnd(ann, 'walnuts', /Proof: walnuts in a bowl/);
  await ann.clicks(card, 'OK', /OK\* by/);
  await marketplace.patchCampaign(bowl.campaign_id, { status: 'FINISHED' });
  await findsInTheEnd(ann, 'walnuts', /No task has “walnuts”/);
});

test('many found tasks are paged, those without a card open their details; without words a form asks', async () => {
  await world.submit('barley by the sack', { count: 19 });
  const count = (text: string) => text.split('Proof: barley by the sack').length - 1;
  const third = await eventually('all are found, 8 to a page', async () => {
    const form = await ann.enters('/proofdesk find', /Words, worker, IP or code/);
    await form.submit({ 'Words, worker, IP or code': 'barley' });
    let page = await ann.modal(/“barley”/);
    expect(page.buttons).not.toContain('Previous');
    const counts = [count(page.text)];
    while (page.buttons.includes('Next')) {
      await page.clicks('Next');
      page = await ann.modal(new RegExp(`page ${counts.length + 1}`));
      counts.push(count(page.text));
    }
    return counts.join() === '8,8,3' && page;
  });
  await third.opens('Previous', /page 2/);

  // Of a long text, the beginning is looked for.
  expect((await finds(ann, 'barley '.repeat(300))).text).toMatch(/“barley barley/);
  const answer = await finds(ann, 'barley');
  expect(answer.text).toContain('newest first');
  const waiting = answer.buttons.includes('Details…')
    ? answer
    : await eventually('one without a card', async () => {
        await ann.clicks(answer, 'Next');
        await answer.refresh();
        return answer.buttons.includes('Details…') ? answer : undefined;
      });
  await ann.opens(waiting, 'Details…', /Details of this task/);
});
