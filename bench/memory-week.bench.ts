import { freePort } from '../test/harness/ports.ts';
import { clickOk, type OpenCard, openCards, polled, subscribeEach, workspaceWith } from './cards.ts';
import { connectInspector, type Inspector } from './inspector.ts';
import { pause, percentile, startMachine } from './machine.ts';
import { isQuick, megabytes, report } from './report.ts';

// A week of work in some minutes: each day, tasks arrive, some are rated on the website, the others get cards and are rated
// by a click, and looks in between find nothing. Compares the bot's memory in the last days of the week with that in its
// first ones, which follow a warm-up. Medians count, because single days vary by as much as the bar. At the end of each
// day, garbage is collected from outside, in all threads, so that only memory in use counts. A leak is smaller than that:
// another day with many tasks reveals it in the live objects.

/** Days in which the bot does everything for the first times: code is compiled, and caches are filled. */
const warmUpDays = isQuick ? 1 : 2;
const days = warmUpDays + (isQuick ? 2 : 7);
/** The number of days in each median. */
const compared = isQuick ? 1 : 3;
const channels = isQuick ? 5 : 10;
/** Cards per channel and day; Slack accepts one a second. */
const cardsEach = isQuick ? 2 : 3;
const tasksEach = 2 * cardsEach;
/** Tasks on the last day, which would reveal a leak. Fewer would mainly show work that is not finished: not in the short form. */
const busyEach = 100;

const { ids, workspace } = workspaceWith(channels);
const machine = await startMachine({
  workspace,
  env: { OPEN_CARDS: String(cardsEach), UNDO_SECONDS: '0', REVIEW_CHANNEL: '' },
});
const { marketplace } = machine;
let inspector: Inspector | undefined;
try {
  const port = await freePort();
  const bot = await machine.startBot({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  inspector = await connectInspector(port);
  const campaigns = await subscribeEach(machine, ids);
  const held: number[] = [];
  for (let day = 0; day < days; day += 1) {
    await work(campaigns, tasksEach);
    await inspector.collectGarbage();
    held.push(await bot.resident());
  }
  report({
    what: `Memory after ${days} days of ${channels * tasksEach} tasks each, median of the last ${compared}`,
    against: `median of the ${compared} after the first ${warmUpDays}`,
    value:
      percentile(held.slice(-compared), 0.5) / percentile(held.slice(warmUpDays, warmUpDays + compared), 0.5),
    most: 1.03,
    measured: held.map(megabytes).join(', '),
  });

  if (!isQuick) await reportLeak(inspector, campaigns);
} finally {
  // Until this is closed, the bot would not exit.
  inspector?.close();
  await machine.stop();
}

/** Simulates a day with many tasks, and reports how much of them stays in memory. */
async function reportLeak({ bytesAlive }: Inspector, campaigns: readonly string[]): Promise<void> {
  const before = await bytesAlive();
  await work(campaigns, busyEach);
  const after = await bytesAlive();
  report({
    what: `Objects that stay of each of ${channels * busyEach} tasks more (bytes)`,
    against: 'none',
    value: (after - before) / (channels * busyEach),
    // In a run without a leak, buffers and unfinished work take up to half of that.
    most: 1_000,
    measured: `${megabytes(before)} alive before`,
  });
}

/** Simulates a day: all arriving tasks are rated. */
async function work(campaigns: readonly string[], count: number): Promise<void> {
  await Promise.all(campaigns.map((campaign_id) => marketplace.submit({ campaign_id, count })));
  const cards = await cardsOf(channels * cardsEach);
  const withCards = new Set(cards.map(({ task }) => task));
  const unrated = (await marketplace.state()).tasks.filter(({ task_rating }) => task_rating === 'NOTRATED');
  for (const { task_id } of unrated) if (!withCards.has(task_id)) await marketplace.rate(task_id, 'OK');
  await polled(machine, 2);
  for (const card of cards) await clickOk(machine, card);
  const isRated = async () =>
    (await marketplace.state()).tasks.every(({ task_rating }) => task_rating !== 'NOTRATED');
  while (!(await isRated())) await pause(200);
  await polled(machine, 2);
}

/** Waits for this many open cards. Returns them. */
async function cardsOf(count: number): Promise<OpenCard[]> {
  for (;;) {
    const cards: OpenCard[] = [];
    for (const channel of ids) cards.push(...(await openCards(machine, channel)));
    if (cards.length >= count) return cards;
    await pause(500);
  }
}
