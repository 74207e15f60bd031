import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';
import { createBatches } from './batches.ts';
import { untracked } from './write-log.ts';

/** A read of one key that is the same alone and in a script. */
interface Read {
  readonly command:
    | 'exists'
    | 'get'
    | 'hgetall'
    | 'hkeys'
    | 'hlen'
    | 'hmget'
    | 'lindex'
    | 'server'
    | 'smembers'
    | 'xrevrange'
    | 'zcard'
    | 'zrange'
    | 'zrangebyscore';
  readonly key: string;
  readonly args: readonly (string | number)[];
}

/** Lua that returns the run of the Redis server, '' when it does not say. */
export const runOfServer = `
local function runOfServer()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
end
`;

/**
 * Reads several keys. KEYS: one of each read; that of `server` only names the server in a cluster. ARGV: command, number of
 * arguments and arguments of each. Returns the answers.
 */
const readAllScript = `${runOfServer}
local answers, at = {}, 1
for i, key in ipairs(KEYS) do
  local last = at + 1 + tonumber(ARGV[at + 1])
  answers[i] = ARGV[at] == 'server' and runOfServer() or redis.call(ARGV[at], key, unpack(ARGV, at + 2, last))
  at = last + 1
end
return answers`;

/** Reads with more arguments are a command of their own: Lua takes some thousand of them for all reads of a command. */
const mostArgs = 50;

export type Reads = ReturnType<typeof createReads>;

const readsOfConnections = new WeakMap<Redis, Reads>();

/**
 * Returns reads of which those asked at the same time for keys of the same account or workspace (the hash tag) are one command:
 * a poll asks for some fifty indexes, most of them empty, and a command costs this process more than Redis needs for ten reads.
 */
export function readsTogether(redis: Redis): Reads {
  const known = readsOfConnections.get(redis);
  if (known !== undefined) return known;
  const reads = createReads(redis);
  readsOfConnections.set(redis, reads);
  return reads;
}

function createReads(redis: Redis) {
  const readAlone = ({ command, key, args }: Read): Promise<unknown> => redis.call(command, key, ...args);

  async function readAll(reads: readonly Read[]): Promise<unknown[]> {
    const [first] = reads;
    if (reads.length === 1 && first && first.command !== 'server') return [await readAlone(first)];
    const keys = reads.map(({ key }) => key);
    const rest = reads.flatMap(({ command, args }) => [command, args.length, ...args]);
    return (await untracked(() => redis.eval(readAllScript, keys.length, ...keys, ...rest))) as unknown[];
  }

  const inBatches = createBatches(async (asked: readonly [Read, ...Read[]]): Promise<unknown[]> => {
    const different = differentReads(asked);
    const answers = await readAll([...different.values()]);
    const found = new Map([...different.keys()].map((name, index) => [name, answers[index]]));
    return asked.map((read) => {
      const answer = found.get(nameOf(read));
      const fields = different.get(nameOf(read))?.args ?? read.args;
      if (read.command !== 'hmget' || fields === read.args) return answer;
      return read.args.map((field) => (answer as (string | null)[])[fields.indexOf(field)]);
    });
  });

  const read =
    <T>(command: Read['command']) =>
    (key: string, ...args: readonly (string | number)[]): Promise<T> => {
      const asked = { command, key, args };
      return (args.length > mostArgs ? readAlone(asked) : inBatches(hashTagOf(key), asked)) as Promise<T>;
    };

  return {
    exists: read<number>('exists'),
    get: read<string | null>('get'),
    async hgetall(key: string): Promise<Record<string, string>> {
      const found = await read<string[] | Record<string, string>>('hgetall')(key);
      return Array.isArray(found) ? Object.fromEntries(chunksOf(found, 2)) : found;
    },
    hkeys: read<string[]>('hkeys'),
    hlen: read<number>('hlen'),
    hmget: read<(string | null)[]>('hmget'),
    lindex: read<string | null>('lindex'),
    /** Returns the run of the Redis server that has a key; '' when it does not say. */
    server: read<string>('server'),
    smembers: read<string[]>('smembers'),
    xrevrange: read<[id: string, fields: string[]][]>('xrevrange'),
    zcard: read<number>('zcard'),
    zrange: read<string[]>('zrange'),
    zrangebyscore: read<string[]>('zrangebyscore'),
  };
}

/** Names a read: the same for the same read, and for fields of the same hash. */
function nameOf({ command, key, args }: Read): string {
  return JSON.stringify(command === 'hmget' ? [command, key] : [command, key, ...args]);
}

/** Returns the reads that differ, by name: in a rush of clicks, all read the same. Fields of one hash are one read. */
function differentReads(asked: readonly Read[]): Map<string, Read> {
  const different = new Map<string, Read>();
  for (const read of asked) {
    const name = nameOf(read);
    const before = different.get(name);
    if (before === undefined) different.set(name, read);
    else if (read.command === 'hmget')
      different.set(name, { ...read, args: [...new Set([...before.args, ...read.args])] });
  }
  return different;
}

/** Returns the part of a key that decides on which server of a Redis Cluster it is. */
function hashTagOf(key: string): string {
  const from = key.indexOf('{') + 1;
  const to = key.indexOf('}', from);
  return from > 0 && to > from ? key.slice(from, to) : key;
}
