/**
 * A record is a hash: `version` (a random number after each write, for compare-and-set), `revision` (for the record's
 * message), `value` (JSON; absent once it was removed), and `find` (the record's terms in the index of find, see
 * find-index.ts).
 */
import { randomInt } from 'node:crypto';
import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';

/** Most records read by one pipeline. */
const mostAtOnce = 500;

/** The parts of a record that are read. */
export interface StoredRecord {
  /**
   * 0: there is no record. Not a counter: in an older copy of the data, a counter would reach a number that somebody has
   * read before, who would then overwrite everything since.
   */
  readonly version: number;
  /** Absent where the value was removed. */
  readonly text?: string;
}

/** Returns the next version of a record, a 32-bit number: see {@link StoredRecord.version}. */
export function nextVersion(version: number): number {
  const next = randomInt(1, 2 ** 32 - 1);
  return next < version ? next : next + 1;
}

/** Reads several records, in the order asked for. */
export async function readRecords(redis: Redis, keys: readonly string[]): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const some of chunksOf(keys, mostAtOnce))
    records.push(...(await Promise.all(some.map((key) => readRecord(redis, key)))));
  return records;
}

/** Reads a record. */
export async function readRecord(redis: Redis, key: string): Promise<StoredRecord> {
  const [version, text] = await redis.hmget(key, 'version', 'value');
  return { version: Number(version ?? 0), ...(text == null ? {} : { text }) };
}
