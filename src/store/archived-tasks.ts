/**
 * The remains of a finally decided task once its details are removed: one short text beside its rating, instead of a record
 * that would cost ten times as much forever.
 */
import { decidedAt } from '../domain/retention.ts';
import type { Decision, Task } from '../domain/task.ts';
import {
  type CampaignId,
  ChannelId,
  MemberId,
  type Rating,
  type TaskId,
  type Verdict,
  WorkerId,
} from '../domain/terms.ts';

/** Follows the letter of the rating where a task is archived, and identifies the version. */
export const archiveMark = '~';
/** Follows it where the text is a short one, see {@link shortText}: no other text begins with it. */
const shortMark = '=';
/** Up to this many characters, Redis takes 16 bytes less for a text than for a longer one. */
const shortLength = 44;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-';
/** Seconds are counted from this time (2020), so that five digits last until 2054. */
const from = 1_577_836_800;
const timeDigits = 5;
const microDigits = 4;

/** How decisions ended, each with its verdict, in one digit. */
const endings = (['applied', 'overtaken', 'refused'] as const).flatMap((state) =>
  (['OK', 'REVISE', 'NOK'] as const).map((verdict) => ({ state, verdict })),
);

function numberText(value: number, width = 1): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 64)) text = digits.charAt(rest % 64) + text;
  return text.padStart(width, '0');
}

function numberOf(text: string): number {
  let value = 0;
  for (const digit of text) {
    const at = digits.indexOf(digit);
    if (at < 0) return Number.NaN;
    value = value * 64 + at;
  }
  return value;
}

/** Encodes a time (ms) as whole seconds; undefined as nothing at all. */
const timeText = (ms: number | undefined) =>
  ms === undefined ? ''.padStart(timeDigits, '-') : numberText(Math.ceil(ms / 1_000) - from, timeDigits);

function timeOf(text: string): number | undefined {
  return text === ''.padStart(timeDigits, '-') ? undefined : (numberOf(text) + from) * 1_000;
}

/** Known properties of an archived task besides its text. */
interface ArchivedOf {
  readonly id: TaskId;
  readonly campaign: CampaignId;
  readonly rating: Rating;
}

/**
 * Returns the text of a task; undefined where it would lose something that identifies the task, so that its record has to
 * stay. @param letter stands for its rating
 */
export function archivedText(task: Task, letter: string): string | undefined {
  if (decidedAt(task) === undefined || task.detailsRemovedAt === undefined) return undefined;
  const card = cardText(task);
  if (card === undefined) return undefined;
  const short = shortText(task, letter);
  if (short !== undefined && isReadAs(short, task)) return short;
  const text = [
    letter,
    archiveMark,
    numberText(task.round),
    numberText(task.revision),
    timeText(task.ratedAt),
    timeText(task.submittedAt),
    [card, decisionText(task), finishedText(task)].join(archiveMark),
  ].join('');
  return isReadAs(text, task) ? text : undefined;
}

/** Whether the text decodes to the same task: a later version may add something to tasks, or an odd value may not fit. */
function isReadAs(text: string, task: Task): boolean {
  const read = archivedTask(text, { id: task.id, campaign: task.campaign, rating: task.rating });
  return read !== undefined && isSame(read, task);
}

/** Decodes the task of a text; undefined when the text is not one of an archived task. */
export function archivedTask(text: string, of: ArchivedOf): Task | undefined {
  if (text.charAt(1) !== archiveMark) return undefined;
  if (text.charAt(2) === shortMark) return taskOfShort(text, of);
  const times = 4 + timeDigits;
  const ratedAt = timeOf(text.slice(4, times));
  const submittedAt = timeOf(text.slice(times, times + timeDigits));
  const [cardPart = '', decisionPart = '', finishedPart = ''] = text
    .slice(times + timeDigits)
    .split(archiveMark);
  const finishedAt = finishedPart === '' ? submittedAt : timeOf(finishedPart);
  const [round, revision] = [numberOf(text.charAt(2)), numberOf(text.charAt(3))];
  const decision = ratedAt === undefined ? undefined : decisionOf(decisionPart, ratedAt);
  if (ratedAt === undefined || Number.isNaN(ratedAt + round + revision)) return undefined;
  return taskWith(of, {
    round,
    revision,
    ratedAt,
    submittedAt,
    finishedAt,
    decision,
    card: cardOf(cardPart),
  });
}

