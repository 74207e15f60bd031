import { setTimeout as wait } from 'node:timers/promises';
import { maxRequestsPerSecond } from '../../src/marketplace/api-assumptions.ts';
import { createRandom } from '../../src/sandbox/marketplace/index.ts';
import { eventually } from '../harness/eventually.ts';
import { startSentinelGroup } from '../harness/sentinel.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import { createWorld } from '../harness/world.ts';
import { createRequestCollector } from './evidence.ts';

// The failover run, `npm run chaos -- --failover [kills] [seed]`: the primary of three redis-servers behind Sentinel is
// killed, hangs, or is cut off from the others, repeatedly, while people decide. Decisions that a card has shown as accepted
// must arrive exactly once.

const channel = 'C01REVIEW';
const reviewers = ['U01ANN', 'U02BEN', 'U03CHLOE'] as const;
const campaign = {
  campaign_id: 'c1',
  title: 'Campaign 1',
  status: 'RUNNING',
  available_positions: 1_000_000,
};
/** Which of six failovers are not kills. `cut off`: a partition in which the bot still reaches the old primary. */
const ofSix: Readonly<Record<number, 'hung' | 'cut off'>> = { 0: 'hung', 3: 'cut off' };
const servingWithinMs = 15_000;
const settleWithinMs = 90_000;
/** The extra time for each task that waits when the load ends: its details are read, and it is rated or read back (ms). */
const marketplacePaceMs = (2 * 1_000) / maxRequestsPerSecond;

interface Message {
  readonly channel: string;
  readonly ts: string;
  readonly metadata?: { readonly event_type: string; readonly event_payload: { readonly task?: string } };
  readonly blocks: readonly {
    readonly type: string;
    readonly block_id?: string;
    readonly elements?: readonly { readonly action_id?: string }[];
  }[];
}

interface Card {
  readonly ts: string;
  readonly task: string;
  readonly isAccepted: boolean;
  /** Returns the block of the button with this action id. */
  readonly blockOf: (action: string) => string | undefined;
}

