import type { Task } from '../../domain/task.ts';
import type { MemberId, Verdict } from '../../domain/terms.ts';
import { type Message, section } from '../../slack/blocks.ts';
import { date, inline, inPieces, link, preformatted, user } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';

/** The task of an attempt that came too late. */
export interface LostTask {
  readonly task: Task;
  /** The title of its campaign. */
  readonly title: string;
  /** Link to its card; absent when it has none. */
  readonly card?: string | undefined;
}

/** Names a task on one line, with a link to its card. */
function taskLine({ task, title, card }: LostTask, words = 'its card'): string {
  const worker = `Worker ${inline(task.worker.name ?? task.worker.id, 60)}`;
  return [`*${inline(title)}*`, worker, ...(card ? [link(card, words)] : [])].join(' · ');
}

/** Returns an answer with the unsent text of a person who was too late. */
export function withOwnText(answer: Message, text: string): Message {
  if (text === '') return answer;
  return {
    text: `${answer.text}\nWhat you wrote: ${inline(text, 2_000)}`,
    blocks: [
      ...answer.blocks,
      section('What you wrote:'),
      ...inPieces(text).map((piece) => section(preformatted(piece, piece.length))),
    ],
  };
}

/**
 * Returns the answer to a late attempt: the task, what happened, who did it and when. @param wanted the attempted
 * verdict
 */
export function tooLate(lost: LostTask, member: MemberId, wanted: Verdict): Message {
  return notice(`${taskLine(lost)}\n${happenedText(lost.task, member)}${notDone(wanted, lost.task, member)}`);
}

/** Returns why a task cannot be decided on, and who decided what and when, in mrkdwn. */
export function happenedText(task: Task, member: MemberId): string {
  const { decision } = task;
  if (task.rating === 'NOTREVIEWED')
    return 'The marketplace reviews this task first. You can rate it after that.';
  if (decision !== undefined && decision.state !== 'overtaken') {
    const who = decision.by === member ? 'You have' : `${user(decision.by)} has`;
    return `${who} already decided *${decision.verdict}* on this task, ${date(decision.at)}.`;
  }
  if (task.isRatingInferred) return 'The worker has submitted this task again meanwhile.';
  return `This task was already rated *${task.rating}* outside of Slack, seen ${date(task.ratedAt)}.`;
}

function notDone(wanted: Verdict, { decision, rating }: Task, member: MemberId): string {
  if (rating === 'NOTREVIEWED') return '';
  return ` Your ${wanted} was not sent.${undoHint(decision, member)}`;
}

function undoHint(decision: Task['decision'], member: MemberId): string {
  if (decision?.state !== 'waiting' && decision?.state !== 'held') return '';
  return decision.by === member
    ? ' To change your rating, undo it on the card.'
    : ` Only ${user(decision.by)} or a manager can undo the first decision.`;
}

/** Returns the answer to a decision on an earlier round of a task that has come back. */
export function oldRound(lost: LostTask): Message {
  const where = lost.card ? 'its newer card, linked above' : 'its newer card';
  return notice(
    `${taskLine(lost, 'its newer card')}\nThis task has come back since, so nothing was sent. Review ${where}.`,
  );
}

/** For a task without a record: it was decided long ago, or Redis has lost it and the next poll reads it again. */
export const goneText =
  'The details of this task were removed, so nothing was sent. If it still waits for a rating, it gets a new card within a few minutes.';
