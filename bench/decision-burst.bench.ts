import { Redis } from 'ioredis';
import { eventually } from '../test/harness/eventually.ts';
import { clickOk, type OpenCard, openCards, polled, subscribeEach, workspaceWith } from './cards.ts';
import { pause, percentile, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// 400 decisions in a burst, by clicks on cards in 20 channels (short form: 150 in 6).
// Measures the writes to the marketplace per decision, the Redis commands per decision until all are rated (including those
// inside scripts, minus an idle bot's in the same time), and how many other cards are updated before the ones clicked last.
// Clicks are acked before they are handled, so the last clicks come when the others are decided and their cards are queued.
// Slack's limit on updates applies: most cards are updated minutes later.

const tasks = isQuick ? 150 : 400;
/** How many cards are updated at once: those in progress come before a click. */
const inProgress = 6;
/** For this long (ms), an idle bot is measured, which polls once a second. */
const quietMs = isQuick ? 3_000 : 10_000;

const { ids, workspace } = workspaceWith(isQuick ? 6 : 20);
const machine = await startMachine({ workspace, env: { OPEN_CARDS: '0' } });
const redis = new Redis(machine.redisUrl);
try {
  const { marketplace, slack } = machine;
  await machine.startBot();
  const campaigns = await subscribeEach(machine, ids);
  await polled(machine, 2);
  await Promise.all(
    campaigns.map((campaign_id) => marketplace.submit({ campaign_id, count: tasks / ids.length })),
  );
  const cards: OpenCard[] = [];
  while (cards.length < tasks) {
    await pause(2_000);
    cards.length = 0;
    for (const channel of ids) cards.push(...(await openCards(machine, channel)));
  }
  await slack.settings({ rateLimits: 'on' });
  await slack.clearRequests();
  await marketplace.clearRequests();
  await redis.config('RESETSTAT');
  const began = Date.now();
  const lastCards = cards.splice(-5);
  const left = [...cards];
  const isClickedLast = (id: unknown) =>
    typeof id === 'string' && lastCards.some(({ task }) => task.includes(id));
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let card = left.shift(); card !== undefined; card = left.shift()) await clickOk(machine, card);
    }),
  );
  while ((await decided()) < cards.length) await pause(20);
  const ranks: number[] = [];
  const waits: number[] = [];
  for (const card of lastCards) {
    const clickedAt = performance.now();
    ranks.push(await othersFirst(card));
    waits.push(performance.now() - clickedAt);
  }
  const isRated = async () =>
    (await marketplace.state()).tasks.every(({ task_rating: rating }) => rating !== 'NOTRATED');
  await eventually('every task is rated', isRated, 120_000);
  const burstMs = Date.now() - began;
  const during = await commands();
  // From one poll to another: one more or fewer would change the figure.
  await polled(machine, 1);
  await redis.config('RESETSTAT');
  const idleFrom = Date.now();
  await polled(machine, quietMs / 1_000);
  const idle = ((await commands()) / (Date.now() - idleFrom)) * burstMs;

  // The cards clicked last are decided some seconds after the burst, and sent as late.
  const writes = (await marketplace.requests()).filter(
    ({ path, form }) =>
      path.includes('/rate_task') &&
      [form['id_task[]'] ?? form.id_task ?? ''].flat().some((id) => !isClickedLast(id)),
  ).length;
  const name = `${tasks.toLocaleString('en')} decisions in a burst`;
  // Those of a campaign leave together; the clicks take longer than a moment, so it may be twice.
  report({
    what: `${name}: marketplace writes`,
    against: 'one each',
    value: writes / tasks,
    most: (2 * ids.length) / tasks,
  });
  report({
    what: `${name}: updates of other cards before that of a card clicked last, median of five`,
    against: '–',
    value: percentile(ranks, 0.5),
    measured: `${ranks.join(', ')}, after ${waits.map((ms) => (ms / 1_000).toFixed(1)).join(', ')} s`,
    most: inProgress,
  });
  report({
    what: `${name}: Redis commands, those of scripts counted`,
    against: 'one each',
    value: (during - idle) / tasks,
  });
} finally {
  redis.disconnect();
  await machine.stop();
}

/** Clicks on a card, and waits until it is updated. Returns how many others are updated between. */
async function othersFirst(card: OpenCard): Promise<number> {
  const { slack } = machine;
  await clickOk(machine, card);
  // Counted from Slack's delivery of the click.
  const clickedAt = (await slack.requests({ method: 'block_actions' })).at(-1)?.n ?? 0;
  for (;;) {
    const updated = (await slack.requests({ method: 'chat.update' })).filter(
      ({ n, status }) => n > clickedAt && status === 200,
    );
    const rank = updated.findIndex(({ args }) => args?.ts === card.ts);
    if (rank >= 0) return rank;
    await pause(50);
  }
}

/** Returns the number of decisions in the account's audit trail. */
async function decided(): Promise<number> {
  const [trail = ''] = await redis.keys('proofdesk:{*/*}:audit');
  return redis.xlen(trail);
}

/** Returns the number of commands that Redis has run since its statistics were reset. */
async function commands(): Promise<number> {
  const info = await redis.info('commandstats');
  return [...info.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
