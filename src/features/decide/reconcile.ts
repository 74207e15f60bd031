import type { DecisionEvent } from '../../domain/events.ts';
import { money } from '../../domain/money.ts';
import { type Decision, mayBeApplied } from '../../domain/task.ts';
import type { Rating } from '../../domain/terms.ts';
import type { MarketplaceClient, TaskInfo } from '../../marketplace/index.ts';
import type { Sending } from './send.ts';

const quarterHourMs = 900_000;

/**
 * Finds out what became of a decision that was sent without a usable answer, from the marketplace itself.
 * Gives what happened, or `open` when the task is still to be rated, so that it can be sent (again).
 * Throws the client's errors when the marketplace cannot be asked.
 */
export async function readBack(
  marketplace: Pick<MarketplaceClient, 'getTaskInfo'>,
  task: Sending,
  now: () => number,
): Promise<DecisionEvent | 'open'> {
  const { decision } = task;
  const info = await marketplace.getTaskInfo(task.id);
  const applied = { type: 'applied', decision: decision.id, at: now(), answered: false } as const;
  const overtaken = (rating: Rating, comment: string) =>
    ({
      type: 'overtaken',
      decision: decision.id,
      attempt: decision.attempts,
      rating,
      comment,
      at: now(),
    }) as const;

  const said = info.employerComment;
  if (info.rating === 'NOTREVIEWED' || (info.rating === 'NOTRATED' && isResubmitted(info, task))) {
    // Sent back and corrected already: what was decided was about the proof before, and must not meet this one.
    const mayBeOurs = decision.verdict === 'REVISE' && mayBeApplied(decision);
    if (mayBeOurs && (words(said) === '' || words(said) === words(decision.comment))) return applied;
    return overtaken(info.rating === 'NOTRATED' ? 'REVISE' : info.rating, said);
  }
  if (info.rating === 'NOTRATED') return 'open';
  if (mayBeApplied(decision) && isSame(info, decision)) return applied;
  return overtaken(info.rating, said);
}

/** Whether a rating is what was decided, in all that the marketplace tells of it. */
function isSame({ rating, employerComment, bonusWorkerEarned }: TaskInfo, decision: Decision): boolean {
  return (
    rating === decision.verdict &&
    words(employerComment) === words(decision.comment) &&
    bonusWorkerEarned.eq(money(decision.bonus ?? '0'))
  );
}

/** A text without its white space, which does not survive every way there and back. */
function words(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}

/**
 * Whether what waits is another proof than the one decided on. The results CSV may write the same moment in another time
 * zone, and less exactly: a time that was read there, or differs by whole quarters of an hour, says nothing by itself.
 */
function isResubmitted(info: TaskInfo, { proof, detailed }: Sending): boolean {
  if (proof.finishedAt === undefined || info.finishedAt === undefined) return false;
  const later = info.finishedAt.getTime() - proof.finishedAt;
  const isOtherText = words(info.proof.join(' ')) !== words(proof.slots.join(' '));
  return later > 0 && (isOtherText || (detailed && later % quarterHourMs !== 0));
}
