import { Redis } from 'ioredis';
import { recordFunctions, recordOfString, unpacked } from '../../src/store/stored-record.ts';
import { taskDictionary } from '../../src/store/task-dictionary.ts';

/** Returns the record of a task as Redis stores it, as text; undefined if there is none. */
export async function storedTask(redisUrl: string, task: string): Promise<string | undefined> {
  const redis = new Redis(redisUrl);
  try {
    const [key] = await redis.keys(`*:task:${task}`);
    return key === undefined ? undefined : recordText(await redis.getBuffer(key));
  } finally {
    redis.disconnect();
  }
}

/** Returns the value of any record as text; undefined if there is none. */
export function recordText(stored: Buffer | null): string | undefined {
  const { body } = recordOfString(stored);
  return body && unpacked(body, taskDictionary);
}

/** Returns the part of a record written by the index of find. */
export function storedFind(stored: Buffer | null): Buffer {
  return stored?.subarray(11, 11 + stored.readUInt16BE(9)) ?? Buffer.of();
}

/** Writes records, given as key and body, as the bot's scripts do, with version and revision 1. */
export async function writeRecords(redis: Redis, records: readonly (readonly [string, string | Buffer])[]) {
  const script = `${recordFunctions}
for i, key in ipairs(KEYS) do writeRecord(key, { version = 1, revision = 1, find = '', body = ARGV[i] }) end`;
  const [keys, bodies] = [records.map(([key]) => key), records.map(([, body]) => body)];
  await redis.eval(script, keys.length, ...keys, ...bodies);
}
