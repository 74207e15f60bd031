import { type AckTimes, clicksFor, reportAcks } from './acks.ts';
import { decidedCard, polled } from './cards.ts';
import { type Measured, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick } from './report.ts';

// Measures how much longer the bot takes to ack than an empty Bolt app that only acks: at 200 clicks a second, while cards
// are posted and polls run, over Socket Mode and HTTP.

type Transport = 'socket' | 'http';

const rounds = isQuick ? 3 : 5;
const seconds = isQuick ? 3 : 20;
/** Both are warmed up, because bots run for weeks. */
const warmUpSeconds = isQuick ? 3 : 12;

// Both are prepared at once, and measured one after the other.
const prepared = [];
try {
  for (const setup of await Promise.allSettled([prepare('socket'), prepare('http')])) {
    if (setup.status === 'rejected') throw setup.reason;
    prepared.push(setup.value);
  }
  for (const setup of prepared) await compare(setup);
} finally {
  await Promise.all(prepared.map(({ stop }) => stop()));
}

/** Starts the bot with a decided card, and the empty app, each with sandboxes of its own; neither runs. */
async function prepare(transport: Transport) {
  const env: Readonly<Record<string, string>> =
    transport === 'socket' ? {} : { SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'sandbox-signing-secret' };
  const machine = await startMachine({ env: { ...env, OPEN_CARDS: '0' } });
  const { campaign_id: campaign } = await machine.marketplace.addCampaign({
    title: 'Photo of a shelf',
    status: 'RUNNING',
    available_positions: 100_000,
  });
  const bot = await machine.startBot();
  await polled(machine, 2);
  const card = await decidedCard(machine, campaign);
  const empty = await startEmptyBolt(transport, machine.slackUrl);
  for (const { process } of [bot, empty]) process.kill('SIGSTOP');
  return {
    ...{ transport, machine, campaign, card, bot, empty },
    async stop(): Promise<void> {
      for (const { process } of [bot, empty]) process.kill('SIGCONT');
      await empty.stop();
      await machine.stop();
    },
  };
}

async function compare(setup: Awaited<ReturnType<typeof prepare>>): Promise<void> {
  const { transport, machine, campaign, card, bot, empty } = setup;
  const { marketplace, slack } = machine;

  /** Stops the other process and lets this one run, to which Slack then delivers. */
  async function switchTo(running: Measured): Promise<void> {
    (running === bot ? empty : bot).process.kill('SIGSTOP');
    running.process.kill('SIGCONT');
    if (transport === 'http') {
      await slack.settings({ requestUrl: `http://127.0.0.1:${running.port}/slack/events` });
      return;
    }
    // Slack delivers to any of the app's sockets; only the running process connects again.
    await slack.disconnect({ hard: true });
    await slack.sockets(1);
  }

  for (const each of [empty, bot]) {
    await switchTo(each);
    await marketplace.submit({ campaign_id: campaign, count: warmUpSeconds });
    await clicksFor(warmUpSeconds, machine, card);
  }
  const times: AckTimes = { bot: [], empty: [] };
  for (let round = 0; round < rounds; round++) {
    await switchTo(bot);
    // It was stopped while the other was measured, and must catch up first.
    await polled(machine, 2);
    await marketplace.submit({ campaign_id: campaign, count: seconds });
    times.bot.push(await clicksFor(seconds, machine, card));
    await switchTo(empty);
    times.empty.push(await clicksFor(seconds, machine, card));
  }
  for (const { process } of [bot, empty]) process.kill('SIGSTOP');
  reportAcks(`Click to ack over ${transport === 'socket' ? 'Socket Mode' : 'HTTP'}, under load`, times);
}
