import type { KnownBlock, ModalView, Overflow } from '@slack/types';
import { maskIp } from '../../domain/ip.ts';
import { formatMoney, money } from '../../domain/money.ts';
import type { Decision, EarlierRound, Task } from '../../domain/task.ts';
import { isOpen, isPending } from '../../domain/task.ts';
import type { AccountId, Rating, Verdict } from '../../domain/terms.ts';
import {
  actions,
  button,
  context,
  type Message,
  menuValue,
  modal,
  option,
  plainWords,
  section,
} from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/card-block.ts';
import { cut, isCut } from '../../slack/limits.ts';
import { date, inline, link, piecesWithin, plain, preformatted, user } from '../../slack/mrkdwn.ts';
import { describeFile } from '../../slack/proof-file.ts';

/** Everything a card shows. */
export interface CardData {
  readonly account: AccountId;
  readonly task: Task;
  readonly campaignTitle: string;
  /** Decimal text; absent when the campaign is not known. */
  readonly paymentPerTask?: string;
  /** A link to the card of the round before. */
  readonly earlierLink?: string;
  /** When its time to rate runs out (ms); absent when that is not known. */
  readonly runsOutAt?: number;
}

/** Characters of a proof shown on the card itself. */
const shownProof = 600;

/** Renders a task's card, for its first post and every update. A task that is rated for good folds to its facts. */
export function taskCard(data: CardData): Message {
  const { task } = data;
  if (isSettled(task)) return { text: fallback(data), blocks: [foldedCard(data)] };
  const blocks = [
    section(heading(data)),
    ...beforeBlocks(data),
    ...proofBlocks(task),
    ...fileBlocks(task),
    ...stateBlocks(task),
    ...undoneLine(task).map((line) => context(line)),
    ...deadlineBlocks(data),
    ...buttonBlocks(data),
  ];
  return { text: fallback(data), blocks };
}

/** Whether nothing is left to decide, undo or send. */
function isSettled(task: Task): boolean {
  return task.rating !== 'NOTRATED' && task.rating !== 'NOTREVIEWED' && !isPending(task);
}

/** Renders the card of a settled task in two lines: who decided what, and whose task it was. */
function foldedCard({ account, task, campaignTitle }: CardData): KnownBlock {
  const { decision } = task;
  const id = { account, round: task.round, ...(decision ? { decision: decision.id } : {}) };
  const country = inline(task.worker.country, 60);
  const removed = task.detailsRemovedAt === undefined ? '' : '_details no longer stored_';
  const about = [`*${inline(campaignTitle)}*`, workerName(task), country, removed].filter(
    (fact) => fact !== '',
  );
  const lines = [stateLine(task) ?? '', ...undoneLine(task), about.join(' · ')];
  return section(lines.join('\n'), {
    block_id: encodeCardBlock(id),
    accessory: menuOf(task),
  });
}

/** Renders what is left of a card whose task came back corrected. */
export function supersededCard(data: CardData, newerLink: string | undefined): Message {
  const { task } = data;
  const newer = newerLink ? link(newerLink, 'its newer card') : 'its newer card, below';
  const asked = task.before?.by ? ` ${user(task.before.by)} requested the revision.` : '';
  const text = `:leftwards_arrow_with_hook: *${inline(data.campaignTitle)}*: ${cameBack(task)}. Review it on ${newer}.${asked}`;
  return { text: plain(text), blocks: [section(text)] };
}

/** Says how a task came back, and no more of it than is known. */
function cameBack(task: Task): string {
  return hasSameText(task) ? 'this task waits for another rating' : 'the worker has corrected this task';
}

/** Whether somebody is known to have asked for a revision. */
function isCorrection({ before }: Task): boolean {
  return before !== undefined && (before.by !== undefined || before.askedElsewhere === true);
}

/** Whether no text tells this round from the one before. */
function hasSameText({ before, proof }: Task): boolean {
  return before?.slots.join('\n').trim() === proof.slots.join('\n').trim();
}

