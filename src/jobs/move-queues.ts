/** Moves the jobs of an earlier version, whose queues all had one prefix, to queues with a prefix each. */
import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/**
 * Stores a dead letter as a job that has failed, unless there is one with its id. KEYS: job, failed jobs. ARGV: id, when it
 * failed (ms), then fields and values. Returns 1 or 0.
 */
const storeFailedScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1`;

/** Fields of a job that tie it to the queue that it is taken from: what it is deduplicated by, and what repeats it. */
const ofItsQueue: ReadonlySet<string> = new Set(['deid', 'rjk', 'nrjid']);

/**
 * Moves what waits, is delayed or has failed from one queue to another. Every job is stored in the new queue, under an id that
 * follows from its own, before it is taken from the old one: however many processes move at once, and wherever one of them is
 * killed, none is lost, and the worst is that one runs twice, which changes nothing. Jobs that a process of the earlier version
 * runs at this moment are its own; those that it adds later are moved the next time. Returns how many were moved.
 */
export async function moveJobs(redis: Redis, from: Queue, to: Queue, now: number): Promise<number> {
  let moved = 0;
  for (const job of await from.getJobs(['waiting', 'prioritized', 'delayed'])) {
    // What is repeated is repeated by the new version itself.
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
    // Of a process that has died, or is about to be taken for dead: the lock of one that runs is renewed.
    if (job?.id === undefined || (await redis.exists(`${from.toKey(job.id)}:lock`)) === 1) continue;
    if (job.repeatJobKey === undefined) await addAgain(to, job, now);
    moved += await taken(job);
  }
  return moved;
}

/**
 * Removes a queue once no process of the earlier version works on it and nothing is left there but what is repeated, in one
 * step. Whoever works on a queue writes the first key at least as often as it expires. KEYS: stalled-check, the lists, the
 * sorted sets, then everything. ARGV: how many lists and sorted sets there are. Returns 1 or 0.
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

/** What a queue consists of besides its jobs and the lists that have them. */
const ownKeys = ['meta', 'id', 'events', 'marker', 'pc', 'completed', 'stalled', 'limiter', 'repeat'];

/** Removes a queue of the earlier version where nobody needs it any more. Returns whether it did. */
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

/** Takes a job from its queue. Resolves to 0 when somebody else has done that, or runs it. */
async function taken(job: Job): Promise<number> {
  return job.remove().then(
    () => 1,
    () => 0,
  );
}
