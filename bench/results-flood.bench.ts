import { eventually } from '../test/harness/eventually.ts';
import type { Seen } from '../test/harness/slack.ts';
import { percentile, startMachine } from './machine.ts';
import { isQuick, milliseconds, report } from './report.ts';

// One person requests the results of a campaign 300 times, which take 3 seconds each. Measures how much later a colleague's
// rating reaches the marketplace than without that load. Decisions are sent at once.

const place = 'C01REVIEW';
const asked = 300;
const samples = isQuick ? 3 : 8;

const machine = await startMachine({ env: { UNDO_SECONDS: '0' } });
try {
  const { marketplace, slack } = machine;
  const [ann, ben] = [slack.person('U01ANN'), slack.person('U02BEN')];
  const { campaign_id } = await marketplace.addCampaign({
    title: 'Photo of a shelf',
    status: 'RUNNING',
    available_positions: 1_000,
  });
  const bot = await machine.startBot();
  const cards: Seen[] = [];
  for (let n = 0; n < 2 * samples; n += 1) {
    await marketplace.submit({ campaign_id, proof: [`shelf number ${n}.`] });
    cards.push(await ben.sees(place, new RegExp(`shelf number ${n}\\.`), { timeoutMs: 60_000 }));
  }

  /** Clicks OK. Returns the time (ms) until the rating reaches the marketplace. */
  async function rate(): Promise<number> {
    const card = cards.pop();
    if (card === undefined) throw new Error('no card is left');
    await marketplace.clearRequests();
    const began = Date.now();
    await ben.clicks(card, 'OK');
    const sent = await eventually(
      'the rating',
      async () => (await marketplace.requests()).find(({ path }) => path.includes('rate_task')),
      60_000,
    );
    return Date.parse(sent.at) - began;
  }

  const quiet: number[] = [];
  for (let n = 0; n < samples; n += 1) quiet.push(await rate());
  await marketplace.fault({
    match: { path: 'results_csv' },
    kind: 'latency',
    delayMs: 3_000,
    times: 0,
  });
  const before = await bot.cpu();
  const asking: Promise<unknown>[] = [];
  const flooded: number[] = [];
  for (let n = 0; n < samples; n += 1) {
    for (let each = 0; each < asked / samples; each += 1)
      asking.push(ann.types(place, `/campaign results ${campaign_id}`).catch(() => undefined));
    flooded.push(await rate());
  }
  await Promise.all(asking);
  console.log(`computed meanwhile: ${milliseconds((await bot.cpu()) - before)}`);
  const usual = percentile(quiet, 0.5);
  const latest = Math.max(...flooded);
  report({
    what: `Longest that a rating is later while one person asks for results ${asked} times, of a second`,
    against: 'the same, quiet, at the median',
    value: Math.max(0, latest - usual) / 1_000,
    most: 1,
    measured: `${milliseconds(usual)} quiet, at most ${milliseconds(latest)}`,
  });
} finally {
  await machine.stop();
}
