import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { place } from '../harness/acts.ts';
import { eventually, sharedWorld, worldPerTest } from '../harness/worlds.ts';

const shelf = { campaign_id: '12e5', title: 'Photograph a tea shelf', status: 'RUNNING' } as const;
const coffee = { campaign_id: 'c0ffee', title: 'Visit a coffee shop', status: 'RUNNING' } as const;
const tea = { campaign_id: '7ea', title: 'Visit a tea house', status: 'RUNNING' } as const;
const read = { ...coffee, tasks: { OK: 5, NOK: 2, NOTRATED: 3, REVISE: 1 } };
/** The bot is not there. */
const elsewhere = 'C03RANDOM';

// Ben is a reviewer.
const world = sharedWorld({
  scenario: { campaigns: [shelf, read, tea] },
  transport: 'http',
  env: { ACCOUNT_OWNERS: 'U01ANN,U03CHLOE' },
});

test('figures come in a direct message with their file, also where the bot is not', async () => {
  await world.submit('The first shelf');
  await world.ann.asks(
    '/campaign results tea shelf',
    /tea shelf\*? are on their way to your direct/,
    elsewhere,
  );
  await world.ann.sees('D01ANN', /^Results: 1 task by 1 worker$.*\| 1 \| 0 \| 0$/ms);
  const { files } = await world.ann.sees('D01ANN', /results-Photograph-a-tea-shelf-12e5\.csv/);
  expect(files[0]?.size).toBeGreaterThan(400);
});

test('figures that take long say so in the message that then shows them, or why they could not be sent', async () => {
  // For ever: a look may read the same results meanwhile.
  const slow = { match: { path: 'results_csv' }, kind: 'latency', delayMs: 12_000, times: 0 } as const;
  await world.marketplace.fault(slow);
  await world.ann.types(place, '/campaign results c0ffee');
  const waiting = await world.ann.sees('D01ANN', /preparing the results of \*?Visit a coffee shop/);
  await world.marketplace.clearFaults();
  await waiting.untilText(/Results: 11 tasks.*OK 5 · NOK 2 · Revision requested 1 · Waiting 3/s);
  await world.ann.sees('D01ANN', /results-Visit-a-coffee-shop/);

  await world.marketplace.fault(slow);
  await world.ann.types(place, '/campaign results c0ffee');
  const again = await world.ann.sees('D01ANN', /preparing the results/, { after: waiting.ts });
  const match = { method: 'chat.update', channel: 'D01ANN' };
  await world.slack.fault({ match, kind: 'error', error: 'cant_update_message' });
  await world.marketplace.clearFaults();
  await again.untilText(/could not be sent, and no file was made/);
  await world.ann.sees(place, /Slack rejected the results \(`?cant_update_message/);
});

test('figures stay when Slack does not take their file, and whoever asked is told what is known of it', async () => {
  const { ben } = world;
  const status = await ben.asks('/campaign status c0ffee', /Visit a coffee shop.*waiting for review/s);
  const fault = { match: { method: 'files.completeUploadExternal' } } as const;

  await world.slack.fault({ ...fault, kind: 'error', error: 'file_uploads_disabled' });
  await ben.clicks(status, 'Results');
  await ben.sees(place, /File sharing is switched off/);
  const refused = await ben.sees('D02BEN', /coffee shop.*Results: 11 tasks/s);

  await world.slack.fault({ ...fault, kind: 'drop-after' });
  await ben.clicks(status, 'Results');
  await ben.sees(place, /may or may not have arrived/);
  await ben.sees('D02BEN', /coffee shop.*Results: 11 tasks/s, { after: refused.ts });
});

test('results that the marketplace does not have end in what to do', async () => {
  await world.marketplace.refuses('results_csv', 'NO SUCH CAMPAIGN', 0);
  await world.chloe.asks('/campaign results 12e5', /The marketplace does not know this campaign/);
});

/** Somebody has the results of the tea house, of which one worker has submitted. */
async function figures(person: Person, direct: string): Promise<Seen> {
  const after = await person.lastIn(direct);
  await person.types(place, '/campaign results 7ea');
  return person.sees(direct, /Results: 1 task\b/, { after });
}

async function fileOf(person: Person, direct: string, name: RegExp): Promise<string> {
  const { files } = await person.sees(direct, name);
  return (await fetch(`${world.slackUrl}/_sandbox/files/${files[0]?.id}`)).text();
}

test('results come as a spreadsheet in which nothing runs; to managers also as the marketplace sent them, in a direct message only', async () => {
  const { ben, chloe } = world;
  await world.submit('a;=1+1', { campaign_id: tea.campaign_id, ip: '203.0.113.77' });
  const refused = await figures(ben, 'D02BEN');
  expect(refused.buttons).toEqual([]);
  const csv = await fileOf(ben, 'D02BEN', /results-Visit-a-tea-house-7ea\.csv/);
  expect(csv).toContain(`"203.0.113.…"`);
  expect(csv).toContain(`"a;'=1+1"`);

  const message = await figures(chloe, 'D03CHLOE');
  expect(message.buttons).toEqual(['Original file']);
  await ben.forgesClick(refused, 'Original file', { of: message });
  await ben.sees('D02BEN', /Only managers can see workers’ addresses/);
  await chloe.clicks(message, 'Original file');
  const original = await fileOf(chloe, 'D03CHLOE', /results-Visit-a-tea-house-7ea-original\.csv/);
  expect(original).toContain(',203.0.113.77,');
  expect(original).toContain('a;=1+1');

  // Where others read it, it is not to be had.
  const inChannel = await chloe.sees(place, /are on their way to you/);
  await chloe.forgesClick(inChannel, 'Original file', { of: message });
  await chloe.sees(place, /comes in a direct message only/);
});

const { begin } = worldPerTest({ transport: 'http' });

test('300 results asked for by one person do not stand before anybody’s rating, and most are refused with what to do', async () => {
  const world = await begin({ scenario: { campaigns: [read] } });
  const card = await world.card('the shop', { campaign_id: 'c0ffee' });
  await world.marketplace.delays('results_csv', 12_000, 0);
  await world.marketplace.clearRequests();
  for (let n = 0; n < 6; n += 1)
    await Promise.all(Array.from({ length: 50 }, () => world.ann.types(place, '/campaign results c0ffee')));
  const isResults = ({ path }: { path: string }) => path.includes('results_csv');
  const isRating = ({ path }: { path: string }) => path.includes('rate_task');
  const earlier = (await world.marketplace.calls('results_csv')).length;
  await world.ben.clicks(card, 'OK');
  const requests = await eventually('the rating to be sent', async () => {
    const all = await world.marketplace.requests();
    return all.some(isRating) && all;
  });
  // The rating was the next to go; a connection may have come free for results while it was on its way.
  const before = requests.slice(0, requests.findIndex(isRating)).filter(isResults);
  expect(before.length - earlier).toBeLessThanOrEqual(2);
  await world.ann.sees(place, /You requested a lot of results.*Wait \d+ seconds/s);
  await world.marketplace.clearFaults();
  await world.settled();
  expect((await world.marketplace.calls('results_csv')).length).toBeLessThan(30);
});

test('results that are chosen in the form count as those that are asked for by the command', async () => {
  const { ann } = await begin({ scenario: { campaigns: [coffee] } });
  for (let n = 0; n < 12; n += 1) {
    const form = await ann.enters('/campaign results', /Campaign results/);
    await form.select('Campaign', coffee.title);
    await form.submit();
  }
  await ann.sees('D01ANN', /You requested a lot of results/);
});
