import type { SeenView } from '@proofdesk/slack-sandbox/testing';
import { beforeEach, expect, test } from 'vitest';
import { decidesTogether, opensSelection, presses } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import type { FaultPoint } from '../harness/world.ts';
import { worldPerTest } from '../harness/worlds.ts';
import { botsPerTest } from './bots.ts';

const direct = 'D01ANN';

const { world, begin } = worldPerTest();
const startProcess = botsPerTest();
/** The process ends, as far as its work goes, when it next passes here. */
let deadAt: FaultPoint | undefined;
const deaths: FaultPoint[] = [];
const retries = { firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 };

beforeEach(async () => {
  await begin({
    scenario: { campaigns: [] },
    env: { UNDO_SECONDS: '0' },
    timeouts: { ...retries, leaseMs: 1_000, renderLeaseMs: 2_000 },
    faults(passing) {
      if (passing !== deadAt) return;
      deaths.push(passing);
      deadAt = undefined;
      throw new Error('as if the process had died here');
    },
  });
});

async function waiting(title: string, count: number): Promise<string[]> {
  const running = { title, status: 'RUNNING', available_positions: 100 } as const;
  const { campaign_id } = await world.marketplace.addCampaign(running);
  // Too short to look like one another.
  return world.marketplace.submit({ campaign_id, count, proof: ['a shelf'] });
}

/** Ticks all that waits, as far as the preview. */
async function previews(count: number): Promise<SeenView> {
  const page = await eventually('the tasks', async () => {
    const opened = await opensSelection(world.ann);
    return opened.text.includes(`of ${count} waiting`) && opened;
  });
  let left = count;
  for (; left > 25; left -= 25) await presses(page, 'Select these 25, next page');
  await presses(page, `Select these ${left}`);
  return decidesTogether(page, 'OK');
}

const messages = async (after: string) =>
  (await world.ann.reads(direct)).filter(
    ({ raw, ts }) => ts > after && raw.metadata?.event_type === 'proofdesk_bulk',
  );
const last = () => world.ann.lastIn(direct);

async function eachRatedOnce(tasks: readonly string[]): Promise<void> {
  const { tasks: all } = await world.marketplace.state();
  const own = all.filter(({ task_id }) => tasks.includes(task_id));
  // Submitted, and rated once.
  const ratings = own.map(({ task_rating, history }) => [task_rating, history.length]);
  expect(ratings).toEqual(tasks.map(() => ['OK', 2]));
}

test('a process that dies over the post of its progress is followed by another one, and posts one message', async () => {
  for (const point of ['attempt stored, not posted', 'posted, not recorded'] as const) {
    const tasks = await waiting(point, 4);
    const before = await last();
    const preview = await previews(4);
    // The post of none of them is the one that is died over.
    await eventually('their cards', async () => (await world.posts(new RegExp(point))).length === 4);
    deadAt = point;
    await preview.clicks('Rate ');
    const message = await world.ann.sees(direct, /\*4 tasks\* rated \*OK\*/, { after: before });
    expect(deaths).toContain(point);
    expect(message.buttons).toEqual([]);
    expect(await messages(before)).toHaveLength(1);
    await eachRatedOnce(tasks);
  }
});

test('a process that is killed while it decides is followed by another one, which finishes what it began', async () => {
  const tasks = await waiting('killed', 30);
  const before = await last();
  const preview = await previews(30);
  await world.stopBots();
  const first = await startProcess(world.environment);
  await first.ready();
  await preview.clicks('Rate ');
  // Killed as soon as anything is decided.
  await eventually('a decision', async () => (await messages(before)).length > 0);
  first.child.kill('SIGKILL');
  await first.exit;
  await world.startBot();
  await world.ann.sees(direct, /\*30 tasks\* rated \*OK\*/, { after: before, timeoutMs: 240_000 });
  expect(await messages(before)).toHaveLength(1);
  await eachRatedOnce(tasks);
  // Its jobs are free when their locks have run out.
}, 300_000);
