import { changedAfter, openCards, polled, subscribeEach, workspaceWith } from './cards.ts';
import { pause, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Tasks arrive at once: 300 in one channel, 1,000 in 20. Measures the cards posted within 60 seconds of the first, against
// Slack's limits (one a second and channel, 300 a minute and workspace, as the sandbox enforces them), the time from the
// first card to the second, and how soon cards change that are clicked meanwhile. No post may be rate-limited.

const windowMs = isQuick ? 10_000 : 60_000;
const workspacePerMs = 300 / 60_000;
const clicks = isQuick ? 2 : 5;

// In parallel, because both mostly wait for Slack's limits.
await Promise.all([burst(1, isQuick ? 100 : 300), burst(20, isQuick ? 100 : 1_000)]);

async function burst(count: number, tasks: number): Promise<void> {
  const { ids, workspace } = workspaceWith(count);
  await using machine = await startMachine({ workspace, env: { OPEN_CARDS: '0', REVIEW_CHANNEL: '' } });
  await machine.startBot({ REVIEW_CHANNEL: 'C01REVIEW' });
  const campaigns = await subscribeEach(machine, ids);
  await polled(machine, 2);
  await machine.slack.settings({ rateLimits: 'on' });
  // Refills the burst allowance.
  await pause(5_000);
  const began = Date.now();
  for (let n = 0; n < tasks; n += count * 5)
    await Promise.all(campaigns.map((campaign_id) => machine.marketplace.submit({ campaign_id, count: 5 })));
  const posts = async () =>
    (await machine.slack.requests({ method: 'chat.postMessage' })).filter(({ at }) => at >= began);
  while ((await posts()).length === 0) await pause(100);
  const waits: number[] = [];
  const clicking = (async () => {
    for (let n = 1; n <= clicks; n += 1) {
      await pause(windowMs / (clicks + 1));
      const card = (await Promise.all(ids.map((id) => openCards(machine, id)))).flat().at(-1);
      if (card === undefined) throw new Error('there is no card to click on');
      waits.push(await changedAfter(machine, card));
    }
  })();
  await pause(windowMs + 1_000);
  await clicking;
  const all = await posts();
  const times = all.filter(({ status }) => status === 200).map(({ at }) => at);
  const [first = Number.NaN, second = Number.NaN] = times;
  const inWindow = times.filter((at) => at < first + windowMs).length;
  const most = Math.min((windowMs / 1_000) * count, windowMs * workspacePerMs, tasks);
  const name = `${tasks} tasks, ${count === 1 ? 'one channel' : `${count} channels`}`;
  console.log(
    `${name}: first card after ${first - began} ms, ${inWindow} within ${windowMs / 1_000} s of it`,
  );
  report({
    what: `${name}: cards posted in ${windowMs / 1_000} s`,
    against: 'Slack’s limit',
    value: inWindow / most,
    least: 0.95,
    measured: `${inWindow} cards, the first after ${first - began} ms`,
  });
  report({
    what: `${name}: from the first card to the second`,
    against: 'a second',
    value: (second - first) / 1_000,
    most: 3,
  });
  report({
    what: `${name}: until a clicked card changes, the slowest`,
    against: 'a second',
    value: Math.max(...waits) / 1_000,
    most: 3,
    measured: `${waits.map(Math.round).join(', ')} ms`,
  });
  report({
    what: `${name}: posts that Slack limits`,
    against: 'none',
    value: all.filter(({ status }) => status === 429).length,
    most: 0,
  });
}
