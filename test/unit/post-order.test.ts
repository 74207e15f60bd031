import { expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createJobs } from '../../src/jobs/queue.ts';
import { type JobContext, Reschedule, startJobRunners } from '../../src/jobs/runner.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const logger = createLogger('silent', []);

test('in a burst, a post whose slot has come is made before the others have got theirs', async () => {
  const failing = createFailingJobs(redis.first, Date.now);
  const jobs = createJobs(redis.first, logger, failing);
  const tasks = Array.from({ length: 100 }, (_, index) => asId(`t${index}`));
  const runs: string[] = [];
  const post = async ({ task }: { readonly task: string }, { slot }: JobContext) => {
    runs.push(slot === undefined ? 'reserved' : `posted ${task}`);
    // The first has the next slot, the others later ones.
    if (slot === undefined) throw new Reschedule(task === 't0' ? 1 : 60_000, Date.now());
  };
  await jobs.addAll(
    'post',
    tasks.map((task) => ({ ...ref, task: asId(task) })),
    ({ task }) => task,
  );
  const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
  const runners = startJobRunners(connection, { post } as never, failing, logger, defaultTimeouts);
  await eventually('all have run', () => runs.length === 101);
  expect(runs.indexOf('posted t0')).toBeLessThan(50);
  await runners.stop();
  connection.disconnect();
  await jobs.close();
});
