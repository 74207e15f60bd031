import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash, swapField } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** What somebody chose for a dead letter: to have its job run again, or to give it up. */
const DeadLetterChoice = z.object({ what: z.enum(['retry', 'discard']) }).readonly();
export type DeadLetterChoice = z.infer<typeof DeadLetterChoice>;

export const deadLetterChoiceCodec = createCodec('dead-letter-choice', DeadLetterChoice);

export type DeadLetterChoices = ReturnType<typeof createDeadLetterChoices>;

/**
 * Creates the store of what was chosen for dead letters. The jobs themselves lie on another node of a cluster than an
 * account's audit: so a choice is stored with its entry first, and carried out afterwards, by a poll if need be.
 */
export function createDeadLetterChoices(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: deadLetterChoiceCodec, field: z.string() }, logger);
  const key = (ref: AccountRef) => accountKey(ref, 'dead-letter-choices');

  return {
    /** Stores the choice for a failure of a job, with its entry. Resolves false when somebody else has chosen before. */
    async choose(
      ref: AccountRef,
      failure: string,
      choice: DeadLetterChoice,
      step: AuditStep,
    ): Promise<boolean> {
      return swapField(redis, key(ref), failure, '', deadLetterChoiceCodec.encode(choice), step);
    },

    /** Returns what was chosen, by the failure that it is for. */
    all: (ref: AccountRef): Promise<Map<string, DeadLetterChoice>> => stored.all(key(ref)),

    async remove(ref: AccountRef, failure: string): Promise<void> {
      await redis.hdel(key(ref), failure);
    },
  };
}
