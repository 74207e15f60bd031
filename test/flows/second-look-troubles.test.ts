import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CampaignId, TaskId, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createLookDraw } from '../../src/store/second-looks.ts';
import { createTimesToRate } from '../../src/store/times-to-rate.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import type { Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

const campaign = (campaign_id: string) => ({
  campaign_id,
  title: `Photo of a shelf ${campaign_id}`,
  status: 'RUNNING',
  available_positions: 1000,
});
const [shelf, urgent] = ['c0ffee01', 'c0ffee02'] as const;
const place = 'C01REVIEW';
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };
const draw = createLookDraw();
const isDrawn = (task: string) => draw(ref, asId<TaskId>(task), 1) < 0.2;

let world: World;

beforeAll(async () => {
  world = await startWorld({
    scenario: { campaigns: [campaign(shelf), campaign(urgent)] },
    env: { UNDO_SECONDS: '0', OPEN_CARDS: '0' },
    timeouts: { marketplaceMs: 2_000 },
  });
  const his = await cardOf((await world.marketplace.submit({ campaign_id: shelf, proof: ['his'] }))[0] ?? '');
  await world.ben.clicks(his, 'OK');
  await his.untilText(/:white_check_mark: \*OK\* by @Ben/);
  await world.ann.types(place, '/proofdesk settings');
  await (await world.ann.modal(/Owners/)).clicks('Second looks');
  const form = await world.ann.modal(/How many decisions wait/);
  await form.select('How many decisions wait', '20');
  expect((await form.submit()).errors).toBeUndefined();
});
afterAll(() => world?.close());

const cardOf = (task: string) =>
  eventually('its card', async () =>
    (await world.ann.reads(place)).find(({ raw }) => raw.metadata?.event_payload.task === task),
  );
const rating = async (task: string) => (await world.marketplace.task(task)).task_rating;
const timesRated = async (task: string) =>
  (await world.marketplace.requests()).filter(
    (request) => request.path.includes('/rate_task') && JSON.stringify(request).includes(task),
  ).length;

/** Returns a task that waits for a second look once somebody decides. */
async function drawnTask(about: { campaign_id: string; finished_datetime?: string }) {
  for (;;) {
    const [task = ''] = await world.marketplace.submit({ ...about, proof: ['a shelf'] });
    if (isDrawn(task)) return { task, card: await cardOf(task) };
  }
}

async function annDecides(card: Seen): Promise<void> {
  await world.ann.clicks(card, 'OK');
  await card.untilText(/Waits for a second look by somebody other than @Ann/);
}

test('two who look at once: one agrees, the other reads that, and it is sent once', async () => {
  const { task, card } = await drawnTask({ campaign_id: shelf });
  await annDecides(card);
  await Promise.all([world.ben.clicks(card, 'OK'), world.chloe.clicks(card, 'OK')]);
  await card.untilText(/:white_check_mark: \*OK\* by @Ann.*second look by @(Ben|Chl).* agreed/s);
  const late = /@Ben/.test(card.text) ? world.chloe : world.ben;
  await late.sees(place, /already decided \*OK\* on this task/);
  expect(await rating(task)).toBe('OK');
  expect(await timesRated(task)).toBe(1);
});

test('one that the time to rate leaves no look for is sent, with a note', async () => {
  const finished_datetime = new Date(Date.now() - 23 * 3_600_000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ');
  const { task, card } = await drawnTask({ campaign_id: urgent, finished_datetime });
  await annDecides(card);
  const redis = new Redis(world.redis.url);
  await createTimesToRate(redis).put(ref, asId<CampaignId>(urgent), 1);
  redis.disconnect();
  await card.untilText(/:white_check_mark: \*OK\* by @Ann.*Nobody took a second look in time/s);
  expect(await rating(task)).toBe('OK');
  await world.ann.types(place, '/proofdesk audit');
  await world.ann.sees(place, /had a decision sent without a second look/);
});

test('a rating elsewhere ends it', async () => {
  const { task, card } = await drawnTask({ campaign_id: shelf });
  await annDecides(card);
  await world.marketplace.rate(task, 'NOK', 'by somebody else');
  await card.untilText(/rated outside of Slack.*@Ann.* had decided OK; that was not sent/s);
  expect(await timesRated(task)).toBe(0);
});

test('one that an older copy of Redis does not have is read back from its card', async () => {
  const { task, card } = await drawnTask({ campaign_id: shelf });
  const restore = await world.redis.copy();
  await annDecides(card);
  await world.settled();
  await restore();
  // The next one comes when all that was there is recovered.
  const [next = ''] = await world.marketplace.submit({ campaign_id: shelf, proof: ['a later one'] });
  await cardOf(next);
  await card.untilText(/Waits for a second look by somebody other than @Ann/);
  expect(await rating(task)).toBe('NOTRATED');
  await world.ben.clicks(card, 'OK');
  await card.untilText(/:white_check_mark: \*OK\* by @Ann.*second look by @Ben.* agreed/s);
  expect(await timesRated(task)).toBe(1);
});
