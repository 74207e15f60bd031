import type { Redis } from 'ioredis';

/** KEYS: lease. ARGV: owner, time to live (ms). Returns 1 when it was free, or left behind by the same process; else 0. */
const acquireScript = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const renewScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** KEYS: lease. ARGV: owner, delay (ms). Until then nobody can acquire it, not even its owner. */
const releaseAfterScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], 'nobody', 'PX', ARGV[2]) end`;

/** The exclusive right of one job of one process. */
export interface Lease {
  /** Extends the lease. Resolves to false when it has expired and another process has it. */
  renew(): Promise<boolean>;
  /** Releases the lease. May be called again. */
  release(): Promise<void>;
  /** Releases the lease after `ms`: until then nobody can acquire it. */
  releaseAfter(ms: number): Promise<void>;
  /** Reports that a script has released the lease together with another change. */
  markReleased(): void;
}

/** Creates leases: keys in Redis that belong to one process at a time, and within it to one job at a time. */
export function createLeases(redis: Redis) {
  const ownerId: string = crypto.randomUUID();
  const heldKeys = new Set<string>();

  return {
    /** The value of this process's leases in Redis. */
    ownerId,

    /**
     * Acquires a lease; undefined when it is taken. It expires `ttlMs` after its last renewal. A lease that this process
     * could not release because Redis was unreachable can be acquired again by this process at once.
     */
    async acquire(key: string, ttlMs: number): Promise<Lease | undefined> {
      if (heldKeys.has(key)) return undefined;
      heldKeys.add(key);
      let isHeld = false;
      try {
        // Usually it is free.
        isHeld =
          (await redis.set(key, ownerId, 'PX', ttlMs, 'NX')) === 'OK' ||
          (await redis.eval(acquireScript, 1, key, ownerId, ttlMs)) === 1;
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
