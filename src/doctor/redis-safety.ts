import type { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import { messageOf } from '../errors.ts';
import { probeKey } from '../store/keys.ts';
import { parseRedisAddress } from '../store/redis-address.ts';
import { refusalCode, refusalReason } from '../store/redis-errors.ts';
import { mayReadInfo } from '../store/redis-rights.ts';
import { requiredReplicas } from '../store/replication.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** Checks whether writes acknowledged by Redis would survive: whether it takes writes, its syncs to disk, its replicas. */
export async function checkRedisSafety(redis: Redis, config: Config, url: string): Promise<Finding[]> {
  const replicas = requiredReplicas(url, config.redisReplicas);
  return [
    ...(await checkWrites(redis)),
    ...checkSync(await settingOf(redis, 'appendfsync'), replicas),
    ...(replicas > 0 ? await checkReplicas(redis, url, replicas) : []),
  ];
}

async function checkWrites(redis: Redis): Promise<Finding[]> {
  try {
    await redis.set(probeKey, '1', 'EX', 60);
    return [];
  } catch (error) {
    const code = refusalCode(error);
    const why = code === undefined ? messageOf(error) : `${refusalReason(code)} (${code})`;
    return [wrong('Redis writes', `it refuses them: ${why}. Correct that first: nothing can be stored.`)];
  }
}

function checkSync(appendfsync: string | undefined, replicas: number): Finding[] {
  const name = 'Redis power cut';
  if (appendfsync === undefined)
    return [note(name, 'it does not report appendfsync. Make sure that it is always, or use replicas.')];
  if (appendfsync === 'always')
    return [ok(name, 'appendfsync is always: nothing that was accepted is lost.')];
  if (replicas > 0)
    return [ok(name, `appendfsync is ${appendfsync}, and what was accepted is on a replica too.`)];
  const lost = appendfsync === 'everysec' ? 'the decisions of the last second' : 'decisions of many seconds';
  return [
    note(
      name,
      `appendfsync is ${appendfsync}: a power cut may lose ${lost}. Set appendfsync always, or use replicas (REDIS_REPLICAS).`,
    ),
  ];
}

async function checkReplicas(redis: Redis, url: string, replicas: number): Promise<Finding[]> {
  const name = 'Redis replicas';
  if (!(await mayReadInfo(redis)))
    return [
      note(name, 'it does not let the user of REDIS_URL run INFO. Check yourself that they are online.'),
    ];
  const info = await redis.info('replication');
  const online = info.match(/^slave\d+:.*state=online/gm)?.length ?? 0;
  const minimum = await settingOf(redis, 'min-replicas-to-write');
  const address = parseRedisAddress(url);
  const sentinels = address.kind === 'sentinel' ? address.sentinels.length : undefined;
  return [
    online >= replicas
      ? ok(name, `${online} online, ${replicas} must have a decision before it is shown as accepted.`)
      : wrong(
          name,
          `${online} online, but REDIS_REPLICAS asks for ${replicas}: no decision is accepted. Start the replicas, or set REDIS_REPLICAS to ${online}.`,
        ),
    ...(online === replicas && online > 0
      ? [note(name, 'none may be missing: one more would let decisions go on when a replica restarts.')]
      : []),
    ...(minimum === '0'
      ? [
          wrong(
            name,
            'min-replicas-to-write is 0: a primary that was cut off goes on taking writes, which are lost when it returns. Set min-replicas-to-write 1 on every server.',
          ),
        ]
      : []),
    ...(sentinels !== undefined && sentinels < 3
      ? [
          note(
            name,
            `REDIS_URL names ${sentinels} sentinel${sentinels === 1 ? '' : 's'}. Name all of them, at least 3, so that one may be away.`,
          ),
        ]
      : []),
  ];
}

/** Returns a setting of Redis; undefined where CONFIG is not allowed, as with most providers. */
async function settingOf(redis: Redis, name: string): Promise<string | undefined> {
  const [, value] = await redis.config('GET', name).then(
    (answer) => answer as string[],
    () => [],
  );
  return value;
}
