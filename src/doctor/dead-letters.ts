import type { Config } from '../config.ts';
import { messageOf } from '../errors.ts';
import { createDeadLetterActs } from '../features/shared/dead-letter-acts.ts';
import { createJobs } from '../jobs/queue.ts';
import { createLogger } from '../logger.ts';
import { createAnnouncements } from '../store/announcements.ts';
import { createAuditWriter } from '../store/audit/writer.ts';
import { createDeadLetterChoices } from '../store/dead-letter-choices.ts';
import { createFailingJobs } from '../store/failing-jobs.ts';
import { openRedis, untilReady } from '../store/redis.ts';
import { createTasks } from '../store/tasks.ts';
import { type Finding, note, ok } from './finding.ts';

const subject = 'Failed actions';
const maxShown = 10;

/** What to do with dead letters. */
export type DeadLetterCommand = 'list' | 'retry' | 'discard';

/** Lists, retries or discards dead letters. */
export async function checkDeadLetters({ redisUrl }: Config, command: DeadLetterCommand): Promise<Finding[]> {
  if (redisUrl === undefined) {
    return [note(subject, 'they are in the bot’s private Redis. See them in Slack with /proofdesk failed.')];
  }
  const redis = openRedis(redisUrl);
  // The check of Redis reports its problems.
  redis.on('error', () => {});
  try {
    // A queue would wait for as long as Redis is unavailable.
    await untilReady(redis);
  } catch (error) {
    redis.disconnect();
    return [note(subject, `they could not be read (${messageOf(error)}).`)];
  }
  const jobs = createJobs(redis, createLogger('silent', []), createFailingJobs(redis, Date.now));
  try {
    const letters = await jobs.deadLetters();
    if (letters.length === 0) return [ok(subject, 'there are none.')];
    if (command !== 'list') {
      const acts = createDeadLetterActs({
        choices: createDeadLetterChoices(redis),
        stepOf: createAuditWriter(),
        jobs,
        tasks: createTasks(redis),
        announcements: createAnnouncements(redis),
      });
      for (const letter of letters) {
        const { workspace, account } = letter.payload;
        await acts.choose({ workspace, account }, letter, command, { how: 'command' });
      }
      return [
        ok(subject, `${letters.length} ${command === 'retry' ? 'queued to be tried again' : 'discarded'}.`),
      ];
    }
    const lines = letters.slice(0, maxShown).map(({ name, payload, reason, at }) => {
      const about = payload.task ?? payload.message ?? payload.account;
      return note(subject, `${name} ${about}, failed ${new Date(at).toISOString()}: ${reason}`);
    });
    const advice =
      'Try them all again with "npm run doctor -- --retry-failed", discard them with "--discard-failed", or choose in Slack with /proofdesk failed.';
    return [...lines, note(subject, `${letters.length} in all. ${advice}`)];
  } finally {
    await jobs.close();
    redis.disconnect();
  }
}
