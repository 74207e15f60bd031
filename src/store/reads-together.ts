import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';
import { createBatches } from './batches.ts';

/** A read of one key that is the same alone and in a script. */
interface Read {
  readonly command:
    | 'exists'
    | 'hgetall'
    | 'hkeys'
    | 'hlen'
    | 'hmget'
    | 'smembers'
    | 'zcard'
    | 'zrange'
    | 'zrangebyscore';
  readonly key: string;
  readonly args: readonly (string | number)[];
}

/** Reads several keys. KEYS: one of each read. ARGV: command, number of arguments and arguments of each. Returns the answers. */
const readAllScript = `
local answers, at = {}, 1
for i, key in ipairs(KEYS) do
  local last = at + 1 + tonumber(ARGV[at + 1])
  answers[i] = redis.call(ARGV[at], key, unpack(ARGV, at + 2, last))
  at = last + 1
end
return answers`;

export type Reads = ReturnType<typeof createReads>;

const readsOfConnections = new WeakMap<Redis, Reads>();

/**
 * Returns reads of which those asked at the same time for keys of the same account (the hash tag) are one command: a poll
 * asks for some fifty indexes, most of them empty, and a command costs this process more than Redis needs for ten reads.
 */
export function readsTogether(redis: Redis): Reads {
  const known = readsOfConnections.get(redis);
  if (known !== undefined) return known;
  const reads = createReads(redis);
  readsOfConnections.set(redis, reads);
  return reads;
}

function createReads(redis: Redis) {
  const inBatches = createBatches(async (reads: readonly [Read, ...Read[]]): Promise<unknown[]> => {
    const [{ command, key, args }] = reads;
    if (reads.length === 1) return [await redis.call(command, key, ...args)];
    const keys = reads.map((read) => read.key);
    const rest = reads.flatMap((read) => [read.command, read.args.length, ...read.args]);
    return (await redis.eval(readAllScript, keys.length, ...keys, ...rest)) as unknown[];
  });

  const read =
    <T>(command: Read['command']) =>
    (key: string, ...args: readonly (string | number)[]): Promise<T> =>
      inBatches(hashTagOf(key), { command, key, args }) as Promise<T>;

  return {
    exists: read<number>('exists'),
    async hgetall(key: string): Promise<Record<string, string>> {
      const found = await read<string[] | Record<string, string>>('hgetall')(key);
      return Array.isArray(found) ? Object.fromEntries(chunksOf(found, 2)) : found;
    },
    hkeys: read<string[]>('hkeys'),
    hlen: read<number>('hlen'),
    hmget: read<(string | null)[]>('hmget'),
    smembers: read<string[]>('smembers'),
    zcard: read<number>('zcard'),
    zrange: read<string[]>('zrange'),
    zrangebyscore: read<string[]>('zrangebyscore'),
  };
}

/** Returns the part of a key that decides on which server of a Redis Cluster it is. */
function hashTagOf(key: string): string {
  const from = key.indexOf('{') + 1;
  const to = key.indexOf('}', from);
  return from > 0 && to > from ? key.slice(from, to) : key;
}
