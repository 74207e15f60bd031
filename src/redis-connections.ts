import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import { messageOf } from './errors.ts';
import { createThrottledWarning, type Logger } from './logger.ts';
import { loadEncryptionKeys } from './store/encryption-key-file.ts';
import { startPrivateRedis } from './store/private-redis.ts';

/** Functions that close resources when the bot stops, run last to first. */
type Closing = (() => Promise<unknown>)[];

/** Returns the address of Redis and the encryption keys: the configured ones, or private ones under DATA_DIR. */
export async function resolveStorage(config: Config, logger: Logger, closing: Closing) {
  if (config.redisUrl) return { redisUrl: config.redisUrl, encryptionKeys: await loadEncryptionKeys(config) };
  const privateRedis = await startPrivateRedis({ dataDir: config.dataDir, logger });
  closing.push(() => privateRedis.stop());
  return { redisUrl: privateRedis.url, encryptionKeys: await loadEncryptionKeys(config) };
}

/** Logs a connection's errors and closes it at the end. */
export function manageConnection(redis: Redis, logger: Logger, closing: Closing): Redis {
  const warn = createThrottledWarning(logger);
  redis.on('error', (error) => warn({ reason: messageOf(error) }, 'Redis unreachable'));
  closing.push(async () => redis.disconnect());
  return redis;
}
