import type { Redis } from 'ioredis';
import type { Task } from '../domain/task.ts';
import type { AccountRef, Verdict, WorkerId } from '../domain/terms.ts';
import { type GivenRating, ratingGiven } from '../domain/worker-history.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

/*
 * The ratings of a worker's tasks, one letter each, with its saved reason if there is one: `O X:not-followed R `. One short
 * text per worker, appended to by one command per rating, contains their whole record: counts, reasons, and the trend.
 */

const letters: Readonly<Record<Verdict, string>> = { OK: 'O', REVISE: 'R', NOK: 'X' };
const verdictOf = new Map(Object.entries(letters).map(([verdict, letter]) => [letter, verdict as Verdict]));

/** A text longer than the first limit is cut to its latest part, of about the second limit (characters). */
const mostCharacters = 2_000;
const leftCharacters = 1_200;
/** A text is removed this long after its first rating, and starts over (s). */
const storedSeconds = 365 * 86_400;

const ratingsKey = (ref: AccountRef, worker: WorkerId) => accountKey(ref, 'workers', 'ratings', worker);

/** Returns the step that adds a task's rating to those of its worker, made together with the change of its record. */
export function workerRatingStep(
  ref: AccountRef,
  before: Task | undefined,
  after: Task,
): CommitStep | undefined {
  const given = ratingGiven(before, after);
  if (given === undefined || after.worker.id === '') return undefined;
  const { verdict, reason } = given;
  const text = `${letters[verdict]}${reason === undefined ? '' : `:${encodeURIComponent(reason)}`} `;
  return {
    keys: [ratingsKey(ref, after.worker.id)],
    args: [text, storedSeconds],
    lua: (key, arg) => `
do
  local rated = redis.call('APPEND', KEYS[${key}], ARGV[${arg}])
  if rated == #ARGV[${arg}] then redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 1}])
  elseif rated > ${mostCharacters} then
    local left = redis.call('GETRANGE', KEYS[${key}], -${leftCharacters}, -1)
    redis.call('SET', KEYS[${key}], string.sub(left, string.find(left, ' ', 1, true) + 1), 'KEEPTTL')
  end
end`,
  };
}

/** Returns the latest ratings of a worker's tasks, oldest first. */
export async function readWorkerRatings(
  redis: Redis,
  ref: AccountRef,
  worker: WorkerId,
): Promise<GivenRating[]> {
  const text = (await redis.get(ratingsKey(ref, worker))) ?? '';
  return text.split(' ').flatMap((one) => {
    const [letter = '', reason] = one.split(':');
    const verdict = verdictOf.get(letter);
    if (verdict === undefined) return [];
    return [{ verdict, ...(reason === undefined ? {} : { reason: decodeURIComponent(reason) }) }];
  });
}
