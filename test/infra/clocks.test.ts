import { expect, onTestFinished, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { createNodeClock } from '../harness/clock.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/ports.ts';
import { worldPerTest } from '../harness/worlds.ts';
import { botsPerTest } from './bots.ts';

const undoMs = 16_000;
/** What a job may take on a busy machine: far less than any clock is set by. */
const busyMs = 20_000;

const { world, create } = worldPerTest({ scenario: { campaigns: [shelf] } });
let proofs = 0;
const startBot = botsPerTest();

/** Starts the bot on a host whose clock is ahead. */
async function start(aheadMs = 0) {
  const clock = createNodeClock(aheadMs);
  onTestFinished(clock.remove);
  const bot = await startBot({ ...world.environment, PORT: String(await freePort()), ...clock.env });
  await bot.ready();
  return bot;
}

/** A worker submits a task, whose card must be there long before any clock is right again. */
const newCard = () => world.taskWithCard(`proof ${++proofs}`);

test('a process on a host 15 seconds ahead sends what another took, and not before the time to undo it is over', async () => {
  await create({ env: { UNDO_SECONDS: String(undoMs / 1_000) } });
  const { child, exit } = await start();
  const { task, card } = await newCard();
  const pressedAt = Date.now();
  await world.ann.clicks(card, 'OK');
  await card.until(({ buttons }) => buttons.some((name) => name.startsWith('Undo')));
  child.kill('SIGKILL');
  await exit;
  await start(15_000);
  const rating = async () => (await world.marketplace.task(task)).task_rating;
  await eventually('the rating', async () => (await rating()) === 'OK', undoMs + busyMs);
  expect(Date.now() - pressedAt).toBeGreaterThan(undoMs - 300);
});

test.each([
  ['behind', -2],
  ['ahead of', 2],
])(
  'a post without an answer makes one card with a clock of Slack that is %s ours by 2 minutes',
  async (_, minutes) => {
    await create({ timeouts: { lateArrivalMs: 300 } });
    await world.slack.settings({ clockSkewMs: minutes * 60_000 });
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
