import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash, swapField } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Somebody's choice for a dead letter: retry its job, or discard it. */
const DeadLetterChoice = z.object({ what: z.enum(['retry', 'discard']) }).readonly();
export type DeadLetterChoice = z.infer<typeof DeadLetterChoice>;

export const deadLetterChoiceCodec = createCodec('dead-letter-choice', DeadLetterChoice);

export type DeadLetterChoices = ReturnType<typeof createDeadLetterChoices>;

/**
 * Creates the store of choices for dead letters. In a cluster, the jobs themselves are on another node than an account's
 * audit, so a choice is first stored with its entry, and then carried out, by a poll if necessary.
 */
export function createDeadLetterChoices(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: deadLetterChoiceCodec, field: z.string() }, logger);
  const key = (ref: AccountRef) => accountKey(ref, 'dead-letter-choices');

  return {
    /** Stores the choice for a job's failure, with its entry. Resolves to false when somebody else has already chosen. */
    async choose(
      ref: AccountRef,
      failure: string,
      choice: DeadLetterChoice,
      step: AuditStep,
    ): Promise<boolean> {
      return swapField(redis, key(ref), failure, '', deadLetterChoiceCodec.encode(choice), step);
    },

    /** Returns the choices, by the failure that they are for. */
    all: (ref: AccountRef): Promise<Map<string, DeadLetterChoice>> => stored.all(key(ref)),

    async remove(ref: AccountRef, failure: string): Promise<void> {
      await redis.hdel(key(ref), failure);
    },
  };
}
