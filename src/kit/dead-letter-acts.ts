import type { NewAuditEntry } from '../domain/audit.ts';
import { type AccountRef, MessageId } from '../domain/terms.ts';
import type { MessageKind } from '../jobs/catalogue.ts';
import type { DeadLetter } from '../jobs/dead-letters.ts';
import type { DeadLetterChoice } from '../store/failing-jobs.ts';
import type { Stores } from './modules.ts';

/** Includes the time, because a job that fails again after its retry needs a new choice. */
const failureOf = ({ key, at }: DeadLetter) => `${key} ${at}`;

/** Creates the retry and discard of dead letters: the choice is stored with its audit entry, then carried out. */
export function createDeadLetterActs(
  { auditWriter: stepOf, deadLetterChoices: choices, jobs, tasks }: Stores,
  messages: Readonly<Record<MessageKind, { clearNeedsRender(ref: AccountRef, id: string): Promise<void> }>>,
) {
  async function carryOut(
    ref: AccountRef,
    letter: DeadLetter,
    what: DeadLetterChoice['what'],
  ): Promise<void> {
    const { task, kind, id } = letter.payload;
    if (what === 'retry') return void (await jobs.retry(letter));
    // Done first, because a job that is gone is not processed again.
    if (task !== undefined) await tasks.clearNeedsRender(ref, task);
    if (kind !== undefined && id !== undefined) await messages[kind].clearNeedsRender(ref, id);
    await jobs.discard(letter);
  }

  return {
    /** Retries or discards a dead letter. Resolves false if somebody else chose first. */
    async choose(
      ref: AccountRef,
      letter: DeadLetter,
      what: DeadLetterChoice['what'],
      by: Pick<NewAuditEntry, 'by' | 'how'>,
    ): Promise<boolean> {
      const { name, reason, payload } = letter;
      const { task, kind, id } = payload;
      const message = kind === 'announcement' ? { message: MessageId.parse(id) } : {};
      const about = { ...(task ? { task } : {}), ...message };
      const entry = { what: `${what} job`, ...by, ...about, before: `${name}: ${reason}` } as const;
      if (!(await choices.choose(ref, failureOf(letter), { what }, stepOf(ref, entry)))) return false;
      await carryOut(ref, letter, what);
      return true;
    },

    /** Completes choices of processes that died before carrying them out, and removes completed ones. */
    async finish(ref: AccountRef): Promise<void> {
      const chosen = await choices.all(ref);
      if (chosen.size === 0) return;
      const letters = new Map((await jobs.deadLetters(ref)).map((letter) => [failureOf(letter), letter]));
      for (const [failure, { what }] of chosen) {
        const letter = letters.get(failure);
        if (letter !== undefined) await carryOut(ref, letter, what);
        await choices.remove(ref, failure);
      }
    },
  };
}
