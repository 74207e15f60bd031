import { pause, percentile, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Measures the time from a worker's submission until its card is posted, with POLL_SECONDS=5, in campaigns of three sizes:
// the median against half the poll interval, which no polling bot can beat.

const pollMs = 5_000;
const half = pollMs / 2;
/** The sizes, each with the maximum median (ms). */
const sizes = [
  { tasks: 1_000, most: 1.2 * half },
  { tasks: 10_000, most: 1.5 * half },
  { tasks: 100_000, most: half + 3_000 },
];
const rounds = isQuick ? 3 : 5;

// The small ones together, because they mostly wait. The large one, whose rows take seconds to read, would slow them.
await Promise.all(sizes.slice(0, 2).map(measure));
if (!isQuick) await Promise.all(sizes.slice(2).map(measure));

async function measure({ tasks, most }: (typeof sizes)[number]): Promise<void> {
  await using machine = await startMachine({
    env: { OPEN_CARDS: '0', POLL_SECONDS: String(pollMs / 1_000) },
  });
  const { marketplace, slack } = machine;
  await marketplace.reset({
    campaigns: [
      {
        campaign_id: 'c1',
        title: 'Photo of a shelf',
        status: 'RUNNING',
        available_positions: 1_000,
        tasks: { OK: tasks },
      },
    ],
  });
  await machine.startBot();
  const posted = async () => (await slack.requests({ method: 'chat.postMessage', status: 200 }))[0]?.at;
  const lastPollAt = async () => {
    const poll = (await marketplace.requests()).findLast(({ path }) => path.includes('list_extend'));
    return poll === undefined ? Date.now() : Date.parse(poll.at);
  };
  // A campaign is read only once it has something to rate.
  await marketplace.submit({ campaign_id: 'c1' });
  while ((await posted()) === undefined) await pause(200);
  // Waits until the first import is stored and nothing is left to do.
  await pause((isQuick ? 1 : 2) * pollMs);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // Spreads the submissions evenly over the poll interval: the median of what is left of it is a half.
    const submitAt = (await lastPollAt()) + ((round + 0.5) / rounds) * pollMs;
    await pause(submitAt - Date.now() + (submitAt < Date.now() ? pollMs : 0));
    await slack.clearRequests();
    const began = Date.now();
    await marketplace.submit({ campaign_id: 'c1' });
    let at: number | undefined;
    while (at === undefined) {
      await pause(50);
      at = await posted();
    }
    times.push(at - began);
  }
  const median = percentile(times, 0.5);
  const size = tasks.toLocaleString('en');
  report({
    what: `From a submission to its card, in a campaign of ${size} tasks, median`,
    against: 'half the poll interval',
    value: median / half,
    most: most / half,
    measured: `${median} ms, longest ${Math.max(...times)} ms`,
  });
}
