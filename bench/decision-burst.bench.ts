import { Redis } from 'ioredis';
import { eventually } from '../test/harness/eventually.ts';
import {
  changedAfter,
  clickOk,
  type OpenCard,
  openCards,
  polled,
  subscribeEach,
  workspaceWith,
} from './cards.ts';
import { pause, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// 300 decisions in a burst, by clicks on cards in 20 channels (short form: 150 in 6). Measures the writes to the marketplace
// per campaign, and how soon the cards change that are clicked last. Clicks are acked before they are handled, so the last
// clicks come when the others are decided and their cards are queued: Slack's limit on updates applies, and most cards are
// updated minutes later.

const tasks = isQuick ? 150 : 300;
const mostMs = 3_000;

const { ids, workspace } = workspaceWith(isQuick ? 6 : 20);
await using machine = await startMachine({ workspace, env: { OPEN_CARDS: '0' } });
const redis = new Redis(machine.redisUrl);
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
const waits: number[] = [];
for (const card of lastCards) waits.push(await changedAfter(machine, card));
const isRated = async () =>
  (await marketplace.state()).tasks.every(({ task_rating: rating }) => rating !== 'NOTRATED');
await eventually('every task is rated', isRated, 120_000);
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
  against: 'a campaign',
  value: writes / ids.length,
  most: 2,
});
report({
  what: `${name}: until a card clicked last changes, the slowest of five`,
  against: '3 s',
  value: Math.max(...waits) / mostMs,
  most: 1,
  measured: `${waits.map(Math.round).join(', ')} ms`,
});
redis.disconnect();

/** Returns the number of decisions in the account's audit trail. */
async function decided(): Promise<number> {
  const [trail = ''] = await redis.keys('proofdesk:{*/*}:audit');
  return redis.xlen(trail);
}
