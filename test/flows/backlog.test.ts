import { afterEach, expect, test } from 'vitest';
import { startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { Faults } from '../../src/domain/fault-points.ts';
import type { ChannelId, WorkspaceId } from '../../src/domain/terms.ts';
import { createJobs } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createBacklogSummaries } from '../../src/store/backlog-summaries.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { openQueueRedis } from '../../src/store/redis.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/timeouts.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import type { Seen } from '../harness/slack.ts';
import { createWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = asId<ChannelId>('C01REVIEW');
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };
const impatient: Partial<Timeouts> = { firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 };
const silent = createLogger('silent', [], { write: () => undefined });

let world: World;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await world?.close();
});

/** A world in which 25 tasks wait before the bot starts: 20 cards, and 5 told of in the summary. */
async function with25Tasks(): Promise<string[]> {
  const campaign = { ...shelf, available_positions: 200 };
  world = await createWorld({ scenario: { campaigns: [campaign] }, timeouts: impatient });
  return world.marketplace.submit({ campaign_id: shelf.campaign_id, count: 25 });
}

function redis() {
  const opened = openQueueRedis(world.redis.url);
  closing.push(() => opened.disconnect());
  return opened;
}

/** A bot with parts of its own; posts come without any pace, so that what happens at once is not spread by it. */
async function startBotWith(parts: { readonly faults?: Faults } = {}): Promise<void> {
  const bot = await startApp(readConfig({ ...world.environment, PORT: '0' }), {
    logger: silent,
    rateLimits: { channelMs: 0, workspaceMs: 0, csvBytesPerMinute: 1_000_000_000 },
    timeouts: { ...defaultTimeouts, ...impatient },
    ...parts,
  });
  closing.push(() => bot.stop());
}

const stands = async (holds: (message: Seen) => boolean) => (await world.ann.reads(place)).filter(holds);
const summaries = () => stands(({ text }) => /wait(s|ing)? for review/.test(text));
const cards = () => stands(({ raw }) => raw.metadata?.event_type === 'proofdesk_card');

/** Waits until all 20 cards stand there and the summary follows what happens, which it can when it is known where it is. */
async function settled(tasks: readonly string[]) {
  await eventually('20 cards', async () => (await cards()).length >= 20, 30_000);
  const summary = await world.ann.sees(place, /5 more tasks wait/);
  const waiting = await eventually('a task without a card', async () => {
    const shown = new Set((await cards()).map(({ raw }) => raw.metadata?.event_payload.task));
    return shown.size === 20 && tasks.find((task) => !shown.has(task));
  });
  await world.marketplace.rate(waiting, 'OK');
  await summary.untilText(/4 more tasks wait/, 20_000);
  return summary;
}

test('a summary whose post is not answered stands there once, and follows what happens', async () => {
  const tasks = await with25Tasks();
  await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: 'drop-after', times: 0 });
  await world.startBot();
  const summary = await settled(tasks);
  expect(await summaries()).toHaveLength(1);
  expect(await cards()).toHaveLength(20);
  await world.slack.clearFaults();
  await world.ann.clicks(summary, 'Show the rest');
  await summary.untilText(/Every task waiting for review has its card/);
  expect(await summaries()).toHaveLength(1);
});

test('a bot that dies between posting the summary and recording where leaves one', async () => {
  const tasks = await with25Tasks();
  const summaryRecords = createBacklogSummaries(redis());
  let deaths = 0;
  await startBotWith({
    async faults(passing) {
      if (passing !== 'summary: posted, not recorded') return;
      if ((await summaryRecords.get(ref, place))?.card.state !== 'wanted') return;
      if ((await summaries()).length === 0) return;
      deaths += 1;
      throw new Error('as if the process had died here');
    },
  });
  await settled(tasks);
  expect(deaths).toBeGreaterThan(0);
  expect(await summaries()).toHaveLength(1);
  expect(await cards()).toHaveLength(20);
});

test('a summary that somebody deletes comes back', async () => {
  await with25Tasks();
  await startBotWith();
  const summary = await world.ann.sees(place, /5 more tasks wait/);
  await eventually('20 cards', async () => (await cards()).length === 20);
  await world.slack.deletes(summary);
  await eventually('the summary to be gone', async () =>
    (await summaries()).every(({ ts }) => ts !== summary.ts),
  );
  const again = await eventually('the summary again', async () => (await summaries())[0]);
  expect(again.text).toMatch(/5 more tasks wait/);
});

test('several jobs at once that find the summary deleted post one', async () => {
  const tasks = await with25Tasks();
  await startBotWith();
  const summary = await world.ann.sees(place, /5 more tasks wait/);
  await eventually('20 cards', async () => (await cards()).length === 20);
  await world.slack.deletes(summary);
  await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: 'latency', delayMs: 200, times: 0 });
  const jobs = createJobs(redis(), silent, createFailingJobs(redis(), Date.now));
  closing.push(() => jobs.close());
  await Promise.all(Array.from({ length: 4 }, () => jobs.add('summarize', { ...ref, channel: place })));
  await settled(tasks);
  expect(await summaries()).toHaveLength(1);
});