function workerName({ worker }: Task): string {
  const id = inline(worker.id, 60);
  return worker.name ? `Worker ${inline(worker.name, 60)} (${id})` : `Worker ${id}`;
}

/** Slack capitalizes a date that begins its own format ("Finished Today"), so the word is part of the format. */
const finishedFormat = 'Finished {date_short_pretty} at {time}';

function heading({ task, campaignTitle, paymentPerTask }: CardData): string {
  const { worker, proof } = task;
  const facts = [workerName(task), inline(worker.country, 60), inline(maskIp(worker.ip))].filter(
    (fact) => fact !== '',
  );
  const when = proof.finishedAt === undefined ? undefined : date(proof.finishedAt, finishedFormat);
  const pays = paymentPerTask === undefined ? undefined : `Pays ${formatMoney(money(paymentPerTask))}`;
  const about = [when, pays].filter((fact) => fact !== undefined);
  return [`*${inline(campaignTitle)}*`, facts.join(' · '), about.join(' · ')]
    .filter((line) => line !== '')
    .join('\n');
}

function beforeBlocks({ task, earlierLink }: CardData): KnownBlock[] {
  const { before } = task;
  if (before === undefined) return [];
  const earlier = earlierLink ? ` · ${link(earlierLink, 'earlier card')}` : '';
  const old =
    before.slots.length > 0 && !hasSameText(task)
      ? `\nBefore:\n${preformatted(before.slots.join('\n'), 300)}`
      : '';
  return [section(`:leftwards_arrow_with_hook: *${roundTitle(task)}*${earlier}${askedLine(before)}${old}`)];
}

function roundTitle(task: Task): string {
  if (task.before?.likely) return 'Most likely a correction of an earlier task of this worker';
  if (hasSameText(task)) return `Back for a rating, round ${task.round}`;
  return `${isCorrection(task) ? 'Corrected' : 'Submitted again'}, round ${task.round}`;
}

/** Returns who asked for what in the round before, as far as that is known. */
function askedLine({ by, askedElsewhere, likely, comment: said }: EarlierRound): string {
  if (by) return `\n${user(by)} requested a revision: ${quoted(said)}`;
  if (askedElsewhere) return `\nA revision was requested outside of Slack: ${quoted(said)}`;
  if (likely) return `\nA revision was requested: ${quoted(said)}`;
  return said.trim() === '' ? '' : `\nComment at the marketplace: ${quoted(said)}`;
}

function quoted(comment: string): string {
  return comment.trim() === '' ? 'no comment' : `“${inline(comment, 300)}”`;
}

function proofBlocks(task: Task): KnownBlock[] {
  const { slots } = task.proof;
  const now = task.before ? 'Now' : 'Proof';
  if (slots.length === 0) {
    return [section(`*${now}*\n_No text_${task.proof.files.length > 0 ? ', only files' : ''}`)];
  }
  const each = Math.floor(shownProof / slots.length);
  return slots.map((slot, index) => {
    const name = slots.length === 1 ? now : `${now} ${index + 1} of ${slots.length}`;
    return section(`*${name}*\n${preformatted(slot, each)}`);
  });
}

/** Whether the card shows less than the whole proof. */
function isProofCut({ proof: { slots } }: Task): boolean {
  return slots.some((slot) => isCut(slot, Math.floor(shownProof / slots.length)));
}

function fileBlocks(task: Task): KnownBlock[] {
  const { files, filesWarning } = task.proof;
  const warning =
    filesWarning === undefined
      ? []
      : [
          context(
            `:warning: The marketplace says of the files: “${inline(filesWarning, 200)}”. Check them before you rate.`,
          ),
        ];
  if (files.length === 0) return warning;
  const listed = files.slice(0, 10).map(describeFile);
  const more = files.length > 10 ? ` · and ${files.length - 10} more` : '';
  const pictures = (task.pictures ?? []).flatMap((picture): KnownBlock[] => {
    const file = files.find(({ index }) => index === picture.index);
    const name = file?.filename ?? `File ${picture.index}`;
    const alternative = plainWords(`Proof file ${picture.index}: ${name}`, 120);
    return [{ type: 'image', slack_file: { id: picture.file }, alt_text: alternative }];
  });
  return [context(`Files: ${listed.join(' · ')}${more}`), ...warning, ...pictures];
}

