import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { isUnknownScript } from './redis-errors.ts';

const hashes = new Map<string, string>();

/**
 * Makes a connection call scripts by hash once it has sent them: some have 10 KB, and every commit runs one. A server that
 * does not know a script, because it was restarted or is another one, is sent it again.
 */
export function sendScriptsByHash(redis: Redis): void {
  const byText = redis.eval.bind(redis) as (script: string, ...rest: unknown[]) => Promise<unknown>;
  const byHash = redis.evalsha.bind(redis) as typeof byText;
  const sent = new Set<string>();

  function run(script: string, ...rest: unknown[]): Promise<unknown> {
    const hash = hashOf(script);
    if (!sent.has(hash)) {
      sent.add(hash);
      return byText(script, ...rest);
    }
    return byHash(hash, ...rest).catch((error: unknown) => {
      if (isUnknownScript(error)) return byText(script, ...rest);
      throw error;
    });
  }

  redis.eval = run as Redis['eval'];
}

function hashOf(script: string): string {
  const known = hashes.get(script);
  if (known !== undefined) return known;
  const hash = createHash('sha1').update(script).digest('hex');
  hashes.set(script, hash);
  return hash;
}
