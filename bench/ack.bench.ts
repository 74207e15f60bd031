import { type AckTimes, clicksFor, reportAcks } from './acks.ts';
import { decidedCard, polled } from './cards.ts';
import { type Measured, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick } from './report.ts';

// Measures how much longer the bot takes to ack than an empty Bolt app that only acks: at 200 clicks a second, while cards
// are posted and polls run, over Socket Mode and HTTP.

type Transport = 'socket' | 'http';
type Machine = Awaited<ReturnType<typeof startMachine>>;

const rounds = isQuick ? 3 : 5;
const seconds = isQuick ? 5 : 20;
/** Both are warmed up, because bots run for weeks. */
const warmUpSeconds = isQuick ? 8 : 15;

/** What ends everything that was started, first to last. */
const ends: (() => Promise<void>)[] = [];
try {
  // Prepared at once, and measured one after the other.
  const setups = await Promise.allSettled([prepare('socket'), prepare('http')]);
  for (const setup of setups) if (setup.status === 'rejected') throw setup.reason;
  for (const setup of setups) if (setup.status === 'fulfilled') await setup.value.compare();
} finally {
  for (const end of ends.reverse()) await end();
}

/**
 * Starts the bot with a decided card, and the empty app, with sandboxes of their own, and warms both up. Both are stopped then.
 */
async function prepare(transport: Transport) {
  const env: Readonly<Record<string, string>> =
    transport === 'socket' ? {} : { SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'sandbox-signing-secret' };
  const machine = await startMachine({ env: { ...env, OPEN_CARDS: '0' } });
  ends.push(() => machine.stop());
  const { marketplace, slack } = machine;
  const { campaign_id } = await marketplace.addCampaign({
    title: 'Photo of a shelf',
    status: 'RUNNING',
    available_positions: 100_000,
  });
  const bot = await machine.startBot();
  if (transport === 'http') await sendTo(slack, bot);
  await polled(machine, 2);
  const card = await decidedCard(machine, campaign_id);
  bot.process.kill('SIGSTOP');
  const empty = await startEmptyBolt(transport, machine.slackUrl);
  ends.push(async () => {
    for (const { process } of [bot, empty]) process.kill('SIGCONT');
    await empty.stop();
  });

  /** Stops the other process and lets this one run, to which Slack then delivers. */
  async function switchTo(running: Measured): Promise<void> {
    (running === bot ? empty : bot).process.kill('SIGSTOP');
    running.process.kill('SIGCONT');
    if (transport === 'http') return sendTo(slack, running);
    // Slack delivers to any of the app's sockets; only the running process connects again.
    await slack.disconnect({ hard: true });
    await slack.sockets(1);
  }

  /** Returns the ack times (ms) of clicks, while a task is submitted for each second of them. */
  async function clicks(running: Measured, forSeconds: number): Promise<number[]> {
    await switchTo(running);
    if (running === bot) {
      // It was stopped while the other ran, and must catch up first.
      await polled(machine, 2);
      await marketplace.submit({ campaign_id, count: forSeconds });
    }
    return clicksFor(forSeconds, machine, card);
  }

  const stopBoth = () => [bot, empty].map(({ process }) => process.kill('SIGSTOP'));
  for (const each of [empty, bot]) await clicks(each, warmUpSeconds);
  stopBoth();

  return {
    async compare(): Promise<void> {
      const times: AckTimes = { bot: [], empty: [] };
      for (let round = 0; round < rounds; round++) {
        times.bot.push(await clicks(bot, seconds));
        times.empty.push(await clicks(empty, seconds));
      }
      stopBoth();
      reportAcks(`Click to ack over ${transport === 'socket' ? 'Socket Mode' : 'HTTP'}, under load`, times);
    },
  };
}

/** Makes Slack send its requests to a process. */
async function sendTo(slack: Machine['slack'], { port }: Measured): Promise<void> {
  await slack.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
}
