import { type AckTimes, clicksFor, reportAcks, whileStopped } from './acks.ts';
import { decidedCard, polled } from './cards.ts';
import { type Measured, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick } from './report.ts';

// Measures how much longer the bot takes to ack than an empty Bolt app that only acks: at 200 clicks a second, while cards
// are posted and polls run, over Socket Mode and HTTP.

const rounds = isQuick ? 3 : 5;
const seconds = isQuick ? 3 : 20;
/** Both are warmed up, because bots run for weeks. */
const warmUpSeconds = isQuick ? 2 : 5;

for (const transport of ['socket', 'http'] as const) await compare(transport);

async function compare(transport: 'socket' | 'http'): Promise<void> {
  const env: Readonly<Record<string, string>> =
    transport === 'socket' ? {} : { SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'sandbox-signing-secret' };
  const machine = await startMachine({ env: { ...env, OPEN_CARDS: '0' } });
  try {
    const { marketplace, slack, slackUrl } = machine;
    const { campaign_id } = await marketplace.addCampaign({
      title: 'Photo of a shelf',
      status: 'RUNNING',
      available_positions: 100_000,
    });
    const bot = await machine.startBot();
    await polled(machine, 2);
    const card = await decidedCard(machine, campaign_id);

    /** Directs Slack's deliveries to a process; in Socket Mode, the one that answers. */
    const deliverTo = async ({ port }: Measured) => {
      if (transport === 'http') await slack.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
      else await slack.sockets(1);
    };
    const times: AckTimes = { bot: [], empty: [] };
    await deliverTo(bot);
    await clicksFor(warmUpSeconds, machine, card);
    for (let round = 0; round < rounds; round++) {
      // It was stopped while the other was measured, and must catch up first.
      await polled(machine, 2);
      await deliverTo(bot);
      await marketplace.submit({ campaign_id, count: seconds });
      times.bot.push(await clicksFor(seconds, machine, card));
      await whileStopped(bot, async () => {
        const empty = await startEmptyBolt(transport, slackUrl);
        if (transport === 'socket') await slack.disconnect({ hard: true });
        await deliverTo(empty);
        times.empty.push(await clicksFor(seconds, machine, card));
        await empty.stop();
      });
    }
    reportAcks(`Click to ack over ${transport === 'socket' ? 'Socket Mode' : 'HTTP'}, under load`, times);
  } finally {
    await machine.stop();
  }
}
