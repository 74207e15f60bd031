import type { KnownBlock } from '@slack/types';
import type { Asked } from '../domain/campaign.ts';
import { countryName } from '../domain/evidence/likeness.ts';
import { formatMoney, money } from '../domain/money.ts';
import { maxNoteLength } from '../domain/note.ts';
import { replacedPicture, unchangedPictures } from '../domain/picture.ts';
import { maxComment } from '../domain/reason.ts';
import { type Assignment, type Decision, type EarlierRound, isOpen, type Task } from '../domain/task.ts';
import type { MemberId, Verdict } from '../domain/terms.ts';
import type { ShownRecord } from '../domain/worker.ts';
import { context, type Message, notice, section } from '../slack/blocks.ts';
import { date, inline, inPieces, link, preformatted, user } from '../slack/mrkdwn.ts';
import type { AlikeTask } from '../store/evidence.ts';
import type { StoredNote } from '../store/notes.ts';
import type { Twins } from './evidence.view.ts';
import { campaignName, counted, joined, ratingEmoji } from './words.ts';
import { type WorkerFacts, workerRecordLine } from './worker.view.ts';

/** A task as a line names it. */
export interface NamedTask {
  readonly task: Pick<Task, 'worker' | 'campaign'>;
  readonly title: string;
  /** Link to its card; absent when it has none. */
  readonly card?: string | undefined;
}

/** The task of an attempt that came too late. */
export interface LostTask extends NamedTask {
  readonly task: Task;
}

/** What is shown of a task besides its record, wherever somebody judges it. */
export interface TaskFacts {
  readonly campaignTitle: string;
  /** Decimal text; absent if the campaign is unknown. */
  readonly paymentPerTask?: string | undefined;
  /** What the task asked for; absent if unknown. */
  readonly asked?: Asked | undefined;
  /** When it is due (ms), if known. */
  readonly dueAt?: number | undefined;
  readonly notes?: readonly StoredNote[] | undefined;
  /** Tasks with evidence in common, and those of them that are known. */
  readonly alike?: readonly AlikeTask[] | undefined;
  readonly twins?: Twins | undefined;
  /** Facts about the worker, while the task can be decided on. */
  readonly worker?: WorkerFacts | undefined;
  /** The worker's tasks; absent if unknown. */
  readonly record?: ShownRecord | undefined;
}

/**
 * Returns two lines: what a task is of, and who did it when.
 * @param address the worker's, where it is evidence
 */
export function headingText(
  { task, campaignTitle, paymentPerTask, dueAt, record }: TaskFacts & { readonly task: Task },
  address = '',
): string {
  const { worker, proof } = task;
  const about = [
    `*${campaignName(campaignTitle, task.campaign)}*`,
    paymentPerTask === undefined ? '' : `Pays ${formatMoney(money(paymentPerTask))}`,
    // Word and date in one format: Slack capitalizes a date that begins its own format ("Finished Today").
    dueAt === undefined || !isOpen(task) ? '' : date(dueAt, 'Due {date_short_pretty} at {time}'),
  ];
  const who = [
    `Worker ${inline(worker.name || worker.id, 60)}`,
    inline(countryName(worker.country), 60),
    address,
    (record && workerRecordLine(record)) ?? '',
    proof.finishedAt === undefined ? '' : date(proof.finishedAt, 'Finished {date_short_pretty} at {time}'),
  ];
  return `${joined(about)}\n${joined(who)}`;
}

/** Names a task on one line, with a link to its card. */
export function taskLine({ task, title, card }: NamedTask, words = 'its card'): string {
  const worker = `Worker ${inline(task.worker.name ?? task.worker.id, 60)}`;
  return [`*${campaignName(title, task.campaign)}*`, worker, ...(card ? [link(card, words)] : [])].join(
    ' · ',
  );
}

export function undoLabel(verdict: Verdict, worker: string): string {
  return `Undo ${verdict} for ${worker}`;
}

/** Returns until when a decision can be undone, in the reader's time. */
export function undoEnd(at: number): string {
  return date(at, '\u200b{time_secs}');
}

