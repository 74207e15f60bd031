import type { Redis } from 'ioredis';
import { changeIf } from './change.ts';

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
          (await changeIf(redis, [[ownerId, 'GET', key]], [['PEXPIRE', key, ttlMs]]));
      } finally {
        if (!isHeld) heldKeys.delete(key);
      }
      if (!isHeld) return undefined;
      const markReleased = () => {
        isHeld = false;
        heldKeys.delete(key);
      };
      return {
        renew: () => changeIf(redis, [[ownerId, 'GET', key]], [['PEXPIRE', key, ttlMs]]),
        async release() {
          if (!isHeld) return;
          markReleased();
          await changeIf(redis, [[ownerId, 'GET', key]], [['DEL', key]]);
        },
        async releaseAfter(ms) {
          markReleased();
          const nobody = ['SET', key, 'nobody', 'PX', Math.max(1, Math.ceil(ms))] as const;
          await changeIf(redis, [[ownerId, 'GET', key]], [nobody]);
        },
        markReleased,
      };
    },
  };
}
