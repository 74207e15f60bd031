import { clickOk, decidedCard, type OpenCard, polled } from './cards.ts';
import { type Measured, pause, percentile, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Clicks come at 200 a second, while cards are posted and polls run: how much longer does the bot take to ack than an empty
// Bolt app, which does nothing but that? In turns in the same run; the median of the rounds. Over Socket Mode and HTTP.

const rounds = isQuick ? 3 : 5;
const seconds = isQuick ? 2 : 20;
const perSecond = 200;
const bars = { p50: 1.2, p99: 1.3 };

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

    const times = { bot: [] as number[][], empty: [] as number[][] };
    const requestUrl = ({ port }: Measured) =>
      transport === 'http' ? { requestUrl: `http://127.0.0.1:${port}/slack/events` } : {};
    const clicks = async (what: keyof typeof times, to: OpenCard) => {
      const all: Promise<number>[] = [];
      const began = performance.now();
      for (let n = 0; n < seconds * perSecond; n++) {
        await pause(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
        all.push(clickOk({ slackUrl }, to));
      }
      times[what].push(await Promise.all(all));
    };
    // A bot runs for weeks: its first clicks count no more than those of the other one.
    await slack.settings(requestUrl(bot));
    await clicks('bot', card);
    times.bot.length = 0;
    for (let round = 0; round < rounds; round++) {
      // It has stood still while the other was measured, and catches up with what it has missed.
      await polled(machine, 2);
      await slack.settings(requestUrl(bot));
      await marketplace.submit({ campaign_id, count: seconds });
      await clicks('bot', card);
      // Socket Mode delivers to any of the app's sockets: the bot stands still while the other is measured.
      bot.process.kill('SIGSTOP');
      const empty = await startEmptyBolt(transport, slackUrl);
      await slack.settings(requestUrl(empty));
      if (transport === 'socket') await slack.disconnect({ hard: true });
      await slack.sockets(transport === 'socket' ? 1 : 0);
      await clicks('empty', card);
      await empty.stop();
      bot.process.kill('SIGCONT');
      if (transport === 'socket') await slack.sockets(1);
    }
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const of = (what: keyof typeof times) =>
        percentile(
          times[what].map((all) => percentile(all, share)),
          0.5,
        );
      const [ours, theirs] = [of('bot'), of('empty')];
      report({
        what: `Click to ack over ${transport === 'socket' ? 'Socket Mode' : 'HTTP'}, ${name}, under load`,
        against: 'an empty Bolt app',
        value: ours / theirs,
        most: bars[name],
        measured: `${ours.toFixed(2)} ms, ${theirs.toFixed(2)} ms`,
      });
    }
  } finally {
    await machine.stop();
  }
}
