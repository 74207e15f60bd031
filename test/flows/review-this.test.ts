import { afterAll, beforeAll, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import type { Person, Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';

let world: World;
let ann: Person;
let ben: Person;
beforeAll(async () => {
  world = await startWorld({
    scenario: { campaigns: [shelf] },
    env: { UNDO_SECONDS: '1', ACCOUNT_OWNERS: 'U01ANN' },
  });
  ({ ann, ben } = world);
});
afterAll(() => world?.close());

async function taskWithCard(proof: string): Promise<{ task: string; card: Seen }> {
  const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await ann.sees(place, new RegExp(proof)) };
}

test('Review this opens the review at that task; who looks at it, or has decided, is said', async () => {
  await taskWithCard('an older one');
  const { task, card } = await taskWithCard('exactly this one');
  await ben.shortcut('review_this', card);
  const review = await ben.modal(/exactly this one/);
  await ann.shortcut('review_this', card);
  await ann.sees(place, /@Ben Okafor is looking at this task in a review right now/);
  // It goes on with what waits.
  await review.submit();
  await ben.modal(/\*2\* of this review/);
  await eventually('the rating', async () => (await world.marketplace.task(task)).task_rating === 'OK');
  await ann.shortcut('review_this', card);
  await ann.sees(place, /@Ben Okafor has already decided \*OK\* .* nothing to review/);
  const { ts } = await ann.says(place, 'just a message');
  await ann.shortcut(
    'review_this',
    await ann.sees(place, /just a message/, { after: String(Number(ts) - 1) }),
  );
  await ann.sees(place, /This message is not a task card/);
});
