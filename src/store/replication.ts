import type { Redis } from 'ioredis';
import { UserError } from '../errors.ts';
import { replicationMarkerKey } from './keys.ts';
import { parseRedisAddress } from './redis-address.ts';
import { isRedisUnavailable } from './redis-errors.ts';

/** Timeout for replicas to have the writes, and of a caller's whole wait (ms). */
const replicaTimeoutMs = 1_000;
const confirmTimeoutMs = 1_500;

/** Tells whether stored data would survive the loss of Redis's primary. */
export interface Replication {
  /** Whether replicas must have a decision before it is shown as accepted. */
  readonly isRequired: boolean;
  /**
   * Resolves to true when the data that `isThere` finds in Redis are on the required number of replicas. Resolves to false
   * when they are not there, or when that could not be confirmed within a second and a half: it may be confirmed later.
   */
  confirm(isThere: () => Promise<boolean>): Promise<boolean>;
}

/** Without replicas to wait for, Redis is not asked. */
export const notReplicated: Replication = { isRequired: false, confirm: async () => true };

/**
 * Returns how many replicas must have a decision: as configured, else one with Sentinel, whose purpose is to continue with a
 * replica. Throws UserError when a cluster is configured to wait for replicas.
 */
export function requiredReplicas(url: string, configured: number | undefined): number {
  const { kind } = parseRedisAddress(url);
  if (kind === 'cluster' && (configured ?? 0) > 0) {
    throw new UserError(
      'REDIS_REPLICAS cannot be used with a cluster, whose records are on several primaries. Remove it, or use Sentinel.',
    );
  }
  return configured ?? (kind === 'sentinel' ? 1 : 0);
}

/**
 * Creates the barrier behind which a decision counts as stored. Redis replicates in order: once a marker written after a
 * record is on `replicas` replicas, so is the record. One marker serves all callers that arrive meanwhile, and the
 * connection that waits is not the store's.
 *
 * The marker must be written to the primary that has the record. Each primary has its own replication id, which changes with
 * every failover: it is compared before and after the record was read, and after the wait.
 * @param waiting a separate connection, which resends nothing after it was lost
 */
export function createReplication(store: Redis, waiting: Redis, replicas: number): Replication {
  let current: Promise<string | undefined> = Promise.resolve(undefined);
  let next: Promise<string | undefined> | undefined;

  /** Joins the next barrier, which has not begun yet. Resolves to the id of the primary that passed it. */
  function passNext(): Promise<string | undefined> {
    next ??= current.then(() => {
      next = undefined;
      current = passBarrier();
      return current;
    });
    return next;
  }

  async function passBarrier(): Promise<string | undefined> {
    const answers = await waiting
      .pipeline()
      .set(replicationMarkerKey, '1', 'EX', 60)
      .wait(replicas, replicaTimeoutMs)
      .info('replication')
      .exec()
      .catch(() => undefined);
    const [marker, reached, info] = answers ?? [];
    if (marker?.[0] || reached?.[0] || info?.[0]) return undefined;
    return Number(reached?.[1]) >= replicas ? primaryOf(String(info?.[1])) : undefined;
  }

  async function confirm(isThere: () => Promise<boolean>): Promise<boolean> {
    try {
      const primary = primaryOf(await store.info('replication'));
      if (primary === undefined || !(await isThere())) return false;
      if (primaryOf(await store.info('replication')) !== primary) return false;
      return (await passNext()) === primary;
    } catch (error) {
      if (isRedisUnavailable(error)) return false;
      throw error;
    }
  }

  return {
    isRequired: true,
    async confirm(isThere) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), confirmTimeoutMs);
      });
      return Promise.race([confirm(isThere), late]).finally(() => clearTimeout(timer));
    },
  };
}

/** Returns the replication id of a primary; undefined for a replica. */
function primaryOf(info: string): string | undefined {
  return /^role:master/m.test(info) ? /^master_replid:(\w+)/m.exec(info)?.[1] : undefined;
}
