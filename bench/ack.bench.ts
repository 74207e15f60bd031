import { clickOk, decidedCard, polled } from './cards.ts';
import { forked, pause, percentile, startMachine, watchDelays } from './machine.ts';
import { isQuick, megabytes, report } from './report.ts';

// Measures how long a click waits for its ack, and the event-loop delay, at 20 clicks a second, over Socket Mode and HTTP:
// meanwhile somebody asks for the results of a campaign of 100,000 tasks again and again, and five new tasks come each second,
// which are compared with those known.

const seconds = isQuick ? 15 : 20;
const perSecond = 20;
const tasksPerSecond = 5;
const readEverySeconds = 5;

for (const transport of ['socket', 'http'] as const) await measure(transport);

async function measure(transport: 'socket' | 'http'): Promise<void> {
  const delays = watchDelays();
  await using machine = await startMachine({ env: { OPEN_CARDS: '0' } });
  const { marketplace, slack } = machine;
  using large = await forked<string>('large-campaign.ts', [machine.marketplaceUrl]);
  const campaign_id = await machine.runningCampaign();
  const bot = await machine.startBot({
    MARKETPLACE_BASE_URL: large.message,
    ...delays.env,
    ...(transport === 'http' ? { SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'sandbox-signing-secret' } : {}),
  });
  if (transport === 'http') await slack.settings({ requestUrl: `http://127.0.0.1:${bot.port}/slack/events` });
  const idle = await bot.resident();
  const card = await decidedCard(machine, campaign_id);
  await polled(machine, 2);
  bot.process.kill('SIGUSR2');
  const before = await reads();

  const clicks: Promise<number>[] = [];
  const began = performance.now();
  for (let n = 0; n < seconds * perSecond; n += 1) {
    await pause(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    clicks.push(clickOk(machine, card));
    if (n % perSecond === 0) await marketplace.submit({ campaign_id, count: tasksPerSecond });
    if (n % (readEverySeconds * perSecond) === 0)
      await slack.person('U01ANN').types('C01REVIEW', `/campaign results ${campaign_id}`);
  }
  const acks = await Promise.all(clicks);
  const [delay, read] = [await delays.read(), (await reads()) - before];

  const what = `Over ${transport === 'socket' ? 'Socket Mode' : 'HTTP'}, while 100,000 rows are read`;
  report({
    what: `${what}: click to ack, p99 (ms)`,
    against: '100 ms',
    value: percentile(acks, 0.99),
    most: 100,
    measured: `p50 ${percentile(acks, 0.5).toFixed(1)}, longest ${Math.max(...acks).toFixed(0)}; ${read} reads in ${seconds} s`,
  });
  report({
    what: `${what}: delay of the event loop, p99.9 (ms)`,
    against: '50 ms',
    value: delay.p999,
    most: 50,
    measured: `p99 ${delay.p99.toFixed(0)}, memory ${megabytes(await bot.peak())} at most, ${megabytes(idle)} at the start`,
  });
  report({
    what: `${what}: delay of the event loop, longest (ms)`,
    against: '150 ms',
    value: delay.longest,
    most: 150,
    measured: `${delay.busiest.toFixed(0)} ms of processor time`,
  });

  async function reads(): Promise<number> {
    return (await marketplace.requests()).filter(({ path }) => path.includes('results_csv')).length;
  }
}
