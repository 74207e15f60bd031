/** The codec of rate_tasks: encodes entries as arrays matched by position, and matches its answer to the entries. */
import type * as z from 'zod';
import { wireMoney } from '../domain/money.ts';
import { readErrorText } from './errors.ts';
import type { ratedTask } from './schemas.ts';
import type { RatedEntry, RatingEntry } from './types.ts';

type Answer = z.output<typeof ratedTask>;

/** Encodes entries. Throws TypeError unless all have the same optional fields: a gap would shift the following values. */
export function encodeRatings(entries: readonly RatingEntry[]) {
  return {
    'id_task[]': entries.map(({ taskId }) => taskId),
    'rating[]': entries.map(({ rating }) => rating),
    'comment[]': entries.map(({ comment }) => comment),
    'bonus[]': allOrNone(entries, 'bonus', ({ bonus }) => bonus && wireMoney(bonus)),
    'favorite[]': allOrNone(entries, 'favorite', ({ favorite }) => favorite),
  };
}

function allOrNone(
  entries: readonly RatingEntry[],
  field: string,
  pick: (entry: RatingEntry) => string | undefined,
): string[] | undefined {
  const values = entries.map(pick).filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  if (values.length === entries.length) return values;
  throw new TypeError(`either every entry of rateTasks has a ${field} or none has`);
}

/**
 * Returns one result per entry, in the order of the entries. An answer is that of the entry with its task id; one without an
 * id, of the entry at its position, if there is one for each. Several for one task say nothing: it is read back. `answers` has
 * undefined for each one that could not be parsed.
 */
export function decodeRatings(
  entries: readonly RatingEntry[],
  answers: readonly (Answer | undefined)[],
): RatedEntry[] {
  return entries.map((entry, position) => {
    const inPlace = answers.length === entries.length ? answers[position] : undefined;
    const own = answers.filter(
      (answer) => answer && (answer.id_task ? answer.id_task === entry.taskId : answer === inPlace),
    );
    return toRatedEntry(entry, own.length === 1 ? own[0] : undefined);
  });
}

function toRatedEntry({ taskId, rating }: RatingEntry, answer: Answer | undefined): RatedEntry {
  const texts = answer?.errors.filter((text) => text.trim() !== '') ?? [];
  if (texts.length > 0) {
    const errors = texts.map((text) => ({ code: readErrorText(text).code, text }));
    return { taskId, rating, success: false, errors, answered: true };
  }
  if (answer?.success) return { taskId, rating, success: true, errors: [], answered: true };
  const errors = [{ code: 'OTHER' as const, text: 'no answer for this task' }];
  return { taskId, rating, success: false, errors, answered: false };
}
