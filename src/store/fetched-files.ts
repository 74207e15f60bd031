import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, MemberId, type TaskId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A proof file that was asked for: on its way since `at` (ms), or in the card's thread. */
const FetchedFile = z
  .object({ state: z.enum(['under-way', 'posted']), by: MemberId, at: z.number() })
  .readonly();
export type FetchedFile = z.infer<typeof FetchedFile>;

export const fetchedFileCodec = createCodec('fetched-file', FetchedFile);

/** One file of one round of a task. `index` from 1. */
export interface FileRef {
  readonly account: AccountRef;
  readonly task: TaskId;
  readonly round: number;
  readonly index: number;
}

/** Past this (ms) nobody brings a file any more that was under way: the process has ended. */
const leaseMs = 300_000;

export type FetchedFiles = ReturnType<typeof createFetchedFiles>;

/** Which proof files were brought to Slack: each once, whichever process is asked. */
export function createFetchedFiles(redis: Redis, now: () => number, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: fetchedFileCodec, field: z.string() }, logger);
  const key = ({ account, task, round }: Omit<FileRef, 'index'>) =>
    accountKey(account, 'files', task, String(round));

  /** Whether a file is there, or on its way by a process that has not ended. */
  const isTaken = ({ state, at }: FetchedFile) => state === 'posted' || at > now() - leaseMs;

  return {
    /** What is known of the files of a round, by index. */
    async of(round: Omit<FileRef, 'index'>): Promise<Map<number, FetchedFile>> {
      const found = [...(await stored.all(key(round)))].filter(([, file]) => isTaken(file));
      return new Map(found.map(([index, file]) => [Number(index), file]));
    },

    /**
     * Takes it upon this process to bring a file; undefined when it is there already, or on its way. Whoever claims must
     * call one of what is given: `posted`, or `dropped` when it did not come about.
     */
    async claim(file: FileRef, by: MemberId) {
      const index = String(file.index);
      const claim: FetchedFile = { state: 'under-way', by, at: now() };
      let isMine = false;
      await stored.update(key(file), index, (existing) => {
        isMine = existing === undefined || !isTaken(existing);
        return isMine ? claim : existing;
      });
      if (!isMine) return undefined;
      return {
        async posted(): Promise<void> {
          await stored.replace(key(file), index, claim, { state: 'posted', by, at: now() });
        },
        async dropped(): Promise<void> {
          await stored.replace(key(file), index, claim, undefined);
        },
      };
    },
  };
}
