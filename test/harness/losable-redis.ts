import { setTimeout as wait } from 'node:timers/promises';
import { startRedis } from './redis.ts';
import { startSentinelGroup } from './sentinel.ts';

/** How long servers may take on a busy machine until each has all data again, and the sentinels agree (ms). */
const wholeMs = 180_000;

/** Starts a Redis that can be lost: the primary of three under Sentinel, or one that syncs each write, or not. */
export const startLosable = (kind: 'sentinel' | 'always' | 'everysec') =>
  kind === 'sentinel' ? startSentinels() : startServer(kind);

/** Starts a server. Without a sync of each write, it is a power cut that kills it: the last second is lost. */
async function startServer(fsync: 'always' | 'everysec') {
  const redis = await startRedis({ fsync });
  let { restart } = redis;
  return {
    ...redis,
    address: async () => redis.url,
    async kill() {
      if (fsync === 'everysec') {
        restart = await redis.copy();
        await wait(1_000);
      }
      await redis.kill();
    },
    restart: async () => restart(),
    pause: async () => redis.pause(),
    resume: async () => redis.resume(),
  };
}

/** Starts a primary and two replicas under Sentinel. It is the primary of the time that is killed or suspended. */
async function startSentinels() {
  const group = await startSentinelGroup();
  let lost = 0;
  const primary = async () => {
    lost = await group.primary();
    return lost;
  };
  return {
    ...group,
    address: async () => `redis://127.0.0.1:${await group.primary()}`,
    kill: async () => group.kill(await primary()),
    pause: async () => group.pause(await primary()),
    restart: async () => group.restart(lost).then(() => group.whole(wholeMs)),
    async resume() {
      group.resume(lost);
      await group.whole(wholeMs);
    },
  };
}
