import type { Task } from '../../domain/task.ts';
import type { AccountId, TaskId, Verdict } from '../../domain/terms.ts';
import { isOver, standingOf, type ThreadAnswer } from '../../domain/thread-answer.ts';
import { actions, button, type Message, section } from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/card-block.ts';
import { inline, plain, user } from '../../slack/mrkdwn.ts';
import { ratingEmoji } from './rating-emoji.ts';

/** Data of the answer to a reply that rated. */
export interface AnswerData {
  readonly account: AccountId;
  readonly id: TaskId;
  /** Absent once nothing is stored of it. */
  readonly task: Task | undefined;
  readonly answer: Pick<ThreadAnswer, 'decision' | 'by' | 'verdict'>;
}

const words: Readonly<Record<Verdict, string>> = { OK: 'OK', NOK: 'NOK', REVISE: 'REVISE' };

/** Renders the answer to a reply that rated: who rated what, its status, and Undo while it waits. */
export function threadAnswer(data: AnswerData): Message {
  const { account, id, task, answer } = data;
  const text = answerText(data);
  const standing = standingOf(task, answer.decision);
  const mayUndo = standing === 'waiting' || standing === 'held';
  if (!mayUndo || task === undefined) return { text: plain(text), blocks: [section(text)] };
  const blockId = encodeCardBlock({ account, round: task.round, decision: answer.decision });
  return {
    text: plain(text),
    blocks: [section(text), actions(blockId, [button('Undo', 'task.undo', id)])],
  };
}

function answerText({ task, answer: { decision, by, verdict } }: AnswerData): string {
  const standing = standingOf(task, decision);
  const known = task?.decision?.id === decision ? task.decision : undefined;
  const reason = known === undefined || known.comment === '' ? '' : `, “${inline(known.comment, 500)}”`;
  const who = `*${words[verdict]}* by ${user(by)}`;
  const why = known?.problem === undefined ? '' : ` ${inline(known.problem.text, 600)}`;
  switch (standing) {
    case 'waiting':
    case 'sending':
      return `:hourglass_flowing_sand: ${who}${reason}`;
    case 'held':
      return `:double_vertical_bar: ${who}${reason}, not sent yet.${why}`;
    case 'applied':
      return `${ratingEmoji[verdict]} ${who}${reason}`;
    case 'refused':
      return `:warning: ${who}${reason} was not accepted.${why} The task is still open.`;
    case 'overtaken':
      return `:warning: ${who} was not sent: the task already had another rating.`;
    case 'undone': {
      const other = task?.undoneBy;
      const isByOther = other?.of === by && other.verdict === verdict;
      return `:leftwards_arrow_with_hook: ${who} was undone${isByOther ? ` by ${user(other.by)}` : ''}. Nothing was sent.`;
    }
    case 'over':
      return `${who}. The card shows what became of it.`;
  }
}

/** Returns whether an answer is final. */
export function isFinalAnswer({ task, answer }: Pick<AnswerData, 'task' | 'answer'>): boolean {
  return isOver(standingOf(task, answer.decision));
}
