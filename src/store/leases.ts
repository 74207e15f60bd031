import type { Redis } from 'ioredis';

/** KEYS: what is held. ARGV: who, for how long (ms). Gives 1 when it was free, or left behind by the same process. */
const acquireScript = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const renewScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** KEYS: what is held. ARGV: who, for how long (ms). Nobody gets hold of it for so long, its holder neither. */
const releaseAfterScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], 'nobody', 'PX', ARGV[2]) end`;

/** Something that only one job of one process does at a time. */
export interface Lease {
  /** Goes on holding it. False when it was lost to another process, because too much time went by. */
  renew(): Promise<boolean>;
  /** Lets go. May be called again. */
  release(): Promise<void>;
  /** Lets go, but nobody else gets hold of it for `ms`. */
  releaseAfter(ms: number): Promise<void>;
  /** It is let go of already, by a script that did so together with something else. */
  markReleased(): void;
}

/** Keys in Redis that are held by one process at a time, and in it by one job at a time. */
export function createLeases(redis: Redis) {
  const ownerId: string = crypto.randomUUID();
  const heldKeys = new Set<string>();

  return {
    /** How this process is called in the keys it holds. */
    ownerId,

    /**
     * Takes hold of a key; undefined when somebody has it. It is free again `ttlMs` after the last sign of life, but for
     * this process at once: what it could not let go of because Redis was away does not keep it waiting.
     */
    async acquire(key: string, ttlMs: number): Promise<Lease | undefined> {
      if (heldKeys.has(key)) return undefined;
      heldKeys.add(key);
      let isHeld = false;
      try {
        isHeld = (await redis.eval(acquireScript, 1, key, ownerId, ttlMs)) === 1;
      } finally {
        if (!isHeld) heldKeys.delete(key);
      }
      if (!isHeld) return undefined;
      const markReleased = () => {
        isHeld = false;
        heldKeys.delete(key);
      };
      return {
        renew: async () => (await redis.eval(renewScript, 1, key, ownerId, ttlMs)) === 1,
        async release() {
          if (!isHeld) return;
          markReleased();
          await redis.eval(releaseScript, 1, key, ownerId);
        },
        async releaseAfter(ms) {
          markReleased();
          await redis.eval(releaseAfterScript, 1, key, ownerId, Math.max(1, Math.ceil(ms)));
        },
        markReleased,
      };
    },
  };
}
