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
 * Returns one result per entry, in the order of the entries. Answers are matched by task id, and among several of the same
 * id by position, then by rating; one without an id belongs to the entry at its position. `answers` has undefined for each
 * one that could not be parsed.
 */
export function decodeRatings(
  entries: readonly RatingEntry[],
  answers: readonly (Answer | undefined)[],
): RatedEntry[] {
  const free = new Map(
    [...answers.entries()].filter((pair): pair is [number, Answer] => pair[1] !== undefined),
  );
  const found = new Map<number, Answer>();

  function pass(fits: (entry: RatingEntry, answer: Answer, sameIndex: boolean) => boolean): void {
    for (const [position, entry] of entries.entries()) {
      if (found.has(position)) continue;
      for (const [index, answer] of free) {
        if (!fits(entry, answer, index === position)) continue;
        found.set(position, answer);
        free.delete(index);
        break;
      }
    }
  }

  pass(({ taskId }, answer, sameIndex) => sameIndex && answer.id_task === taskId);
  if (found.size < entries.length) {
    pass(({ taskId, rating }, answer) => answer.id_task === taskId && answer.rating === rating);
    pass(({ taskId }, answer) => answer.id_task === taskId);
    const oneEach = answers.length === entries.length;
    pass((_, answer, sameIndex) => sameIndex && oneEach && (answer.id_task ?? undefined) === undefined);
  }
  return entries.map((entry, position) => toRatedEntry(entry, found.get(position)));
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
