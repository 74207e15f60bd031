import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { messageOf, UserError } from './errors.ts';
import type { Logger } from './logger.ts';
import { connectionRefusal } from './slack/connection-refusals.ts';
import type { Messenger } from './slack/messenger.ts';
import { SlackError } from './slack/slack-error.ts';
import { forbiddenCommands, forbiddenText } from './store/redis-rights.ts';

export const redisUnreachable = 'Redis cannot be reached. Work resumes once it can.';

/**
 * Waits until Redis answers, without a timeout: it may start later than this process. Throws UserError when Redis refuses
 * the password, or commands that the bot needs.
 */
export async function waitForRedis(
  redis: Redis,
  signal: AbortSignal | undefined,
  onWait: (reason: string) => void,
): Promise<void> {
  for (;;) {
    try {
      await redis.ping();
      const forbidden = await forbiddenCommands(redis);
      if (forbidden.length > 0) throw new UserError(`Redis cannot be used: ${forbiddenText(forbidden)}`);
      return;
    } catch (error) {
      if (error instanceof UserError) throw error;
      if (/^(WRONGPASS|NOAUTH)/.test(messageOf(error))) {
        throw new UserError('Redis does not accept the user name or password in REDIS_URL. Correct them.');
      }
      onWait(redisUnreachable);
      await delay(500, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * Returns the bot's identity in Slack. Waits without a timeout while Slack is unreachable. Throws UserError when Slack
 * refuses.
 */
export async function identifyBot(
  messenger: Messenger,
  logger: Logger,
  signal: AbortSignal | undefined,
  onWait: (reason: string) => void,
) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await messenger.identity();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (signal?.aborted) throw error;
      if (error.kind === 'refused') throw new UserError(connectionRefusal('auth.test', error.code));
      const wait = Math.max(error.retryAfterMs, Math.min(1_000 * 2 ** attempt, 30_000));
      onWait(`Slack cannot be reached (${error.code}); trying again.`);
      logger.warn({ code: error.code, wait }, 'Slack unreachable');
      await delay(wait, undefined, signal ? { signal } : {});
    }
  }
}
