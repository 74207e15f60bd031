import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type FocusReviewer, focusReviewer, taskIn, textIn } from '../harness/focus-reviewer.ts';
import { createWorld, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.10000',
  available_positions: 1_000,
} as const;
const place = 'C01REVIEW';
/** As many as a flow has time for; `npm run bench` clears 300. */
const many = 40;

/** A world in which tasks wait before the bot starts: 20 have cards, the others are only counted. */
async function worldWith(count: number, options: Parameters<typeof createWorld>[0]): Promise<World> {
  const world = await createWorld({
    scenario: { campaigns: [shelf] },
    rateLimits: { marketplacePerSecond: 1_000 },
    ...options,
  });
  await world.marketplace.submit({ campaign_id: shelf.campaign_id, count });
  await world.startBot();
  await world.ann.sees(place, /more tasks? waits? for review/);
  return world;
}

describe(`focus review`, () => {
  let world: World;
  let ann: FocusReviewer;
  const verdicts = new Map<string, string>();
  const cards = async () =>
    (await world.ann.reads(place)).filter(({ raw }) => raw.metadata?.event_type === 'proofdesk_card');

  beforeAll(async () => {
    world = await worldWith(many, { transport: 'http', env: { UNDO_SECONDS: '1' } });
    ann = focusReviewer(world.slackUrl, 'U01ANN');
    await eventually('20 cards', async () => (await cards()).length === 20);
  });
  afterAll(() => world?.close());

  test('a reviewer clears the queue in one modal, and every decision is applied once', async () => {
    let view = await ann.start(place);
    const { id } = view;
    for (let count = 0; taskIn(view) !== undefined; count++) {
      const task = taskIn(view) ?? '';
      const verdict = count % 5 < 4 ? 'OK' : count % 10 < 5 ? 'REVISE' : 'NOK';
      expect(verdicts.has(task)).toBe(false);
      verdicts.set(task, verdict);
      const answer = verdict === 'OK' ? await ann.submit() : await ann.decidesAsSaved(verdict);
      expect(answer).toMatchObject({ ok: true, response_action: 'update' });
      view = await ann.until((shown) => taskIn(shown) !== task);
      expect(view.id).toBe(id);
    }
    expect(verdicts.size).toBe(many);
    expect(textIn(view)).toContain('You decided on *40 tasks*: 32 OK, 4 REVISE, 4 NOK.');
    for (const [task, verdict] of verdicts) {
      const rated = await eventually('the rating', async () => {
        const found = await world.marketplace.task(task);
        return found.task_rating !== 'NOTRATED' && found;
      });
      expect(rated.task_rating).toBe(verdict);
      expect(rated.employer_comment === '').toBe(verdict === 'OK');
    }
    expect(ann.clicks() / many).toBeLessThanOrEqual(1.45);
    // Submitted, and rated once.
    const { tasks } = await world.marketplace.state();
    expect(tasks.map(({ history }) => history.length)).toEqual(tasks.map(() => 2));
  });

  test('cards of those that had one fold, and the others have none', async () => {
    const shown = await eventually('folded cards', async () => {
      const found = await cards();
      return found.every(({ buttons }) => buttons.length === 0) && found;
    });
    expect(shown).toHaveLength(20);
    for (const { raw, text } of shown)
      expect(text).toMatch(
        new RegExp(`\\*${verdicts.get(String(raw.metadata?.event_payload.task))}\\* by @Ann`),
      );
  });

  test('the end of the queue is the one summary: closing it says nothing more', async () => {
    await ann.close();
    await world.ann.types(place, '/proofdesk help');
    await world.ann.sees(place, /\/proofdesk subscribe/);
    const said = (await world.ann.reads(place)).filter(({ ephemeral }) => ephemeral);
    expect(said).toHaveLength(1);
  });

  test('three reviewers at once never see the same task, and every task is decided once', async () => {
    const tasks = await world.marketplace.submit({ campaign_id: shelf.campaign_id, count: 9 });
    await eventually(
      'their cards',
      async () => (await cards()).filter(({ buttons }) => buttons.includes('OK')).length === tasks.length,
    );
    const seenBy = new Map<string, string>();
    const review = async (reviewer: FocusReviewer): Promise<void> => {
      let view = await reviewer.view();
      for (let task = taskIn(view); task !== undefined; task = taskIn(view)) {
        const shown = task;
        expect(seenBy.get(shown)).toBeUndefined();
        seenBy.set(shown, reviewer.user);
        await reviewer.submit();
        view = await reviewer.until((next) => taskIn(next) !== shown);
      }
    };
    const reviewers = ['U01ANN', 'U02BEN', 'U03CHLOE'].map((user) => focusReviewer(world.slackUrl, user));
    await Promise.all(reviewers.map((reviewer) => reviewer.start(place)));
    await Promise.all(reviewers.map(review));
    expect([...seenBy.keys()].toSorted()).toEqual(tasks.toSorted());
    expect(new Set(seenBy.values()).size).toBe(reviewers.length);
    for (const task of tasks) {
      const rated = await eventually('the rating', async () => {
        const found = await world.marketplace.task(task);
        return found.task_rating !== 'NOTRATED' && found;
      });
      expect(rated.history).toHaveLength(2);
    }
  });
});