const verdictWords: Readonly<Record<Verdict, string>> = { OK: 'OK', NOK: 'NOK', REVISE: 'REVISE' };
const ratingEmoji: Readonly<Record<Rating, string>> = {
  OK: ':white_check_mark:',
  NOK: ':x:',
  REVISE: ':leftwards_arrow_with_hook:',
  NOTRATED: ':radio_button:',
  NOTREVIEWED: ':mag:',
};

function stateBlocks(task: Task): KnownBlock[] {
  const line = stateLine(task);
  return line === undefined ? [] : [section(line)];
}

/** Words and date in one format: Slack capitalizes a date that begins its own format. */
const runsOutFormat = 'Runs out {date_short_pretty} at {time}';

/** Returns the line that says when the time to rate the task runs out, while it can be decided on. */
function deadlineBlocks({ task, runsOutAt }: CardData): KnownBlock[] {
  return runsOutAt === undefined || !isOpen(task) ? [] : [context(date(runsOutAt, runsOutFormat))];
}

/** Returns the line that says whose decision somebody else undid; none when nobody did. */
function undoneLine({ undoneBy }: Task): string[] {
  if (undoneBy === undefined) return [];
  const { by, of, verdict, at } = undoneBy;
  return [
    `:leftwards_arrow_with_hook: ${user(by)} undid ${verdictWords[verdict]} by ${user(of)}, ${date(at)}`,
  ];
}

/** Returns the line that says what was decided, by whom and where it stands; undefined while the task is open. */
function stateLine(task: Task): string | undefined {
  const { decision, rating } = task;
  const isElsewhere =
    decision?.state === 'overtaken' || (decision?.state === 'applied' && decision.verdict !== rating);
  if (decision !== undefined && !isElsewhere) return decisionLine(decision);
  if (rating === 'NOTRATED') return undefined;
  if (rating === 'NOTREVIEWED')
    return `${ratingEmoji.NOTREVIEWED} The marketplace reviews this task first. You can rate it after that.`;
  const lost =
    decision?.state === 'overtaken'
      ? ` ${user(decision.by)} had decided ${verdictWords[decision.verdict]}; ${overtaken(decision)}.`
      : '';
  if (task.isRatingInferred)
    return `${ratingEmoji.REVISE} The worker has submitted this task again meanwhile.${lost}`;
  if (task.mayHaveLostDecision && decision === undefined)
    return `${sentence(`${ratingEmoji[rating]} *${rating}*, seen ${date(task.ratedAt)}${comment(task.comment)}`)} Who rated is not known: what was stored at that time was lost.`;
  return `${sentence(`${ratingEmoji[rating]} *${rating}*, rated outside of Slack, seen ${date(task.ratedAt)}${comment(task.comment)}`)}${lost}`;
}

function overtaken({ attempts }: Decision): string {
  return attempts > 0 ? 'that was not taken by the marketplace' : 'that was not sent';
}

function decisionLine(decision: Decision): string {
  const who = `*${verdictWords[decision.verdict]}* by ${user(decision.by)}`;
  const extras = comment(decision.comment) + bonus(decision) + favorite(decision);
  switch (decision.state) {
    case 'waiting':
    case 'sending':
      return decision.dueAt !== undefined && decision.dueAt > decision.at
        ? sentence(`:hourglass_flowing_sand: ${who}, on its way to the marketplace${extras}`)
        : sentence(`:hourglass_flowing_sand: ${who}${extras}`);
    case 'held':
      return `:double_vertical_bar: ${who}${extras}, not sent yet. ${problem(decision)}${decision.problem?.waitsFor === 'person' ? '' : ' It will be sent automatically.'}`;
    case 'refused':
      return `:warning: ${who}${extras} was not accepted. ${problem(decision)} The task is still open.`;
    default:
      return sentence(`${ratingEmoji[decision.verdict]} ${who}, ${date(decision.at)}${extras}`);
  }
}