/** Returns an archived task from its decoded text. */
function taskWith(
  of: ArchivedOf,
  {
    submittedAt,
    finishedAt,
    decision,
    ...said
  }: Pick<Task, 'round' | 'revision' | 'card'> & {
    readonly ratedAt: number;
    readonly submittedAt: number | undefined;
    readonly finishedAt: number | undefined;
    readonly decision: Decision | undefined;
  },
): Task {
  return {
    ...of,
    ...said,
    comment: '',
    // Its row has them when the task comes back.
    worker: { id: WorkerId.parse(''), country: '', ip: '' },
    csvRow: '',
    ...(submittedAt === undefined ? {} : { submittedAt }),
    proof: { slots: [], files: [], ...(finishedAt === undefined ? {} : { finishedAt }) },
    detailed: true,
    ...(decision === undefined ? {} : { decision }),
    detailsRemovedAt: said.ratedAt,
  };
}

/** Encodes a posted card as its timestamp and channel, any other one as the first letter of its state. */
function cardText({ card }: Task): string | undefined {
  if (card.state === 'wanted' || (card.former ?? []).length > 0) return undefined;
  if (card.state !== 'posted') return card.state === 'gone' ? 'g' : 'b';
  const [seconds, micros] = card.ts.split('.');
  const time = numberText(Number(seconds) - from, timeDigits);
  return time + numberText(Number(micros), microDigits) + card.channel;
}

function cardOf(text: string): Task['card'] {
  if (text.length === 1) return { state: text === 'g' ? 'gone' : 'backlog' };
  const [time, micros] = [text.slice(0, timeDigits), text.slice(timeDigits, timeDigits + microDigits)];
  const ts = `${numberOf(time) + from}.${String(numberOf(micros)).padStart(6, '0')}`;
  return { state: 'posted', channel: ChannelId.parse(text.slice(timeDigits + microDigits)), ts };
}

/** Encodes how the decision ended, how long before the rating was seen it was made, by whom, and the bonus. */
function decisionText({ decision, ratedAt }: Task): string {
  if (decision === undefined) return '';
  const ending = endings.findIndex(
    ({ state, verdict }) => state === decision.state && verdict === decision.verdict,
  );
  const before = Math.ceil(ratedAt / 1_000) - Math.floor(decision.at / 1_000);
  const when = before < 0 ? '.' : `${numberText(before)}.`;
  const bonus = decision.bonus === undefined ? '' : `+${decision.bonus}`;
  return `${numberText(ending)}${when}${decision.by}${bonus}`;
}

function decisionOf(text: string, ratedAt: number): Decision | undefined {
  const match = /^(.)([^.]*)\.([^+]*)(?:\+(.+))?$/u.exec(text);
  if (match === null) return undefined;
  const [, ending = '', before = '', by = '', bonus] = match;
  const ended = endings[numberOf(ending)];
  return ended && archivedDecision(ended, { by, at: ratedAt - numberOf(before) * 1_000, bonus });
}

/** Encodes when the task was finished, where get_task_info gives another time than the results. */
function finishedText({ proof, submittedAt }: Task): string {
  return proof.finishedAt === submittedAt ? '' : timeText(proof.finishedAt);
}

/** Whether a decoded task has everything that identifies the original. */
function isSame(read: Task, task: Task): boolean {
  const isSameCard = JSON.stringify(sorted(read.card)) === JSON.stringify(sorted(task.card));
  return (
    isSameCard &&
    read.round === task.round &&
    read.revision === task.revision &&
    read.submittedAt === task.submittedAt &&
    read.proof.finishedAt === task.proof.finishedAt &&
    read.isRatingInferred === task.isRatingInferred &&
    Math.abs(read.ratedAt - task.ratedAt) < 1_000 &&
    isSameDecision(read.decision, task.decision)
  );
}

function isSameDecision(read: Decision | undefined, decision: Decision | undefined): boolean {
  if (read === undefined || decision === undefined) return read === decision;
  return (
    read.by === decision.by &&
    read.verdict === decision.verdict &&
    read.state === decision.state &&
    read.bonus === decision.bonus &&
    Math.abs(read.at - decision.at) < 1_000
  );
}

const sorted = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

