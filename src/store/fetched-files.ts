import type { Redis } from 'ioredis';
import type { AccountRef, MemberId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** A proof file that was asked for: on its way since `at` (ms), or in the card's thread. */
export interface FetchedFile {
  readonly state: 'under-way' | 'posted';
  readonly by: MemberId;
  readonly at: number;
}

/** One file of one round of a task. `index` from 1. */
export interface FileRef {
  readonly account: AccountRef;
  readonly task: TaskId;
  readonly round: number;
  readonly index: number;
}

/** Past this (ms) nobody brings a file any more that was under way: the process has ended. */
const leaseMs = 300_000;

/** KEYS: files. ARGV: index, entry, oldest `at` of a file still under way. Gives the entry that stands in the way. */
const claimScript = `
local had = redis.call('HGET', KEYS[1], ARGV[1])
if had then
  local known = cjson.decode(had)
  if known.state == 'posted' or known.at > tonumber(ARGV[3]) then return had end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return false`;

/** KEYS: files. ARGV: index, the claim as it was written, what to write in its place or ''. */
const endScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

export type FetchedFiles = ReturnType<typeof createFetchedFiles>;

/** Which proof files were brought to Slack: each once, whichever process is asked. */
export function createFetchedFiles(redis: Redis, now: () => number) {
  const key = ({ account, task, round }: Omit<FileRef, 'index'>) =>
    accountKey(account, 'files', task, String(round));

  return {
    /** What is known of the files of a round, by index. */
    async of(round: Omit<FileRef, 'index'>): Promise<Map<number, FetchedFile>> {
      const found = Object.entries(await redis.hgetall(key(round)));
      return new Map(
        found
          .map(([index, text]): [number, FetchedFile] => [Number(index), JSON.parse(text) as FetchedFile])
          .filter(([, { state, at }]) => state === 'posted' || at > now() - leaseMs),
      );
    },

    /**
     * Takes it upon this process to bring a file; undefined when it is there already, or on its way. Whoever claims must
     * call one of what is given: `posted`, or `dropped` when it did not come about.
     */
    async claim(file: FileRef, by: MemberId) {
      const at = now();
      const claim = JSON.stringify({ state: 'under-way', by, at } satisfies FetchedFile);
      const had = await redis.eval(claimScript, 1, key(file), file.index, claim, at - leaseMs);
      if (had !== null) return undefined;
      const end = (entry: FetchedFile | undefined) =>
        redis.eval(endScript, 1, key(file), file.index, claim, entry ? JSON.stringify(entry) : '');
      return {
        async posted(): Promise<void> {
          await end({ state: 'posted', by, at: now() });
        },
        async dropped(): Promise<void> {
          await end(undefined);
        },
      };
    },
  };
}
