import { afterEach, expect, test } from 'vitest';
import { type BotProcess, startBotProcess } from '../harness/bot-process.ts';
import { createNodeClock, createRedisClock, dayMs, type ShiftedClock } from '../harness/clock.ts';
import { eventually } from '../harness/eventually.ts';
import { isReady, notReady } from '../harness/health.ts';
import { freePort } from '../harness/ports.ts';
import { createWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const scenario = { campaigns: [shelf] };
const minuteMs = 60_000;
const undoMs = 2_000;
/** What a job may take on a busy machine: far less than any clock is set by. */
const busyMs = 20_000;

let world: World;
let proofs = 0;
const bots = new Set<BotProcess>();
const clocks = new Set<ShiftedClock>();
afterEach(async () => {
  for (const { child } of bots) child.kill('SIGKILL');
  bots.clear();
  await world?.close();
  for (const clock of clocks) clock.remove();
  clocks.clear();
});

function watched(clock: ShiftedClock): ShiftedClock {
  clocks.add(clock);
  return clock;
}

async function start(clock: ShiftedClock): Promise<BotProcess> {
  const bot = await startBotProcess({ ...world.environment, PORT: String(await freePort()), ...clock.env });
  bots.add(bot);
  await bot.ready();
  return bot;
}

/** A worker submits a task, whose card must be there long before any clock is right again. */
async function newCard() {
  const proof = `proof ${++proofs}`;
  const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await world.ann.sees('C01REVIEW', new RegExp(`${proof}\\b`)) };
}

/** Somebody presses OK. Returns what checks that the rating leaves at the end of the time to undo it. */
async function pressOk({ task, card }: Awaited<ReturnType<typeof newCard>>) {
  const began = Date.now();
  await world.ann.clicks(card, 'OK');
  await card.untilText(/Undo|on its way/);
  return async () => {
    await eventually('the rating', async () => (await world.marketplace.task(task)).task_rating === 'OK');
    const waited = Date.now() - began;
    expect(waited).toBeGreaterThan(undoMs - 300);
    expect(waited).toBeLessThan(undoMs + busyMs);
  };
}

test('two processes work on, and wait as long as they say, whatever their clocks and that of Redis do', async () => {
  const redisClock = watched(createRedisClock());
  world = await createWorld({ scenario, redisClock, env: { UNDO_SECONDS: '2' } });
  const [fast, slow] = [watched(createNodeClock(2 * minuteMs)), watched(createNodeClock(-2 * minuteMs))];
  const [[one], first, second, third] = [
    await Promise.all([start(fast), start(slow)]),
    await newCard(),
    await newCard(),
    await newCard(),
  ];
  const whileProcessesAreSet = await pressOk(first);
  fast.shift(-20 * minuteMs);
  slow.shift(dayMs);
  await Promise.all([whileProcessesAreSet(), newCard()]);

  const whileRedisIsSet = await pressOk(second);
  redisClock.shift(-dayMs);
  await Promise.all([whileRedisIsSet(), newCard()]);

  const whileOneIsSuspended = await pressOk(third);
  redisClock.shift(dayMs);
  fast.shift(-dayMs);
  one.child.kill('SIGSTOP');
  await Promise.all([whileOneIsSuspended(), newCard()]);
  one.child.kill('SIGCONT');
  await newCard();
  const rated = (await world.marketplace.requests()).filter(
    ({ path, applied }) => applied && path.includes('rate_task'),
  );
  expect(rated).toHaveLength(3);
});

test('a clock that is set back stops no polls, nor does a restart with it', async () => {
  world = await createWorld({ scenario });
  const clock = watched(createNodeClock());
  const bot = await start(clock);
  await newCard();
  clock.shift(-20 * minuteMs);
  await newCard();
  bot.child.kill('SIGKILL');
  await bot.exit;
  clock.shift(-dayMs);
  await start(clock);
  await newCard();
});

test.each([
  ['behind', -2],
  ['ahead of', 2],
])(
  'a post without an answer makes one card with a clock of Slack that is %s ours by 2 minutes',
  async (_, minutes) => {
    world = await createWorld({ scenario, timeouts: { lateArrivalMs: 300 } });
    await world.slack.settings({ clockSkewMs: minutes * minuteMs });
    await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: 'drop-after', times: 1 });
    await world.startBot();
    await newCard();
    const [lost] = await world.slack.requests({ method: 'chat.postMessage' });
    await eventually('the post to be searched for', async () =>
      (await world.slack.requests({ method: 'conversations.history', ok: true }, lost?.n)).at(0),
    );
    await newCard();
    const posted = await world.slack.requests({ method: 'chat.postMessage' });
    expect(posted).toHaveLength(2);
  },
);

test('over HTTP, a clock that Slack’s signatures do not bear is named, and it ends by itself', async () => {
  world = await createWorld({ scenario, transport: 'http' });
  const clock = watched(createNodeClock());
  const bot = await startBotProcess({ ...world.environment, ...clock.env });
  bots.add(bot);
  await bot.ready();
  const { card } = await newCard();
  clock.shift(6 * minuteMs);
  await eventually('the reason', () => notReady(world, /clock is 6 minutes ahead of Slack's/));
  await world.ann.clicks(card, 'OK').catch(() => undefined);
  clock.shift(-6 * minuteMs);
  await eventually('the other reason', () => notReady(world, /clock is 6 minutes behind Slack's/));
  clock.shift(4 * minuteMs);
  await eventually('it to be ready', () => isReady(world));
  await world.ann.clicks(card, 'OK');
  await card.untilText(/OK\* by @Ann/);
});
