import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import type { CampaignId, MemberId, TaskId, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createAuditWriter } from '../../src/store/audit/writer.ts';
import { createGrants } from '../../src/store/grants.ts';
import { createLookDraw, createSecondLooks } from '../../src/store/second-looks.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import type { Person, Seen } from '../harness/slack.ts';
import { storedTask } from '../harness/stored-task.ts';
import { startWorld, transports, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  available_positions: 1000,
} as const;
const place = 'C01REVIEW';
const key = 'employer-demo-key';
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, key) };
const draw = createLookDraw();
const isDrawn = (task: string) => draw(ref, asId<TaskId>(task), 1) < 0.2;

describe.each(transports)('what happens while a decision waits for a second look (%s)', (transport) => {
  let world: World;
  let dan: Person;
  let redis: Redis;
  /** The process ends, as far as its work goes, when it next passes here. */
  let deadAt: FaultPoint | undefined;

  beforeAll(async () => {
    const people = ['ANN', 'BEN', 'CHLOE', 'DAN'].map((name, index) => ({
      id: `U0${index + 1}${name}`,
      name: name.toLowerCase(),
      real_name: name,
    }));
    world = await startWorld({
      transport,
      scenario: { campaigns: [shelf] },
      workspace: {
        users: people,
        channels: [{ id: place, name: 'review', members: ['U01ANN', 'U02BEN', 'U03CHLOE'] }],
      },
      env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '0', OPEN_CARDS: '0' },
      timeouts: { firstRetryMs: 50, requeueAfterMs: 300, leaseMs: 1_000 },
      faults(passing) {
        if (passing !== deadAt) return;
        deadAt = undefined;
        throw new Error('as if the process had died here');
      },
    });
    dan = world.slack.person('U04DAN');
    redis = new Redis(world.redis.url);
    const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id });
    const his = await cardOf(task);
    await world.ben.clicks(his, 'OK');
    await his.untilText(/:white_check_mark: \*OK\* by @/);
    const looks = createSecondLooks(redis, undefined, createAuditWriter());
    const settings = { share: 20, bulkNok: false } as const;
    await looks.setSettings(ref, undefined, settings, { by: asId<MemberId>('U01ANN'), how: 'form' });
  });
  afterAll(async () => {
    redis?.disconnect();
    await world?.close();
  });

  const cardOf = (task: string) =>
    eventually('its card', async () =>
      (await world.ann.reads(place)).find(({ raw }) => raw.metadata?.event_payload.task === task),
    );
  const rated = (task: string, rating: string) =>
    eventually(`the rating ${rating}`, async () => {
      const found = await world.marketplace.task(task);
      return found.task_rating === rating && found;
    });
  const timesRated = async (task: string) =>
    (await world.marketplace.requests()).filter(
      ({ path, applied, form }) =>
        applied && path.includes('/rate_task') && JSON.stringify(form).includes(task),
    ).length;

  /** Makes Dan a reviewer, who is in no channel, or nobody again. */
  async function grantDan(isReviewer: boolean): Promise<void> {
    const grant = { to: { kind: 'member', id: asId<MemberId>('U04DAN') }, role: 'reviewer', at: 1 } as const;
    const writer = createAuditWriter();
    await createGrants(redis, undefined, writer).change(
      ref,
      isReviewer ? { type: 'granted', grant } : { type: 'withdrawn', from: grant.to },
      { by: asId<MemberId>('U01ANN'), how: 'form' },
    );
  }

  /** A task whose decision by somebody waits for a second look. */
  async function waiting(first: Person): Promise<{ task: string; card: Seen }> {
    for (;;) {
      const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id });
      if (!isDrawn(task)) continue;
      const card = await cardOf(task);
      await first.clicks(card, 'OK');
      await card.untilText(/Waits for a second look/);
      return { task, card };
    }
  }

  async function refuses(by: Person, card: Seen, reason: string): Promise<void> {
    await by.clicks(card, 'NOK');
    const form = await by.modal(/Refuse this task/);
    await form.fill('Why is it refused?', reason);
    await form.submit();
  }

  test('the first loses their role: the next decision stands alone, also between two', async () => {
    await grantDan(true);
    const alone = await waiting(dan);
    const between = await waiting(dan);
    await refuses(world.ben, between.card, 'Too dark');
    await between.card.untilText(/Two reviewers differ/);
    await grantDan(false);
    await refuses(world.ben, alone.card, 'The shelf is empty');
    await rated(alone.task, 'NOK');
    await alone.card.untilText(/\*NOK\* by @ben/i);
    await world.chloe.clicks(between.card, 'OK');
    await between.card.untilText(/:white_check_mark: \*OK\* by @chloe/i);
    await rated(between.task, 'OK');
    expect([await timesRated(alone.task), await timesRated(between.task)]).toEqual([1, 1]);
  });

  test('the second loses their role: a third decides all the same', async () => {
    await grantDan(true);
    const { task, card } = await waiting(world.ann);
    await refuses(dan, card, 'Too dark');
    await card.untilText(/Two reviewers differ/);
    await grantDan(false);
    await world.chloe.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by @ann.*@chloe.* decided between two/is);
    await rated(task, 'OK');
    expect(await timesRated(task)).toBe(1);
  });

  test('the worker corrects the task: the decision is not sent, and the next round is new', async () => {
    const { task, card } = await waiting(world.ann);
    await world.marketplace.rate(task, 'REVISE', 'Take it again, please');
    // Between two polls both would leave the counts of the campaign as they were.
    await eventually('the bot to know of the revision', async () =>
      (await storedTask(world.redis.url, task))?.includes('"rating":"REVISE"'),
    );
    await world.marketplace.correct(task, ['another photo']);
    const next = await eventually('its next card', async () =>
      (await world.ann.reads(place)).find(
        ({ raw, ts }) => raw.metadata?.event_payload.task === task && ts !== card.ts,
      ),
    );
    expect(next.text).not.toMatch(/second look/);
    expect(await timesRated(task)).toBe(0);
    expect(await createSecondLooks(redis).waiting(ref)).toEqual({ tasks: [], untold: [] });
  });

  test('the campaign finishes: what waits is decided and sent as before', async () => {
    const { task, card } = await waiting(world.ann);
    await world.marketplace.patchCampaign(asId<CampaignId>(shelf.campaign_id), { status: 'FINISHED' });
    await world.ben.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by @ann.*second look by @ben.* agreed/is);
    await rated(task, 'OK');
    expect(await timesRated(task)).toBe(1);
    await world.marketplace.patchCampaign(asId<CampaignId>(shelf.campaign_id), { status: 'RUNNING' });
  });

  test('a process that dies once it has told one of two tells nobody twice, and not only the one', async () => {
    const { task, card } = await waiting(world.ann);
    deadAt = 'second look: told, not recorded';
    await refuses(world.ben, card, 'Too dark');
    await world.ben.sees('D02BEN', /You and @ann.* differ/i, { after: card.ts });
    await card.untilText(/Two reviewers differ/);
    // The third's decision is stored, and the process dies before it has queued anything.
    deadAt = 'decision stored, no job queued';
    await world.chloe.clicks(card, 'NOK');
    const form = await world.chloe.modal(/Refuse this task/);
    await form.fill('Why is it refused?', 'Really too dark');
    await form.submit();
    await world.ann.sees('D01ANN', /decided \*NOK\*/, { after: card.ts });
    await world.ben.sees('D02BEN', /decided \*NOK\*/, { after: card.ts });
    await rated(task, 'NOK');
    await world.settled();
    const about = async (person: Person, direct: string) =>
      (await person.reads(direct)).filter(({ raw }) => raw.metadata?.event_payload.task === task).length;
    expect([await about(world.ann, 'D01ANN'), await about(world.ben, 'D02BEN')]).toEqual([2, 2]);
  });

  test('the key is replaced: what waits goes on in the same account', async () => {
    const { task, card } = await waiting(world.ann);
    const newKey = 'employer-demo-key-2';
    await world.marketplace.addKey(newKey);
    await world.marketplace.revokeKey(key);
    await world.stopBots();
    world.environment.MARKETPLACE_API_KEY = newKey;
    await world.startBot();
    await world.ann.sees(place, /MARKETPLACE_API_KEY is a new key of the same account/);
    await world.ben.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by @ann.*second look by @ben.* agreed/is);
    await rated(task, 'OK');
    expect(await timesRated(task)).toBe(1);
  });
});
