import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** How much longer than its delay a job may wait (ms): the compared times are read one after the other. */
const toleranceMs = 2_000;

/**
 * Prevents delayed jobs from waiting longer than their delay from now. KEYS: delayed jobs, marker that wakes the workers.
 * ARGV: prefix of jobs, now (ms), tolerance (ms). Returns how many were brought forward.
 */
const boundDelaysScript = `
local now = tonumber(ARGV[2])
local jobs = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', string.format('%.0f', now * 4096), 'WITHSCORES', 'LIMIT', 0, 1000)
local changed = 0
for i = 1, #jobs, 2 do
  local delay = tonumber(redis.call('HGET', ARGV[1] .. jobs[i], 'delay') or '0')
  if jobs[i + 1] / 4096 > now + delay + tonumber(ARGV[3]) then
    redis.call('ZADD', KEYS[1], string.format('%.0f', (now + delay) * 4096), jobs[i])
    changed = changed + 1
  end
end
if changed > 0 then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  redis.call('ZADD', KEYS[2], string.format('%.0f', math.floor(first[2] / 4096)), '1')
end
return changed`;

/**
 * Limits locks of running jobs, and the pause between checks for stalled jobs, to their initial time to live: it grows when
 * Redis's clock is set back, and is lost when the data are copied without it. KEYS: running jobs, pause. ARGV: prefix of
 * jobs, longest (ms).
 */
const boundLocksScript = `
local function bound(key)
  local left = redis.call('PTTL', key)
  if left > tonumber(ARGV[2]) or left == -1 then redis.call('PEXPIRE', key, ARGV[2]) end
end
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do bound(ARGV[1] .. id .. ':lock') end
bound(KEYS[2])`;

/**
 * Repairs the effects of a wrong clock on a queue: jobs that would wait longer than intended, repetitions whose next time is
 * too far ahead, and locks that would outlive their process.
 */
export async function repairQueue(redis: Redis, queue: Queue, now: number, jobLockMs: number): Promise<void> {
  const prefix = queue.toKey('');
  const { delayed, marker, active } = queue.keys;
  await redis.eval(boundLocksScript, 2, active ?? '', queue.toKey('stalled-check'), prefix, jobLockMs);
  for (const { key, every, next } of await queue.getJobSchedulers(0, -1)) {
    const isTooFar = every !== undefined && next !== undefined && next > now + every + toleranceMs;
    if (isTooFar) await restartScheduler(queue, key, every);
  }
  await redis.eval(boundDelaysScript, 2, delayed ?? '', marker ?? '', prefix, now, toleranceMs);
}

/** Restarts a repetition: BullMQ recalculates when the next is due only when the interval changes. */
async function restartScheduler(queue: Queue, key: string, every: number): Promise<void> {
  const { name, template } = (await queue.getJobScheduler(key)) ?? {};
  if (name === undefined) return;
  for (const interval of [every + 1, every])
    await queue.upsertJobScheduler(key, { every: interval }, { name, ...template });
}
