import type { Redis } from 'ioredis';
import { chunksOf } from '../../src/domain/collections.ts';

/** How each type of value is read whole, and how many of its texts make a line. */
const types: Record<string, readonly [perLine: number, command: string, ...args: string[]]> = {
  string: [1, 'GET'],
  hash: [2, 'HGETALL'],
  set: [1, 'SMEMBERS'],
  zset: [2, 'ZRANGE', '0', '-1', 'WITHSCORES'],
  stream: [3, 'XRANGE', '-', '+'],
};
/** Times to live in hours, of which the next longer one is shown. */
const lifetimes = [1 / 6, 1, 12, 24, 25, 48, 72, 168, 192, 216, 336, 720, 8_760];
/** What differs each time: the versions of records, and the ids in streams, which are times. */
const random = /(?<=^version = )\d+$|^\d+-\d+ = entry = /;
const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (one) => `\\x${Buffer.from(one, 'latin1').toString('hex')}`);

async function textOf(redis: Redis, key: string): Promise<string> {
  const [perLine, command, ...args] = types[await redis.type(key)] ?? [1, 'GET'];
  const [value, ttl] = await Promise.all([redis.callBuffer(command, key, ...args), redis.ttl(key)]);
  const parts = [value].flat(3).map((part) => (part as Buffer).toString('latin1'));
  const lines = chunksOf(parts, perLine).map((line) => `  ${escaped(line.join(' = ').replace(random, ''))}`);
  const hours = lifetimes.find((one) => one * 3_600 >= ttl);
  return [`${key}${ttl < 0 ? '' : ` (${hours?.toFixed(1)} h)`}`, ...lines.sort()].join('\n');
}

/** Returns the text of each key. */
export async function allTexts(redis: Redis): Promise<Map<string, string>> {
  const keys = await redis.keys('*');
  return new Map(await Promise.all(keys.map(async (key) => [key, await textOf(redis, key)] as const)));
}

/** Returns the lines that each key has lost and gained. */
export function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...before].flatMap(([key, text]) => {
    const [was, is] = [text, after.get(key) ?? ''].map((one) => one.split('\n').slice(1)) as [
      string[],
      string[],
    ];
    const lost = was.filter((line) => !is.includes(line)).map((line) => `-${line}`);
    const gained = is.filter((line) => !was.includes(line)).map((line) => `+${line}`);
    return lost.length + gained.length === 0 ? [] : [[key, ...lost, ...gained].join('\n')];
  });
}

const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1);

/** Shows the entries of maps and sets, sorted. */
export const shown = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (part instanceof Map) return { map: [...part].sort(byText) };
    return part instanceof Set ? { set: [...part].sort(byText) } : part;
  }) ?? 'nothing';
