import { Cluster, type Redis } from 'ioredis';

/** How many keys a server scans for each answer. */
const scannedAtOnce = 1_000;

/**
 * Yields the names of all keys that match a pattern, on every node of a cluster. Keys created or deleted meanwhile may be
 * missed or no longer exist, and a key may be yielded twice.
 */
export async function* scanKeys(redis: Redis, pattern: string): AsyncGenerator<string> {
  // See redis.ts: a cluster is typed as a single server.
  const connection: unknown = redis;
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', scannedAtOnce);
      yield* keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

/** Returns a text as a pattern that matches only itself. */
export function literal(text: string): string {
  return text.replace(/[\\*?[\]^]/g, '\\$&');
}
