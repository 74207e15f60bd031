import type { Redis } from 'ioredis';
import type { AccountRef } from '../domain/terms.ts';
import { accountKey } from './keys.ts';
import { scriptIn } from './scripts.ts';

const readRun = scriptIn('read-run');

export type RedisRuns = ReturnType<typeof createRedisRuns>;

/**
 * Creates the check of whether another run of Redis serves an account than before: after a restart, a failover or a
 * restored backup, its last seconds may be lost. Where INFO is forbidden, a new connection counts as a new run.
 * @param apartMs a new run counts at most once in this time
 */
export function createRedisRuns(redis: Redis, apartMs: number) {
  const runKey = (ref: AccountRef) => accountKey(ref, 'redis-run');
  const recentKey = (ref: AccountRef) => accountKey(ref, 'redrawn');
  const nameOf = ({ workspace, account }: AccountRef) => `${workspace} ${account}`;
  let connections = 0;
  redis.on('ready', () => {
    connections += 1;
  });
  /** The connection at which each account was last recorded, where INFO is forbidden. */
  const recorded = new Map<string, string>();

  return {
    /** Returns the run that serves the account, if it is not the recorded one and none was recorded lately. */
    async newRun(ref: AccountRef): Promise<string | undefined> {
      const run = String(await readRun(redis, [runKey(ref)], []));
      const [known, isRecent] = await Promise.all([redis.get(runKey(ref)), redis.exists(recentKey(ref))]);
      if (known === null && run !== '') await redis.set(runKey(ref), run, 'NX');
      const current = run || String(connections);
      const last = run === '' ? (recorded.get(nameOf(ref)) ?? '0') : (known ?? run);
      return current !== last && isRecent === 0 ? current : undefined;
    },

    /** Records that what was lost before this run was dealt with. A run that has begun since counts as new. */
    async record(ref: AccountRef, run: string): Promise<void> {
      recorded.set(nameOf(ref), run);
      await redis.multi().set(runKey(ref), run).set(recentKey(ref), '1', 'PX', apartMs).exec();
    },
  };
}
