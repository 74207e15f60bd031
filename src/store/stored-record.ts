/**
 * A record is stored as one string, since a hash of the same fields takes some 350 bytes more.
 *
 * | Bytes | Content |
 * |---|---|
 * | 1 | format of the rest: 1 |
 * | 4 | the version, for compare-and-set: a new random number after each write |
 * | 4 | the revision, for the record's message |
 * | 2 | the length of the next part |
 * | … | the record's terms in the index of find, see find-index.ts |
 * | … | the value: JSON, or a 1 and compressed JSON; empty once it was removed |
 */
import { randomInt } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';

const format = 1;
const headBytes = 11;
/**
 * First byte of compressed values, which no JSON begins with. Values compressed with another dictionary need another mark.
 */
const compressedMark = 1;
/** Most records read by one command: Redis does nothing else meanwhile. */
const mostAtOnce = 500;
/** Most bytes of a compressed value once decompressed. */
const maxOutputLength = 64 * 1_048_576;

/**
 * Defines `readRecord(key)`, `readRecords(keys)` by key, `writeRecord(key, record)` and `textOf(record)` for scripts. A
 * record is a table of `version`, `revision`, `find` and `body`; missing parts are 0 or ''.
 */
export const recordFunctions = `
local function recordIn(text)
  if not text or #text < ${headBytes} or string.byte(text) ~= ${format} then
    return { version = 0, revision = 0, find = '', body = '' }
  end
  local version, revision, length = struct.unpack('>I4I4I2', text, 2)
  local last = ${headBytes} + length
  return {
    version = version, revision = revision,
    find = string.sub(text, ${headBytes + 1}, last), body = string.sub(text, last + 1),
  }
end
local function readRecord(key)
  return recordIn(redis.call('GET', key))
end
local function readRecords(keys)
  if #keys == 1 then return { [keys[1]] = readRecord(keys[1]) } end
  local records = {}
  for i, text in ipairs(redis.call('MGET', unpack(keys))) do records[keys[i]] = recordIn(text) end
  return records
end
local function textOf(record)
  return struct.pack('>BI4I4I2', ${format}, record.version, record.revision, #record.find) .. record.find .. record.body
end
local function writeRecord(key, record) redis.call('SET', key, textOf(record)) end`;

/**
 * Removes a record that cannot be read, with its index entries: it is unknown from then on, and created again when its task
 * is next seen. Its version stays, so that a commit in progress is not mistaken for the first one.
 * KEYS: record, then the sorted sets, then the digests. ARGV: body, id, number of sorted sets.
 */
export const removeScript = `
${recordFunctions}
local record = readRecord(KEYS[1])
if redis.pcall('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1])
elseif ARGV[1] == '' or record.body ~= ARGV[1] then return 0
else writeRecord(KEYS[1], { version = record.version, revision = 0, find = record.find, body = '' }) end
for i = 2, #KEYS do
  redis.call(i <= ARGV[3] + 1 and 'ZREM' or 'HDEL', KEYS[i], ARGV[2])
end
return 1`;

/** The parts of a record that are read. */
export interface StoredRecord {
  /**
   * 0: there is no record. Not a counter: in an older copy of the data, a counter would reach a number that somebody has
   * read before, who would then overwrite everything since.
   */
  readonly version: number;
  /**
   * As made by {@link packed}; absent where the value was removed. Data that are no record at all appear here as a whole.
   */
  readonly body?: Buffer;
}

/** Returns the next version of a record, a 32-bit number: see {@link StoredRecord.version}. */
export function nextVersion(version: number): number {
  const next = randomInt(1, 2 ** 32 - 1);
  return next < version ? next : next + 1;
}

/** Reads a record. */
export async function readRecord(redis: Redis, key: string): Promise<StoredRecord> {
  return recordOfString(await redis.getBuffer(key));
}

/** Reads several records, in the order asked for. */
export async function readRecords(redis: Redis, keys: readonly string[]): Promise<StoredRecord[]> {
  const [key] = keys;
  if (key === undefined) return [];
  if (keys.length === 1) return [await readRecord(redis, key)];
  const stored: (Buffer | null)[] = [];
  for (const some of chunksOf(keys, mostAtOnce)) stored.push(...(await redis.mgetBuffer(...some)));
  return stored.map(recordOfString);
}

/** Parses the record in a Redis string. */
export function recordOfString(stored: Buffer | null): StoredRecord {
  if (stored === null) return { version: 0 };
  if (stored.length < headBytes || stored[0] !== format) return { version: 0, body: stored };
  const from = headBytes + stored.readUInt16BE(9);
  return {
    version: stored.readUInt32BE(1),
    ...(stored.length > from ? { body: stored.subarray(from) } : {}),
  };
}

/**
 * Returns the body for a value's text. @param dictionary typical content of such texts; without one the text is not
 * compressed
 */
export function packed(text: string, dictionary: Buffer | undefined): string | Buffer {
  if (dictionary === undefined) return text;
  // A small window takes less memory to prepare. Values written with any other window can be read as well.
  const compressed = deflateRawSync(text, { dictionary, windowBits: 13, memLevel: 6 });
  return Buffer.concat([Buffer.of(compressedMark), compressed]);
}

/** Returns the text of a body; undefined where it is compressed and damaged. */
export function unpacked(body: Buffer, dictionary: Buffer | undefined): string | undefined {
  if (body[0] !== compressedMark || dictionary === undefined) return body.toString();
  try {
    return inflateRawSync(body.subarray(1), { dictionary, maxOutputLength }).toString();
  } catch {
    return undefined;
  }
}
