import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef, TaskId } from '../domain/terms.ts';
import { ThreadAnswer } from '../domain/thread-answer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createLeases, type Lease } from './leases.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const threadAnswerCodec = createCodec('thread-answer', ThreadAnswer);

/** An answer unchanged for this long (s) is not updated any more. */
const lifeSeconds = 7 * 86_400;

export type ThreadAnswers = ReturnType<typeof createThreadAnswers>;

/** Creates the store of answers to replies, by task and decision, while their content may still change. */
export function createThreadAnswers(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef, task: TaskId) => accountKey(ref, 'thread-answers', task);
  const leases = createLeases(redis);
  const stored = createStoredHash(redis, { codec: threadAnswerCodec, field: z.string() }, logger);

  return {
    /** Acquires the right to answer a reply, for `ttlMs`; undefined while another job has it. */
    lease: (ref: AccountRef, reply: string, ttlMs: number): Promise<Lease | undefined> =>
      leases.acquire(accountKey(ref, 'lock', `reply ${reply}`), ttlMs),

    async put(ref: AccountRef, task: TaskId, answer: ThreadAnswer): Promise<void> {
      await stored.set(key(ref, task), answer.decision, answer);
      await redis.expire(key(ref, task), lifeSeconds);
    },

    /** Returns the answers of a task that may still change. */
    async of(ref: AccountRef, task: TaskId): Promise<ThreadAnswer[]> {
      return [...(await stored.all(key(ref, task))).values()];
    },

    /** Deletes an answer that will not change any more. */
    async remove(ref: AccountRef, task: TaskId, { decision }: ThreadAnswer): Promise<void> {
      await redis.hdel(key(ref, task), decision);
    },
  };
}