/** Ends a line with a full stop, unless the comment that it ends with has its own. */
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
  return `, whether the worker was ${asked === 'add' ? 'added to' : 'removed from'} favorites is unknown`;
}

function buttonBlocks({ account, task }: CardData): KnownBlock[] {
  const blockId = encodeCardBlock({ account, round: task.round });
  const whole = isProofCut(task) ? [button('Show all of the proof', 'task.proof', task.id)] : [];
  const menu = menuOf(task);
  if (isOpen(task)) {
    return [
      actions(blockId, [
        button('OK', 'task.ok', task.id, { style: 'primary' }),
        button('REVISE', 'task.revise', task.id),
        button('NOK', 'task.nok', task.id, { style: 'danger' }),
        ...whole,
        menu,
      ]),
    ];
  }
  const state = task.decision?.state;
  const undo = state === 'waiting' || state === 'held' ? [button('Undo', 'task.undo', task.id)] : [];
  const decided = task.decision ? { decision: task.decision.id } : {};
  const shown = encodeCardBlock({ account, round: task.round, ...decided });
  return [actions(shown, [...undo, ...whole, menu])];
}

/** Returns the card's menu; each entry is handled by the feature whose word begins its value. */
function menuOf(task: Task): Overflow {
  const mayHaveFiles = !task.detailed || task.proof.files.length > 0;
  return {
    type: 'overflow',
    action_id: 'task.more',
    options: [
      ...(isOpen(task) ? [option('OK with bonus or favorite', menuValue('extras', task.id))] : []),
      ...(isSettled(task) ? [option('Show the proof', menuValue('proof', task.id))] : []),
      ...(mayHaveFiles ? [option('Files…', menuValue('files', task.id))] : []),
      option('Exclude this worker', menuValue('worker', task.id)),
    ],
  };
}

function fallback({ task, campaignTitle }: CardData): string {
  const proof = task.proof.slots.map((slot) => inline(slot, 120)).join(' / ');
  const state = stateLine(task);
  const what = state ?? `New task by worker ${inline(task.worker.id, 60)}${backWord(task)}`;
  return plain(cut(`${inline(campaignTitle)}: ${what}${proof && !state ? `: ${proof}` : ''}`, 500));
}

function backWord(task: Task): string {
  if (task.before === undefined) return '';
  return isCorrection(task) || task.before.likely ? ', corrected' : ', again';
}

/** The answer to who asks for what was submitted, once that is no longer stored. */
export const detailsRemoved =
  'This task was decided long ago, so its proof and comments are no longer stored here. Open it on the website to see them.';

/** Room for the proof, beside everything else of its modal. */
const wholeProofBytes = 180_000;

/** The whole proof in a modal: every slot in full, in pieces that Slack takes. */
export function wholeProof(task: Task, campaignTitle: string): ModalView {
  const { slots } = task.proof;
  let isShortened = false;
  const blocks = slots.flatMap((slot, index) => {
    const title = slots.length === 1 ? 'Proof' : `Proof ${index + 1} of ${slots.length}`;
    const { pieces, isCut: more } = piecesWithin(slot, Math.floor(wholeProofBytes / slots.length));
    isShortened ||= more;
    return [section(`*${title}*`), ...pieces.map((piece) => section(preformatted(piece, piece.length)))];
  });
  const rest =
    isShortened || blocks.length > 95
      ? [context('The rest is too long for Slack: see the results of the campaign.')]
      : [];
  return modal({
    callbackId: 'task.proof',
    title: 'All of the proof',
    blocks: [section(`*${inline(campaignTitle)}*`), ...blocks.slice(0, 95), ...rest],
  });
}
