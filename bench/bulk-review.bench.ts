import { eventually } from '../test/harness/eventually.ts';
import { decidesTogether, opensSelection, presses, pressesOf } from '../test/harness/reviews.ts';
import { startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Bulk: 300 tasks are shown, ticked page by page and decided together through the modal protocol, over Socket Mode and HTTP.
// At most 30 clicks; every decision is applied once; one message, updated at most once a second.

const count = 300;
const limits = { clicks: 30, writes: 10 };

for (const transport of isQuick ? (['socket'] as const) : (['socket', 'http'] as const))
  await decideAll(transport);

async function decideAll(transport: 'socket' | 'http'): Promise<void> {
  const machine = await startMachine({ env: environment(transport) });
  const { marketplace, slack } = machine;
  try {
    await marketplace.addCampaign({
      campaign_id: 'c1',
      title: 'Shelf',
      status: 'RUNNING',
      available_positions: 999,
    });
    // Too short to look like one another: what does is not selected with its page.
    await marketplace.submit({ campaign_id: 'c1', count, proof: ['a shelf'] });
    const { port } = await machine.startBot();
    if (transport === 'http') await slack.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
    const people = slack.person('U01ANN');
    const page = await eventually(
      'all tasks',
      async () => {
        const opened = await opensSelection(people);
        return opened.text.includes(`of ${count} that wait`) && opened;
      },
      120_000,
    );
    await slack.settings({ rateLimits: 'on' });
    const before = await pressesOf(slack, 'U01ANN');
    for (let shown = 25; shown < count; shown += 25) await presses(page, 'Select these 25, next page');
    await presses(page, 'Select these 25');
    const preview = await decidesTogether(page, 'NOK');
    const began = performance.now();
    await preview.clicks('Rate ');
    const message = await people.sees('D01ANN', /Deciding|decided|rated/, { timeoutMs: 60_000 });
    await message.untilText(/\*300 tasks\* rated \*NOK\*/, 180_000);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);

    const { tasks } = await marketplace.state();
    await eventually('all ratings', () => tasks.every(({ task_rating: rating }) => rating === 'NOK'));
    // The first history entry is the submission.
    const decisions = tasks.reduce((sum, { history }) => sum + history.length - 1, 0);
    const writes = (await marketplace.requests()).filter(
      ({ path, applied }) => applied && path.includes('/rate_task'),
    );
    const updates = (await slack.requests({ method: 'chat.update' }))
      .filter(({ args }) => JSON.stringify(args).includes(message.ts))
      .map(({ at }) => at);
    const closest = Math.min(...updates.slice(1).map((at, index) => at - (updates[index] ?? 0)));
    // Includes the click on Select… in Home.
    const clicks = (await pressesOf(slack, 'U01ANN')) - before + 1;
    const name = `${count} tasks in bulk over ${transport === 'http' ? 'HTTP' : 'Socket Mode'}`;
    report({ what: `${name}: clicks`, against: '–', value: clicks, most: limits.clicks });
    report({
      what: `${name}: decisions applied`,
      against: 'one for each task',
      value: decisions / count,
      most: 1,
      least: 1,
    });
    report({ what: `${name}: marketplace writes`, against: '–', value: writes.length, most: limits.writes });
    report({
      what: `${name}: updates of its message`,
      against: 'one a second',
      value: updates.length < 2 ? 0 : 1_000 / closest,
      most: 1.1,
      measured: `${updates.length} updates, ${seconds} s`,
    });
  } finally {
    await machine.stop();
  }
}

function environment(transport: 'socket' | 'http'): Record<string, string> {
  const common = { UNDO_SECONDS: '2' };
  return transport === 'socket'
    ? common
    : { ...common, SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'sandbox-signing-secret', HOST: '127.0.0.1' };
}
