import type { Config } from '../config.ts';
import { messageOf } from '../errors.ts';
import { createJobs } from '../jobs/queue.ts';
import { createLogger } from '../logger.ts';
import { openRedis } from '../store/redis.ts';
import { type Finding, note, ok } from './finding.ts';

const piece = 'Given-up work';
const shown = 10;

/** What is to become of work that was given up: only looked at, tried again, or dropped. */
export type GivenUpWish = 'list' | 'retry' | 'discard';

/** Looks at work that was tried as often as it may be, and does with it what was asked for. */
export async function checkGivenUp({ redisUrl }: Config, wish: GivenUpWish): Promise<Finding[]> {
  if (redisUrl === undefined) {
    return [note(piece, 'is kept in the bot’s private Redis: look at it in Slack with /proofdesk failed.')];
  }
  const redis = openRedis(redisUrl);
  // What is wrong with Redis itself is said by its own check.
  redis.on('error', () => {});
  try {
    // A queue would wait for as long as Redis is away.
    await redis.ping();
  } catch (error) {
    redis.disconnect();
    return [note(piece, `could not be looked at (${messageOf(error)}).`)];
  }
  const jobs = createJobs(redis, createLogger('silent', []));
  try {
    const work = await jobs.deadLetters();
    if (work.length === 0) return [ok(piece, 'there is none.')];
    if (wish !== 'list') {
      for (const { key } of work) await (wish === 'retry' ? jobs.retry(key) : jobs.discard(key));
      return [ok(piece, `${work.length} ${wish === 'retry' ? 'tried again' : 'discarded'}.`)];
    }
    const lines = work.slice(0, shown).map(({ name, payload, reason, at }) => {
      const about = payload.task ?? payload.message ?? payload.account;
      return note(piece, `${name} ${about}, given up ${new Date(at).toISOString()}: ${reason}`);
    });
    const what =
      'Try all of it again with "npm run doctor -- --retry-failed", drop it with "--discard-failed", or choose in Slack with /proofdesk failed.';
    return [...lines, note(piece, `${work.length} in all. ${what}`)];
  } finally {
    await jobs.close();
    redis.disconnect();
  }
}
