import { formatMoney, money } from '../domain/money.ts';
import type { Decision, Task } from '../domain/task.ts';
import { date, inline, user } from '../slack/mrkdwn.ts';
import { undoEnd } from './task.view.ts';
import { ratingEmoji } from './words.ts';

/** Returns the line about a decision undone by somebody else; none if there was none. */
export function undoneLine({ undoneBy }: Task): string[] {
  if (undoneBy === undefined) return [];
  const { by, of, verdict, at } = undoneBy;
  return [`:leftwards_arrow_with_hook: ${user(by)} undid ${verdict} by ${user(of)}, ${date(at)}`];
}

/** Returns the line with the decision, its maker and its status; undefined while the task is open. */
export function stateLine(task: Task): string | undefined {
  const { decision, rating } = task;
  const isElsewhere =
    decision?.state === 'overtaken' || (decision?.state === 'applied' && decision.verdict !== rating);
  if (decision !== undefined && !isElsewhere) return decisionLine(decision);
  if (rating === 'NOTRATED') return undefined;
  if (rating === 'NOTREVIEWED')
    return `${ratingEmoji.NOTREVIEWED} The marketplace reviews this task first. You can rate it after that.`;
  const lost = decision?.state === 'overtaken' ? ` ${overtaken(decision)}` : '';
  if (task.isRatingInferred)
    return `${ratingEmoji.REVISE} The worker has submitted this task again meanwhile.${lost}`;
  return `${sentence(`${ratingEmoji[rating]} *${rating}*, rated outside of Slack, seen ${date(task.ratedAt)}${comment(task.comment)}`)}${lost}`;
}

function overtaken({ attempts, by, verdict }: Decision): string {
  const whose = `${user(by)}’s ${verdict}`;
  return attempts > 0 ? `The marketplace rejected ${whose}.` : `${whose} wasn’t sent.`;
}

function decisionLine(decision: Decision): string {
  const who = `*${decision.verdict}* by ${user(decision.by)}`;
  const extras = comment(decision.comment) + bonus(decision) + favorite(decision);
  switch (decision.state) {
    case 'waiting':
    case 'sending':
      return sentence(`:hourglass_flowing_sand: ${who}${extras}${whenSent(decision)}`);
    case 'held':
      return `:double_vertical_bar: ${who}${extras}, not sent yet. ${problem(decision)}${decision.problem?.waitsFor === 'person' ? '' : ' It will be sent automatically.'}`;
    case 'refused':
      return `:warning: ${who}${extras === '' ? '' : `${extras},`} ${decision.problem?.waitsFor === 'person' ? 'was not sent' : 'was rejected'}. ${problem(decision)} The task is still open.`;
    default:
      return sentence(`${ratingEmoji[decision.verdict]} ${who}, ${date(decision.at)}${extras}`);
  }
}

/** Returns when a decision is sent that could be undone: the button cannot show a time in the reader's zone. */
function whenSent({ state, at, dueAt }: Decision): string {
  if (dueAt === undefined || dueAt <= at) return '';
  return state === 'waiting'
    ? `, sends at ${undoEnd(dueAt)} unless undone`
    : ', on its way to the marketplace';
}

/** Ends a line with a full stop unless its trailing comment already has one. */
function sentence(line: string): string {
  return /[.!?…]”$/u.test(line) ? line : `${line}.`;
}

function problem({ problem: known }: Decision): string {
  return known === undefined ? '' : inline(known.text, 600);
}

function comment(text: string): string {
  return text.trim() === '' ? '' : `, “${inline(text, 500)}”`;
}

function bonus({ bonus: amount }: Decision): string {
  return amount === undefined ? '' : `, with a bonus of ${formatMoney(money(amount))}`;
}

function favorite({ favorite: change, unprovenFavorite: asked }: Decision): string {
  if (change) return change === 'add' ? ', worker added to favorites' : ', worker removed from favorites';
  if (!asked) return '';
  return `, worker may have been ${asked === 'add' ? 'added to' : 'removed from'} favorites`;
}
