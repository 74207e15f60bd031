import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { scanKeys } from '../../src/store/scripts.ts';
import { freePort } from './ports.ts';

type RedisAct = (redis: Redis) => Promise<unknown>;

/** How each refusal of writes begins and ends, by the code with which Redis answers. */
const refusals: Readonly<
  Record<'OOM' | 'NOREPLICAS' | 'READONLY' | 'MISCONF', readonly [RedisAct, RedisAct]>
> = {
  /** Its memory is full. */
  OOM: [(redis) => redis.config('SET', 'maxmemory', '1mb'), (redis) => redis.config('SET', 'maxmemory', '0')],
  /** Its replicas are missing. */
  NOREPLICAS: [
    (redis) => redis.config('SET', 'min-replicas-to-write', '1'),
    (redis) => redis.config('SET', 'min-replicas-to-write', '0'),
  ],
  /** It is a replica. */
  READONLY: [
    async (redis) => redis.replicaof('127.0.0.1', await freePort()),
    (redis) => redis.replicaof('NO', 'ONE'),
  ],
  /** Its disk is full: its append-only file can no longer grow, which it finds out at its next write. */
  MISCONF: [
    async (redis) => {
      await limitFiles(redis, '1');
      await redis.set('any', '1').catch(() => undefined);
    },
    (redis) => limitFiles(redis, 'unlimited'),
  ],
};

/** How the content of a key is read, by its type. */
const readers: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  string: (redis, key) => redis.get(key),
  hash: (redis, key) => redis.hgetall(key),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  list: (redis, key) => redis.lrange(key, 0, -1),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
};

/** Reads a key. The bot is running, so the key may be removed or change its type between the two commands. */
async function contentOf(redis: Redis, key: string): Promise<string | undefined> {
  for (;;) {
    try {
      const content = (await readers[await redis.type(key)]?.(redis, key)) ?? undefined;
      return typeof content === 'string' ? content : JSON.stringify(content);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('WRONGTYPE')) throw error;
    }
  }
}

async function limitFiles(redis: Redis, bytes: string): Promise<void> {
  const pid = /process_id:(\d+)/.exec(await redis.info('server'))?.[1] ?? '';
  await promisify(execFile)('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`]);
}

/** Returns what an operator, time or a defect does to a Redis, and what an operator can find in it. */
export function redisActs(url: string) {
  async function run<T>(act: (redis: Redis) => Promise<T>, password?: string): Promise<T> {
    const redis = new Redis(url, password === undefined ? {} : { password });
    try {
      return await act(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Does something with every key that has the word in its name, of which there must be some. */
  const withKeys = (word: string, act: (redis: Redis, key: string) => Promise<unknown>) =>
    run(async (redis) => {
      const keys = await redis.keys(`*${word}*`);
      if (keys.length === 0) throw new Error(`Redis has nothing called "${word}"`);
      for (const key of keys) await act(redis, key);
    });

  return {
    /** Deletes what has this word in its name, as when its time has passed. */
    loses: (word: string) => withKeys(word, (redis, key) => redis.del(key)),
    /** Adds to what has this word in its name, or to each field of it, what makes it unreadable. */
    spoils: (word: string) =>
      withKeys(word, async (redis, key) => {
        if ((await redis.type(key)) !== 'hash') return redis.append(key, '}');
        for (const [field, value] of Object.entries(await redis.hgetall(key)))
          await redis.hset(key, field, `${value}}`);
        return undefined;
      }),
    /** Replaces what has this word in its name by a list, which nothing is that the bot reads as a text. */
    confuses: (word: string) =>
      withKeys(word, (redis, key) => redis.multi().del(key).lpush(key, 'a list').exec()),
    /** Stores a text as somebody else's. */
    alsoHas: (key: string, text: string) => run((redis) => redis.set(key, text)),
    isEmptied: () => run((redis) => redis.flushall()),
    /** Returns the keys that have the text in their name or content. */
    mentions: (text: string) =>
      run(async (redis) => {
        const found = new Set<string>();
        for await (const key of scanKeys(redis, '*')) {
          const content = await contentOf(redis, key);
          if (content !== undefined && `${key}\n${content}`.includes(text)) found.add(key);
        }
        return [...found];
      }),
    /** From now on it refuses writes. Returns a function that ends this. */
    async refusesWrites(code: keyof typeof refusals): Promise<() => Promise<unknown>> {
      const [begin, end] = refusals[code];
      await run((redis) => redis.config('RESETSTAT'));
      await run(begin);
      return () => run(end);
    },
    /** From now on it uses 90 % of its memory limit. Returns a function that gives it room. */
    async isNearlyFull(): Promise<() => Promise<unknown>> {
      await run(async (redis) => {
        // So much that what clients need for a moment does not count.
        await redis.setrange('ballast', 30_000_000, '1');
        const [, used] = /used_memory:(\d+)/.exec(await redis.info('memory')) ?? [];
        await redis.config('SET', 'maxmemory', String(Math.round(Number(used) / 0.9)));
      });
      return () => run((redis) => redis.config('SET', 'maxmemory', '0'));
    },
    /** Returns how many commands it has refused with this code since it began to refuse writes. */
    refused: (code: keyof typeof refusals) =>
      run(async (redis) => {
        const refused = new RegExp(`errorstat_${code}:count=(\\d+)`).exec(await redis.info('errorstats'));
        return Number(refused?.[1] ?? 0);
      }),
    /** Changes one of its own settings. @param password which it asks for */
    isSet: (setting: string, value: string, password?: string) =>
      run((redis) => redis.config('SET', setting, value), password),
    /** Creates a user with these rights. Returns the address under which the user connects. */
    async hasUser(...rights: readonly string[]): Promise<string> {
      await run((redis) =>
        redis.call('ACL', 'SETUSER', 'proofdesk', 'reset', 'on', '>a-password', ...rights),
      );
      return url.replace('//', '//proofdesk:a-password@');
    },
    /** Returns whether that user may run a command. */
    lets: (...command: readonly string[]) =>
      run(async (redis) => (await redis.call('ACL', 'DRYRUN', 'proofdesk', ...command)) === 'OK'),
    /** Returns the commands that users tried without the right to them. */
    denied: () =>
      run(async (redis) => {
        const log = (await redis.call('ACL', 'LOG')) as string[][];
        return [...new Set(log.map((entry) => entry[entry.indexOf('object') + 1]))];
      }),
  };
}
