import type { Person, SeenView } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, expect } from 'vitest';
import {
  decidesAsSaved,
  hasTask,
  place,
  pressesOf,
  paidShelf as shelf,
  startsReview,
} from '../harness/acts.ts';
import { createWorld, eventually, sharedWorld, story } from '../harness/worlds.ts';

/** As many as a flow has time for; `npm run bench` clears 300. */
const many = 40;

/** The proof that a review shows: each is another. */
const proofIn = ({ text }: SeenView): string => /Shelf number \d+/.exec(text)?.[0] ?? '';

const world = sharedWorld(
  {
    scenario: { campaigns: [shelf] },
    rateLimits: { marketplacePerSecond: 1_000 },
    transport: 'http',
    env: { UNDO_SECONDS: '1' },
  },
  createWorld,
);
let review: SeenView;
/** By task. */
const verdicts = new Map<string, 'OK' | 'REVISE' | 'NOK'>();
/** The tasks, by their proofs. */
const tasks = new Map<string, string>();

async function submits(count: number): Promise<string[]> {
  const submitted: string[] = [];
  for (let index = 0; index < count; index++) {
    const proof = `Shelf number ${tasks.size + 1}`;
    const [task = ''] = await world.submit(proof);
    tasks.set(proof, task);
    submitted.push(task);
  }
  return submitted;
}

const cards = () => world.postsOf('card');

beforeAll(async () => {
  // Tasks wait before the bot starts: 20 have cards, the others are only counted.
  await submits(many);
  await world.startBot();
  await world.ann.sees(place, /more tasks? waiting/);
  await eventually('20 cards', async () => (await cards()).length === 20);
});

story('reviewers clear the queue in a modal each, and every decision is applied once', {
  'a reviewer clears the queue in one modal, and every decision is applied once': async () => {
    review = await startsReview(world.ann, place);
    const before = await pressesOf(world.slack, 'U01ANN');
    for (let count = 0; hasTask(review); count++) {
      const proof = proofIn(review);
      const task = tasks.get(proof) ?? '';
      const verdict = count % 5 < 4 ? 'OK' : count % 10 < 5 ? 'REVISE' : 'NOK';
      expect(task).not.toBe('');
      expect(verdicts.has(task)).toBe(false);
      verdicts.set(task, verdict);
      const answer = verdict === 'OK' ? await review.submit() : await decidesAsSaved(review, verdict);
      expect(answer).toMatchObject({ ok: true, response_action: 'update' });
      // The same modal shows the next one.
      await review.until((shown) => proofIn(shown) !== proof);
    }
    expect(verdicts.size).toBe(many);
    expect(await world.ann.modals()).toHaveLength(1);
    expect(review.text).toContain('You rated *40 tasks*: 32 OK, 4 REVISE, 4 NOK.');
    for (const [task, verdict] of verdicts) {
      await world.marketplace.rated(task, verdict);
      const rated = await world.marketplace.task(task);
      expect(rated.employer_comment === '').toBe(verdict === 'OK');
    }
    const presses = (await pressesOf(world.slack, 'U01ANN')) - before;
    expect(presses / many).toBeLessThanOrEqual(1.45);
    // Submitted, and rated once.
    const { tasks: all } = await world.marketplace.state();
    expect(all.map(({ history }) => history.length)).toEqual(all.map(() => 2));
  },

  'cards of those that had one fold, and the others have none': async () => {
    const shown = await eventually('folded cards', async () => {
      const found = await cards();
      return found.every(({ buttons }) => buttons.length === 0) && found;
    });
    expect(shown).toHaveLength(20);
    for (const { raw, text } of shown)
      expect(text).toMatch(
        new RegExp(`\\*${verdicts.get(String(raw.metadata?.event_payload.task))}\\* by @Ann`),
      );
  },

  'the end of the queue is the one summary: closing it says nothing more': async () => {
    await review.close({ all: true });
    await world.settled();
    expect((await world.ann.reads(place)).filter(({ ephemeral }) => ephemeral)).toEqual([]);
  },

  'three reviewers at once never see the same task, and every task is decided once': async () => {
    const waiting = await submits(9);
    await eventually(
      'their cards',
      async () => (await cards()).filter(({ buttons }) => buttons.includes('OK')).length === waiting.length,
    );
    const seenBy = new Map<string, Person>();
    const people = [world.ann, world.ben, world.chloe];
    const reviews = await Promise.all(people.map((person) => startsReview(person, place)));
    const clears = async (person: Person, shown: SeenView | undefined): Promise<void> => {
      while (shown && hasTask(shown)) {
        const proof = proofIn(shown);
        const task = tasks.get(proof) ?? '';
        expect(seenBy.get(task)).toBeUndefined();
        seenBy.set(task, person);
        await shown.submit();
        await shown.until((view) => proofIn(view) !== proof);
      }
    };
    await Promise.all(people.map((person, index) => clears(person, reviews[index])));
    expect([...seenBy.keys()].toSorted()).toEqual(waiting.toSorted());
    expect(new Set(seenBy.values()).size).toBe(people.length);
    for (const task of waiting) {
      await world.marketplace.rated(task, 'OK');
      expect((await world.marketplace.task(task)).history).toHaveLength(2);
    }
  },
});