/** Returns an answer with the unsent text of a person who was too late. */
export function withOwnText(answer: Message, text: string): Message {
  if (text === '') return answer;
  return {
    text: `${answer.text}\nWhat you wrote: ${inline(text, 2_000)}`,
    blocks: [
      ...answer.blocks,
      section('What you wrote:'),
      ...inPieces(text.slice(0, maxComment)).map((piece) => section(preformatted(piece, piece.length))),
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
    const who = decision.by === member ? 'You' : user(decision.by);
    return `${who} already rated this *${decision.verdict}*, ${date(decision.at)}.`;
  }
  if (task.isRatingInferred) return 'The worker has resubmitted this task in the meantime.';
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
    : ` Only ${user(decision.by)} or a manager can undo it.`;
}

/** Returns the answer to a decision on an earlier round of a task that has come back. */
export function oldRound(lost: LostTask): Message {
  const where = lost.card ? 'its newer card, linked above' : 'its newer card';
  return notice(
    `${taskLine(lost, 'its newer card')}\nThis task was resubmitted, so nothing was sent. Review ${where}.`,
  );
}

/** For a task without a record: it was decided long ago, or Redis has lost it and the next poll reads it again. */
export const goneText =
  'The details of this task were removed, so nothing was sent. If it is still waiting for a rating, it gets a new card within a few minutes.';

/** For a button of a task that is not stored, or of which little is left. */
export const taskRemoved =
  'This task was rated long ago, so its proof and comments are no longer stored here. Open it on the website to see them. If it is still waiting for a rating, it gets a new card within a few minutes.';

const shownOnCard = 160;

/** Returns the card line for notes: the newest one, and their count. */
export function notesBlocks(notes: readonly StoredNote[]): KnownBlock[] {
  const [newest] = notes;
  if (newest === undefined) return [];
  const count = notes.length === 1 ? '' : ` · ${counted(notes.length, 'note')}`;
  return [context(`:memo: ${user(newest.by)}: ${inline(newest.text, shownOnCard)}${count}`)];
}

export function wholeNotes(notes: readonly StoredNote[]): KnownBlock[] {
  return notes.map((note) => section(noteText(note)));
}

/** Returns a note in full, with its author and time. */
export function noteText({ by, at, text }: StoredNote): string {
  return `:memo: ${user(by)}, ${date(at)}${preformatted(text, maxNoteLength)}`;
}

export function assignmentLine(assignment: Assignment): string {
  return `:bust_in_silhouette: ${assignmentText(assignment)}`;
}

/** Returns who has a task, in mrkdwn. @param member the reader, if only one person sees it */
export function assignmentText(assignment: Assignment, member?: MemberId): string {
  const { to, by } = assignment;
  const whom = `Assigned to ${to === member ? 'you' : user(to)}`;
  return to === by ? whom : `${whom} by ${by === member ? 'you' : user(by)}`;
}

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
      return `:warning: ${who}${extras === '' ? '' : `${extras},`} was rejected. ${problem(decision)} The task is still open.`;
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

/**
 * Renders the round before: who asked for what, what has changed since, and its picture if another one has taken its place.
 * @param earlierLink its card
 */
export function beforeBlocks(task: Task, earlierLink?: string): KnownBlock[] {
  const { before } = task;
  if (before === undefined) return [];
  const earlier = earlierLink ? ` · ${link(earlierLink, 'earlier card')}` : '';
  const old =
    before.slots.length > 0 && !hasSameText(task)
      ? `\nBefore:\n${preformatted(before.slots.join('\n'), 300)}`
      : '';
  const same = sameAsBefore(task).map((line) => `\n:mag: ${line}`);
  const picture = replacedPicture(task);
  const text = `:leftwards_arrow_with_hook: *${roundTitle(task)}*${earlier}${askedLine(before)}${old}${same.join('')}`;
  if (picture === undefined) return [section(text)];
  const image = { type: 'image', slack_file: { id: picture.file }, alt_text: 'Picture before' } as const;
  return [section(text, { accessory: image })];
}

function roundTitle(task: Task): string {
  return task.before?.likely
    ? 'Probably a correction of this worker’s earlier task'
    : `Resubmitted, round ${task.round}`;
}

/** Returns who asked for what in the previous round, as far as known. */
function askedLine({ by, askedElsewhere, likely, comment: said }: EarlierRound): string {
  if (by) return `\n${user(by)} requested a revision: ${quoted(said)}`;
  if (askedElsewhere) return `\nA revision was requested outside of Slack: ${quoted(said)}`;
  if (likely) return `\nA revision was requested: ${quoted(said)}`;
  return said.trim() === '' ? '' : `\nComment at the marketplace: ${quoted(said)}`;
}

function quoted(comment: string): string {
  return comment.trim() === '' ? 'no comment' : `“${inline(comment, 300)}”`;
}

/** Returns whether somebody is known to have asked for a revision. */
function isCorrection({ before }: Task): boolean {
  return before !== undefined && (before.by !== undefined || before.askedElsewhere === true);
}

export function hasSameText({ before, proof }: Task): boolean {
  return before?.slots.join('\n').trim() === proof.slots.join('\n').trim();
}

/** Returns what of a corrected task is as in the round before, one line each. */
export function sameAsBefore(task: Task): string[] {
  const isTextSame = isCorrection(task) && hasSameText(task) && task.proof.slots.length > 0;
  const { known, same } = unchangedPictures(task);
  const [one, are] = same === 1 ? ['picture', 'is'] : ['pictures', 'are'];
  const pictures =
    same < known
      ? `${same} of ${known} pictures ${are} the same as before the correction`
      : `Same ${one} as before the correction`;
  return [...(isTextSame ? ['Same text as before the correction'] : []), ...(same === 0 ? [] : [pictures])];
}
