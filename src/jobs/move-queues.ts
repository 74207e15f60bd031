/** Moves the jobs of an earlier version, whose queues shared one prefix, to queues with a prefix each. */
import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/**
 * Stores a dead letter as a failed job, unless one with its id exists. KEYS: job, failed jobs. ARGV: id, when it failed
 * (ms), then fields and values. Returns 1 or 0.
 */
const storeFailedScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1`;

/** Fields of a job that tie it to its original queue: its deduplication and its repetition. */
const ofItsQueue: ReadonlySet<string> = new Set(['deid', 'rjk', 'nrjid']);

/**
 * Moves waiting, delayed and failed jobs from one queue to another. Every job is stored in the new queue, under an id
 * derived from its own, before it is removed from the old one: however many processes move at once, and wherever one of them
 * is killed, none is lost, and at worst one runs twice, which changes nothing. Jobs that a process of the earlier version is
 * running are left to it; those that it adds later are moved the next time. Returns how many were moved.
 */
export async function moveJobs(redis: Redis, from: Queue, to: Queue, now: number): Promise<number> {
  let moved = 0;
  for (const job of await from.getJobs(['waiting', 'prioritized', 'delayed'])) {
    // The new version schedules its own repetitions.
    if (job?.id === undefined || job.repeatJobKey !== undefined) continue;
    await addAgain(to, job, now);
    moved += await taken(job);
  }
  for (const job of await from.getFailed()) {
    if (job?.id === undefined) continue;
    await storeFailed(redis, from, to, job);
    moved += await taken(job);
  }
  for (const job of await from.getActive()) {
    // Its process has died, or will soon be considered dead: a running process renews its lock.
    if (job?.id === undefined || (await redis.exists(`${from.toKey(job.id)}:lock`)) === 1) continue;
    if (job.repeatJobKey === undefined) await addAgain(to, job, now);
    moved += await taken(job);
  }
  return moved;
}

/**
 * Removes a queue, in one step, once no process of the earlier version works on it and only repetitions are left there. A
 * process that works on a queue renews the first key before it expires. KEYS: stalled-check, the lists, the sorted sets,
 * then everything. ARGV: how many lists and sorted sets there are. Returns 1 or 0.
 */
const removeScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local last = 1 + ARGV[1] + ARGV[2]
for i = 2, last do
  local ids = i <= 1 + ARGV[1] and redis.call('LRANGE', KEYS[i], 0, -1) or redis.call('ZRANGE', KEYS[i], 0, -1)
  for _, id in ipairs(ids) do if string.sub(id, 1, 7) ~= 'repeat:' then return 0 end end
end
for i = last + 1, #KEYS do redis.call('DEL', KEYS[i]) end
return 1`;

/** A queue's keys besides its jobs and the lists of them. */
const ownKeys = ['meta', 'id', 'events', 'marker', 'pc', 'completed', 'stalled', 'limiter', 'repeat'];

/** Removes a queue of the earlier version that is no longer needed. Returns whether it did. */
export async function removeIfIdle(redis: Redis, queue: Queue): Promise<boolean> {
  const lists = ['wait', 'active', 'paused'].map((name) => queue.toKey(name));
  const sets = ['delayed', 'prioritized', 'failed'].map((name) => queue.toKey(name));
  if ((await redis.exists(queue.toKey('stalled-check'))) === 1) return false;
  const repeated = await redis.zrange(queue.toKey('repeat'), '0', '-1');
  const lines = await Promise.all([
    ...lists.map((key) => redis.lrange(key, 0, -1)),
    ...sets.map((key) => redis.zrange(key, '0', '-1')),
  ]);
  const names = [...ownKeys, ...repeated.map((id) => `repeat:${id}`), ...lines.flat()];
  const everything = [...lists, ...sets, ...names.map((name) => queue.toKey(name))];
  const keys = [queue.toKey('stalled-check'), ...lists, ...sets, ...everything];
  return (await redis.eval(removeScript, keys.length, ...keys, lists.length, sets.length)) === 1;
}

const movedId = (job: Job) => `moved-${job.id}`;

async function addAgain(to: Queue, job: Job, now: number): Promise<void> {
  const waited = Math.max(0, now - job.timestamp);
  const { delay: _, jobId: __, ...options } = job.opts;
  await to.add(job.name, job.data, {
    ...options,
    jobId: movedId(job),
    timestamp: now,
    ...(job.delay > waited ? { delay: job.delay - waited } : {}),
  });
}

async function storeFailed(redis: Redis, from: Queue, to: Queue, job: Job): Promise<void> {
  const fields = await redis.hgetall(from.toKey(job.id ?? ''));
  const kept = Object.entries(fields).filter(([field]) => !ofItsQueue.has(field));
  if (kept.length === 0) return;
  const keys = [to.toKey(movedId(job)), to.toKey('failed')];
  await redis.eval(
    storeFailedScript,
    2,
    ...keys,
    movedId(job),
    job.finishedOn ?? job.timestamp,
    ...kept.flat(),
  );
}

/** Removes a job from its queue. Resolves to 0 when another process has removed it, or runs it. */
async function taken(job: Job): Promise<number> {
  return job.remove().then(
    () => 1,
    () => 0,
  );
}
