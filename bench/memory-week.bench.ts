import { clickOk, type OpenCard, openCards, polled, subscribeEach, workspaceWith } from './cards.ts';
import { pause, startMachine } from './machine.ts';
import { isQuick, megabytes, report } from './report.ts';

// A week of work in a few minutes: each day, tasks come in, cards are posted and rated, and looks find nothing in between. The
// memory that the bot holds after the last day against that after the second, when it has seen everything once.

const days = isQuick ? 3 : 7;
const tasksPerDay = isQuick ? 20 : 100;
const channels = 20;

const { ids, workspace } = workspaceWith(channels);
const machine = await startMachine({ workspace, env: { OPEN_CARDS: '0', UNDO_SECONDS: '0' } });
try {
  const { marketplace } = machine;
  const bot = await machine.startBot();
  const campaigns = await subscribeEach(machine, ids);
  const held: number[] = [];
  for (let day = 0; day < days; day += 1) {
    await Promise.all(
      campaigns.map((campaign_id) => marketplace.submit({ campaign_id, count: tasksPerDay / channels })),
    );
    const cards = await cardsOf(tasksPerDay);
    for (const card of cards) await clickOk(machine, card);
    const isRated = async () =>
      (await marketplace.state()).tasks.every(({ task_rating: rating }) => rating !== 'NOTRATED');
    while (!(await isRated())) await pause(500);
    await polled(machine, isQuick ? 2 : 5);
    held.push(await lowest(bot.resident));
  }
  const [second = Number.NaN, last = Number.NaN] = [held[1], held.at(-1)];
  report({
    what: `Memory after ${days} days of ${tasksPerDay} tasks each`,
    against: 'after the second of them',
    value: last / second,
    most: 1.03,
    measured: held.map(megabytes).join(', '),
  });
} finally {
  await machine.stop();
}

/** Waits until as many open cards are there. Returns them. */
async function cardsOf(count: number): Promise<OpenCard[]> {
  for (;;) {
    const cards: OpenCard[] = [];
    for (const channel of ids) cards.push(...(await openCards(machine, channel)));
    if (cards.length >= count) return cards;
    await pause(1_000);
  }
}

/** Returns the least of some measurements: what a collection of garbage has not come to yet is not held. */
async function lowest(measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 6; n += 1) {
    least = Math.min(least, await measure());
    await pause(500);
  }
  return least;
}
