import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { Faults } from '../../src/domain/fault-points.ts';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { defaultIntervals } from '../../src/feature-context.ts';
import { createLogger } from '../../src/logger.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { createTimesToRate } from '../../src/store/times-to-rate.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { recordText } from '../harness/stored-task.ts';
import { createWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';
const silent = createLogger('silent', [], { write: () => undefined });
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };

let world: World;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await world?.close();
});

/** One of several processes. */
async function startProcess(faults: Faults): Promise<void> {
  const bot = await startApp(
    { ...readConfig({ ...world.environment, PORT: '0' }), pollSeconds: 0.4 },
    {
      logger: silent,
      rateLimits: { channelMs: 0, workspaceMs: 0, backgroundMs: 0, csvBytesPerMinute: 1_000_000_000 },
      intervals: { ...defaultIntervals, reminderPaceMs: 0 },
      timeouts: { ...defaultTimeouts, firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 },
      faults,
    },
  );
  closing.push(() => bot.stop());
}

const reminders = async () =>
  (await world.ann.reads(place)).filter(({ raw }) => raw.metadata?.event_type === 'proofdesk_reminder');

test('one message is posted by two processes that die over it, and found again after an older copy of the data', async () => {
  world = await createWorld({ scenario: { campaigns: [shelf] } });
  let restore: (() => Promise<void>) | undefined;
  let deaths = 0;
  const faults: Faults = async (passing) => {
    // A copy of the time just before it is posted: restored later, it knows that it is to be, and nothing of the post.
    if (passing === 'reminder: post slot reserved' && deaths === 0) restore ??= await world.redis.copy();
    if (passing !== 'reminder: posted, not recorded' || deaths >= 2) return;
    deaths += 1;
    throw new Error('as if the process had died here');
  };
  await startProcess(faults);
  await startProcess(faults);
  await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['a shelf of tea'] });
  const card = await world.ann.sees(place, /a shelf of tea/);
  const redis = new Redis(world.redis.url);
  closing.push(() => redis.disconnect());
  await createTimesToRate(redis).put(ref, asId(shelf.campaign_id), 1);
  const reminder = await world.ann.sees(place, /1 task\*? is due within 48 hours/);
  await card.untilText(/Due/);
  expect(deaths).toBeGreaterThan(0);
  await restore?.();
  await eventually('the reminder to be known again', async () => {
    const record = await redis.getBuffer(`proofdesk:{${workspace}/${ref.account}}:reminder:${place}`);
    return recordText(record)?.includes(reminder.ts) ?? false;
  });
  await world.ann.clicks(card, 'OK');
  await reminder.untilText(/No task waiting for review is due/);
  expect(await reminders()).toHaveLength(1);
});
