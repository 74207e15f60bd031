import { onTestFinished, test } from 'vitest';
import { startWorld } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';

test('Review this opens the review at that task; who looks at it, or has decided, is said', async () => {
  const world = await startWorld({ scenario: { campaigns: [shelf] }, env: { UNDO_SECONDS: '1' } });
  onTestFinished(() => world.close());
  const { ann, ben, marketplace } = world;
  await world.card('an older one');
  const { task, card } = await world.taskWithCard('exactly this one');
  await ben.shortcut('review_this', card);
  const review = await ben.modal(/exactly this one/);
  await ann.shortcut('review_this', card);
  await ann.sees(place, /@Ben Okafor is looking at this task in a review right now/);
  // It goes on with what waits.
  await review.next(/\*2\* of this review/);
  await marketplace.rated(task, 'OK');
  await ann.shortcut('review_this', card);
  await ann.sees(place, /@Ben Okafor has already decided \*OK\* .* nothing to review/);
  const { ts } = await ann.says(place, 'just a message');
  await ann.shortcut(
    'review_this',
    await ann.sees(place, /just a message/, { after: String(Number(ts) - 1) }),
  );
  await ann.sees(place, /This message is not a task card/);
});
