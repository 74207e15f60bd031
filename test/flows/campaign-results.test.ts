import { expect, test } from 'vitest';
import { place, rates } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

const scenario = {
  campaigns: [
    { campaign_id: '12e5', title: 'Photograph a tea shelf', status: 'RUNNING' },
    { campaign_id: 'c0ffee', title: 'Visit a coffee shop', status: 'RUNNING', tasks: { OK: 2 } },
  ],
};

const world = sharedWorld({ scenario, transport: 'http' });

test('figures per reviewer stand below the others, only of what was decided here', async () => {
  const ok = [await world.card('The first shelf'), await world.card('The second shelf')];
  const nok = await world.card('The third shelf');
  for (const card of ok) await world.ann.clicks(card, 'OK');
  await rates(world.ben, nok, 'NOK', 'The shelf cannot be seen');
  for (const card of ok) await card.untilText(/:white_check_mark:/);
  await nok.untilText(/:x:/);

  await world.ann.types(place, '/campaign results 12e5');
  const figures = await world.ann.sees('D01ANN', /Decisions made here, by reviewer/);
  expect(figures.text).toMatch(/^Results: 3 tasks.*\| 1 \| 0 \| 1$/ms);
  expect(figures.text).toContain('@Ann Reyes: 2 decisions (OK 2, REVISE 0, NOK 0)');
  expect(figures.text).toContain('@Ben Okafor: 1 decision (OK 0, REVISE 0, NOK 1)');
  expect(figures.raw.text).toContain('<@U01ANN>: 2 decisions');

  const sent = await world.ann.sees(place, /tea shelf\*? were sent to you/);
  await world.ann.clicks(sent, 'Post in this channel');
  await world.ben.sees(place, /Results: 3 tasks.*posted by @Ann.*@Ben Okafor: 1 decision/s);
});

test('figures per reviewer that take long say so in the message that then shows them, or why they could not be sent', async () => {
  // For ever: a look may read the same results meanwhile.
  const slow = { match: { path: 'results_csv' }, kind: 'latency', delayMs: 12_000, times: 0 } as const;
  await world.marketplace.fault(slow);
  await world.ann.types(place, '/campaign results c0ffee');
  const waiting = await world.ann.sees('D01ANN', /preparing the results of \*?Visit a coffee shop/);
  await world.ann.sees(place, /results of \*?Visit a coffee shop\*? are taking a while/);
  await world.marketplace.clearFaults();
  await waiting.untilText(/Results: 2 tasks/);
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

test('figures per reviewer stay when Slack does not take their file, and whoever asked is told what is known of it', async () => {
  const sent = await world.ann.asks('/campaign results c0ffee', /were sent to you/);
  const fault = { match: { method: 'files.completeUploadExternal' } } as const;

  await world.slack.fault({ ...fault, kind: 'error', error: 'file_uploads_disabled' });
  await world.ann.clicks(sent, 'Post in this channel');
  await world.ann.sees(place, /File sharing is switched off/);
  const refused = await world.ben.sees(place, /Results: \d tasks.*posted by @Ann/s);
  expect(sent.buttons).toEqual(['Post in this channel']);

  await world.slack.fault({ ...fault, kind: 'drop-after' });
  await world.ann.clicks(sent, 'Post in this channel');
  await world.ann.sees(place, /may or may not have arrived/);
  await world.ben.sees(place, /Results: \d tasks.*posted by @Ann/s, { after: refused.ts });
});

test('figures per reviewer are left out where nothing was decided here', async () => {
  await world.ben.types(place, '/campaign results c0ffee');
  await world.ben.sees('D02BEN', /results-Visit-a-coffee-shop/);
  expect(await world.posts(/Decisions made here/, 'D02BEN')).toEqual([]);
});