/** Runs `kills` failovers. Returns the problems found, as sentences. */
export async function runFailover(
  { kills, seed }: { kills: number; seed: number },
  print: (line: string) => void,
): Promise<string[]> {
  const random = createRandom(seed);
  const group = await startSentinelGroup();
  const world = await createWorld({
    scenario: { seed: false, campaigns: [campaign] },
    env: { REDIS_URL: group.url, UNDO_SECONDS: '2', PORT: '0', OPEN_CARDS: '0' },
    pollSeconds: 1,
  });
  const slack = sandboxClient(world.slackUrl);
  // Read continuously, because the sandbox drops the oldest, and reading all at once would load the machine.
  const collector = createRequestCollector(world.marketplace);
  /** Tasks by the time of the click, by the time at which a card showed them as decided, and those undone for good. */
  const clicked = new Map<string, number>();
  const accepted = new Map<string, number>();
  const undoing = new Set<string>();
  const undone = new Set<string>();
  let isOver = false;
  let submitted = 0;

  /** The cards by message, and the last change that was read: rereading all cards each time would load the machine. */
  const cards = new Map<string, Card>();
  let read = -1;

  async function readCards(): Promise<Card[]> {
    const { changes, messages, gone } = await slack.get<{
      changes: number;
      messages: Message[];
      gone: string[];
    }>(`messages?after=${read}`);
    for (const place of gone) cards.delete(place);
    for (const message of messages)
      if (message.metadata?.event_type === 'proofdesk_card')
        cards.set(`${message.channel}:${message.ts}`, cardOf(message));
    read = changes;
    return [...cards.values()];
  }

  async function watch(): Promise<void> {
    while (!isOver) {
      for (const { task, isAccepted, blockOf } of await readCards()) {
        if (isAccepted && !accepted.has(task)) accepted.set(task, Date.now());
        if (undoing.has(task) && accepted.has(task) && blockOf('task.ok')) undone.add(task);
      }
      await collector.collect();
      await wait(150);
    }
  }

  async function click(user: string, card: Card, action: string): Promise<void> {
    const where = { user, channel, ts: card.ts, action_id: action, block_id: card.blockOf(action) };
    // The card may have been replaced in the meantime.
    await slack.act('click', { ...where, value: card.task, stale: true }).catch(() => undefined);
  }

  async function review(): Promise<void> {
    while (!isOver) {
      await world.marketplace.submit({ campaign_id: campaign.campaign_id });
      submitted += 1;
      const all = await readCards();
      const user = random.pick(reviewers);
      const open = all.filter(
        ({ task, blockOf }) =>
          blockOf('task.ok') && !undoing.has(task) && Date.now() - (clicked.get(task) ?? 0) > 3_000,
      );
      if (open.length > 0) {
        const card = random.pick(open);
        clicked.set(card.task, Date.now());
        await click(user, card, 'task.ok');
      }
      const mayUndo = all.filter(({ task, blockOf }) => blockOf('task.undo') && !undoing.has(task));
      if (mayUndo.length > 0 && random.next() < 0.1) {
        const card = random.pick(mayUndo);
        undoing.add(card.task);
        await click(user, card, 'task.undo');
      }
      await wait(200 + 200 * random.next());
    }
  }

  try {
    await world.startBot();
    await world.startBot();
    const load = Promise.all([watch(), review(), review()]);
    load.catch(() => undefined);
    await eventually('the first decision', () => accepted.size > 5, 30_000);
    const serving: number[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      await group.whole(60_000);
      await wait(1_500 * random.next());
      const lost = await group.primary();
      const at = Date.now();
      const how = ofSix[kill % 6] ?? 'killed';
      if (how === 'hung') group.pause(lost);
      else if (how === 'cut off') await group.cut(lost);
      else await group.kill(lost);
      const isServing = () =>
        [...accepted].some(([task, seen]) => seen > at && (clicked.get(task) ?? 0) > at);
      await eventually(`decisions after kill ${kill}`, isServing, 60_000);
      serving.push(Date.now() - at);
      // Its writes during the partition are discarded once it follows the new primary.
      if (how !== 'killed') await eventually('another primary', async () => (await group.primary()) !== lost);
      if (how === 'hung') group.resume(lost);
      else if (how === 'cut off') await group.heal(lost);
      else await group.restart(lost);
      print(`${kill}: ${how}, serving after ${serving.at(-1)} ms, ${accepted.size} accepted`);
    }
    isOver = true;
    await load;
    const overAt = Date.now();
    let found = await findings();
    const waiting = found.length + (submitted - (await cardsPosted()));
    const end = overAt + settleWithinMs + waiting * marketplacePaceMs;
    while (found.length > 0 && Date.now() < end) {
      await wait(1_000);
      found = await findings();
    }
    print(
      `${waiting} tasks and decisions waited at the end; ${found.length === 0 ? 'settled' : 'given up'} after ${Math.round((Date.now() - overAt) / 1_000)} s`,
    );
    const slowest = Math.max(...serving);
    if (slowest > servingWithinMs) found.push(`serving again took ${slowest} ms`);
    print(
      `${kills} failovers, ${submitted} tasks, ${accepted.size} decisions shown as accepted, ${undone.size} shown as undone; ` +
        `serving again after ${Math.round(serving.reduce((sum, ms) => sum + ms, 0) / kills)} ms on average, ${slowest} ms at most`,
    );
    return found;
  } finally {
    isOver = true;
    await world.close();
    await group.stop();
  }

  async function findings(): Promise<string[]> {
    const found: string[] = [];
    const sent = new Map<string, number>();
    await collector.collect();
    for (const { path, form } of collector.requests.values()) {
      if (!path.includes('rate_task')) continue;
      for (const id of JSON.stringify(form).match(/[0-9a-f]{12}/g) ?? [])
        sent.set(id, (sent.get(id) ?? 0) + 1);
    }
    for (const [task, times] of sent) if (times > 1) found.push(`${task} was sent ${times} times`);
    const { tasks } = await world.marketplace.state();
    const ratings = new Map(tasks.map(({ task_id: id, task_rating }) => [id, task_rating]));
    for (const task of accepted.keys()) {
      const rating = ratings.get(task);
      if (!undoing.has(task) && rating !== 'OK') found.push(`${task} was accepted and is ${rating}`);
      if (undone.has(task) && rating !== 'NOTRATED') found.push(`${task} was undone and is ${rating}`);
    }
    const missing = submitted - (await cardsPosted());
    if (missing > 0) found.push(`${missing} tasks have no card`);
    return found;
  }

  async function cardsPosted(): Promise<number> {
    return new Set((await readCards()).map(({ task }) => task)).size;
  }
}

function cardOf({ ts, metadata, blocks }: Message): Card {
  return {
    ts,
    task: metadata?.event_payload.task ?? '',
    isAccepted: /\*OK\* by <@/.test(JSON.stringify(blocks)),
    blockOf: (action) =>
      blocks.find(({ elements }) => elements?.some(({ action_id: id }) => id === action))?.block_id,
  };
}

/** Runs from the command line and ends the process. */
export async function failoverMain([
  kills = '60',
  seed = String(Date.now() % 1_000_000),
]: string[]): Promise<never> {
  const settings = { kills: Number(kills), seed: Number(seed) };
  console.log(`seed ${seed}`);
  const found = await runFailover(settings, (line) => console.log(line));
  for (const problem of found) console.log(problem);
  console.log(`Findings, which must be 0: ${found.length}`);
  process.exit(found.length === 0 ? 0 : 1);
}
