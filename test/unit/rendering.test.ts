import { expect, test } from 'vitest';
import { runTogether } from '../../src/domain/collections.ts';
import { accountKey } from '../../src/store/format.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { waitingRow } from '../harness/waiting-row.ts';

const redis = redisPerFile();
const ids = Array.from({ length: 20 }, (_, index) => asId<never>(`t${index}`));

/** Stores the tasks, each with a message that does not show it yet, and acquires the right to render them. */
async function rendered() {
  const tasks = createTasks(redis());
  for (const id of ids) await tasks.apply(ref, id, waitingRow(id, undefined, undefined, { want: 'card' }));
  const leases = await Promise.all(ids.map((id) => tasks.acquireRenderLease(ref, id, 60_000)));
  const revisions = (await tasks.getMany(ref, ids)).map(({ revision }) => revision);
  return { tasks, leases, revisions };
}

test('messages that were rendered are recorded, and those that have changed meanwhile stay marked', async () => {
  const { tasks, leases, revisions } = await rendered();
  const isLatest = await Promise.all(
    // The last one has changed since it was drawn.
    leases.map(async (lease, index) => lease?.markRendered((revisions[index] ?? 0) - (index === 19 ? 1 : 0))),
  );
  expect(isLatest).toEqual([...Array.from({ length: 19 }, () => true), false]);
  expect(await tasks.find(ref, 'needs-render')).toEqual(['t19']);
  // The leases of the others are free, and this one can still be rendered by its owner alone.
  const keys = ids.map((id) => accountKey(ref, 'task', id, 'render-lease'));
  expect((await redis().mget(...keys)).map((owner) => owner !== null)).toEqual(
    ids.map((_, index) => index === 19),
  );
});

test('what runs together has ended before the first failure is thrown', async () => {
  const ended: number[] = [];
  const running = runTogether([0, 1, 2], async (item) => {
    if (item === 0) throw new Error('failed');
    await new Promise((resolve) => setTimeout(resolve, item));
    ended.push(item);
    return item;
  });
  await expect(running).rejects.toThrow('failed');
  expect(ended).toEqual([1, 2]);
  expect(await runTogether(['a', 'b'], async (item, index) => `${item}${index}`)).toEqual(['a0', 'b1']);
});