const spanDigits = 4;
const idDigits = 9;
/** Format of today's Slack ids: a letter for the kind, and ten base-36 digits. */
const usualId = /^[A-Z][A-Z0-9]{10}$/u;
const ofIds = 36 ** 10;

/** Encodes a usual id; undefined for any other. @param letters its first letter may be one of these two */
function idText(id: string, letters: 'CG' | 'UW'): string | undefined {
  const first = letters.indexOf(id.charAt(0));
  if (first < 0 || !usualId.test(id)) return undefined;
  return numberText(first * ofIds + Number.parseInt(id.slice(1), 36), idDigits);
}

function idOf(text: string, letters: 'CG' | 'UW'): string {
  const value = numberOf(text);
  return (
    letters.charAt(Math.floor(value / ofIds)) + (value % ofIds).toString(36).toUpperCase().padStart(10, '0')
  );
}

/**
 * Encodes nearly all tasks: decided by somebody, without a bonus, on a card posted within half a year. All fields have a
 * fixed number of digits except the time from decision to rating. Undefined for other tasks.
 */
function shortText(task: Task, letter: string): string | undefined {
  const { card, decision, ratedAt, submittedAt, proof, round, revision } = task;
  if (card.state !== 'posted' || decision === undefined || ratedAt === undefined || submittedAt === undefined)
    return undefined;
  const [channel, by] = [idText(card.channel, 'CG'), idText(decision.by, 'UW')];
  const ending = endings.findIndex(
    ({ state, verdict }) => state === decision.state && verdict === decision.verdict,
  );
  if (channel === undefined || by === undefined || decision.bonus !== undefined) return undefined;
  if (ending < 0 || proof.finishedAt !== submittedAt || Math.max(round, revision) > 63) return undefined;
  const rated = Math.ceil(ratedAt / 1_000);
  const [posted = '', micros = ''] = card.ts.split('.');
  const spans = [rated - Math.ceil(submittedAt / 1_000), rated - Number(posted)];
  const before = rated - Math.floor(decision.at / 1_000);
  if ([...spans, before].some((span) => !(span >= 0 && span < 64 ** spanDigits))) return undefined;
  const text = [
    letter,
    archiveMark,
    shortMark,
    numberText(round, 1),
    numberText(revision, 1),
    timeText(ratedAt),
    ...spans.map((span) => numberText(span, spanDigits)),
    numberText(Number(micros), microDigits),
    channel,
    numberText(ending, 1),
    by,
    numberText(before),
  ].join('');
  return text.length <= shortLength ? text : undefined;
}

/** Decodes a short text; undefined when it is not one. */
function taskOfShort(text: string, of: ArchivedOf): Task | undefined {
  let at = 3;
  const next = (width: number) => {
    at += width;
    return text.slice(at - width, at);
  };
  const [round, revision, ratedAt] = [numberOf(next(1)), numberOf(next(1)), timeOf(next(timeDigits))];
  if (ratedAt === undefined) return undefined;
  const [submitted, posted, micros] = [next(spanDigits), next(spanDigits), next(microDigits)].map(numberOf);
  const channel = idOf(next(idDigits), 'CG');
  const ending = endings[numberOf(next(1))];
  const by = idOf(next(idDigits), 'UW');
  const before = numberOf(text.slice(at));
  if (submitted === undefined || posted === undefined || micros === undefined || ending === undefined)
    return undefined;
  if (Number.isNaN(round + revision + ratedAt + submitted + posted + micros + before)) return undefined;
  const submittedAt = ratedAt - submitted * 1_000;
  return taskWith(of, {
    round,
    revision,
    ratedAt,
    submittedAt,
    finishedAt: submittedAt,
    decision: archivedDecision(ending, { by, at: ratedAt - before * 1_000 }),
    card: {
      state: 'posted',
      channel: ChannelId.parse(channel),
      ts: `${ratedAt / 1_000 - posted}.${String(micros).padStart(6, '0')}`,
    },
  });
}

function archivedDecision(
  { state, verdict }: (typeof endings)[number],
  { by, at, bonus }: { readonly by: string; readonly at: number; readonly bonus?: string | undefined },
): Decision {
  return {
    id: 'archived',
    by: MemberId.parse(by),
    verdict: verdict satisfies Verdict,
    comment: '',
    at,
    state,
    attempts: 1,
    ...(bonus === undefined ? {} : { bonus }),
  };
}
