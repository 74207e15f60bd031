import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { unreadableKey } from './keys.ts';

/** Most values that are set aside, and how long they are kept after the latest of them (s). */
const maxUnreadable = 1_000;
const unreadableSeconds = 30 * 86_400;

/** A stored value that no version of its codec can decode, and its location. */
export interface UnreadableValue {
  /** Kind of value: the name of its codec. */
  readonly kind: string;
  readonly key: string;
  /** The field of a hash, or the id of an entry of a stream. */
  readonly field?: string;
  readonly reason: string;
  readonly text: string;
}

export interface ErrorLogger {
  error(fields: object, text: string): void;
}

/**
 * Copies an unreadable value to where a person can inspect it, and logs it once, without its text. The caller then removes
 * the value from its original place; if the process ends in between, the next read does so. Resolves to false when too many
 * values are already set aside; the value must then stay in its original place.
 */
export async function setAside(redis: Redis, logger: ErrorLogger | undefined, value: UnreadableValue) {
  const { text, ...about } = value;
  const id = createHash('sha256')
    .update(`${value.key}\0${value.field ?? ''}\0${text}`)
    .digest('hex');
  const entry = JSON.stringify({ ...value, at: Date.now() });
  if (await redis.hexists(unreadableKey, id)) return true;
  if ((await redis.hlen(unreadableKey)) >= maxUnreadable) return false;
  const isNew = (await redis.hsetnx(unreadableKey, id, entry)) === 1;
  await redis.expire(unreadableKey, unreadableSeconds);
  if (isNew) logger?.error({ event: 'stored-value-unreadable', ...about }, 'unreadable value set aside');
  return true;
}

/** Removes values that were set aside before a time (ms): nobody knows whose data they contain. Returns how many. */
export async function removeUnreadable(redis: Redis, before: number): Promise<number> {
  const all = Object.entries(await redis.hgetall(unreadableKey));
  const old = all.filter(([, text]) => (setAsideAt(text) ?? 0) < before).map(([id]) => id);
  return old.length === 0 ? 0 : redis.hdel(unreadableKey, ...old);
}

function setAsideAt(text: string): number | undefined {
  try {
    return z.object({ at: z.number() }).parse(JSON.parse(text)).at;
  } catch {
    return undefined;
  }
}

/** Counts the values that were set aside. */
export async function countUnreadable(redis: Redis): Promise<number> {
  return redis.hlen(unreadableKey);
}
