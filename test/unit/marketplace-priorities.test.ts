import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, type Priority } from '../../src/marketplace/rate-limiter.ts';
import { clientOf, serve } from './marketplace-server.ts';

/** A call that waits however long it takes. */
const patient = { at: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
setMaxListeners(0, patient.signal);

describe('a rating', () => {
  it('goes before 300 results and 300 lists that were asked for earlier', async () => {
    // Nothing but ratings is answered before the rating was.
    let release = () => {};
    const rated = new Promise<void>((resolve) => (release = resolve));
    const server = await serve(async ({ path }) => {
      if (!path.includes('rate_task')) await rated;
      return { body: { status: 'SUCCESS', campaign_id: 'c', csv: '', count: 0, campaigns: [] } };
    });
    const client = clientOf(server.url, { deadlineMs: 20_000 });
    const reads = Array.from({ length: 300 }, () => [client.campaignResults('c'), client.listCampaigns()]);
    const done = Promise.allSettled(reads.flat());
    await client.rateTask('c', { taskId: 't', rating: 'OK', comment: '' });
    const before = server.seen.findIndex(({ path }) => path.includes('rate_task'));
    // Those that had begun when it came.
    expect(before).toBeLessThan(4);
    release();
    await done;
    expect(server.seen).toHaveLength(601);
  });

  it('starts within a second in which everything else may start only once less', async () => {
    const limiter = createRateLimiter({ concurrency: 1_000, requestsPerSecond: 10 });
    const started: Priority[] = [];
    const ask = async (priority: Priority) => {
      await limiter.acquire(priority, patient);
      started.push(priority);
    };
    for (let n = 0; n < 30; n += 1) void ask(n % 2 === 0 ? 'bulk' : 'ordinary');
    await ask('rating');
    expect(started).toHaveLength(10);
    expect(started.at(-1)).toBe('rating');
  });
});

it('every request gets a slot, in the order of its kind, and one slot is always left to ratings', async () => {
  const kinds = fc.array(fc.constantFrom<Priority>('rating', 'ordinary', 'bulk'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.integer({ min: 1, max: 6 }),
      fc.scheduler(),
      async (asked, concurrency, scheduler) => {
        const limiter = createRateLimiter({ concurrency, requestsPerSecond: 1e6 });
        const running: Priority[] = [];
        const order: Record<Priority, number[]> = { rating: [], ordinary: [], bulk: [] };
        const all = asked.map(async (priority, index) => {
          await limiter.acquire(priority, patient);
          running.push(priority);
          order[priority].push(index);
          expect(running.length).toBeLessThanOrEqual(concurrency);
          const others = running.filter((kind) => kind !== 'rating').length;
          if (concurrency > 1) expect(others).toBeLessThan(concurrency);
          if (concurrency > 2)
            expect(running.filter((kind) => kind === 'bulk').length).toBeLessThan(concurrency - 1);
          await scheduler.schedule(Promise.resolve());
          running.splice(running.indexOf(priority), 1);
          limiter.release(priority);
        });
        await scheduler.waitFor(Promise.all(all));
        for (const indexes of Object.values(order))
          expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
      },
    ),
    { numRuns: 50 },
  );
});
