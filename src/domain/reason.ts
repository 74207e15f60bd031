import { z } from 'zod';
import { CampaignId, MemberId, verdicts } from './terms.ts';

/**
 * A **saved reason**: a text reviewers choose instead of typing it, for one verdict, in all campaigns or in one. Its
 * placeholders are filled in for each task.
 */
export const StoredReason = z
  .object({
    verdict: z.enum(verdicts),
    /** The only campaign that offers it; absent: all do. */
    campaign: CampaignId.exactOptional(),
    /** The label by which it is chosen. */
    name: z.string(),
    text: z.string(),
    /** Author of this version, and when (ms). */
    by: MemberId,
    at: z.number(),
    /** Whether it is a removed reason of the starting set. */
    isRemoved: z.literal(true).exactOptional(),
  })
  .readonly();
export type StoredReason = z.infer<typeof StoredReason>;

/** An offered reason, with how many ratings used it. */
export interface SavedReason extends Pick<StoredReason, 'verdict' | 'campaign' | 'name' | 'text'> {
  readonly id: string;
  readonly uses: number;
  /** Author of this version, and when (ms); absent: an unchanged reason of the starting set. */
  readonly by?: MemberId;
  readonly at?: number;
}

/** Placeholders in a reason, with the maximum characters of their values. */
export const placeholders = { worker: 100, campaign: 200, asked: 600 } as const;
export type Placeholder = keyof typeof placeholders;

/** Placeholder values for one task: plain text, as the worker reads it. */
export type PlaceholderValues = Readonly<Record<Placeholder, string>>;

/** Maximum characters of a comment: the limit of Slack's inputs. The marketplace names none. */
export const maxComment = 3_000;
/** Maximum characters of a reason's name: the limit of a select's option. */
export const maxReasonName = 75;

const inBraces = /\{\s*([\p{L}\p{N}_-]+)\s*\}/gu;

/** Returns a text's length in characters, as Slack counts them. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** Returns a reason with its placeholders filled in. Braces inside a value stay unchanged. */
export function fillReason(text: string, values: PlaceholderValues): string {
  return replaced(text, (name) => cutTo(values[name], placeholders[name]));
}

/** Returns the unknown placeholders, as written. */
export function unknownPlaceholders(text: string): string[] {
  return [...text.matchAll(inBraces)].flatMap(([whole, name = '']) =>
    isPlaceholder(name.toLowerCase()) ? [] : [whole],
  );
}

/** Returns the maximum characters of a reason after filling in, for any task. */
export function longestFilled(text: string): number {
  return lengthOf(replaced(text, (name) => 'x'.repeat(placeholders[name])));
}

/**
 * Returns a comment with a chosen reason. Typed text is kept: the reason replaces an unedited saved one, or else is
 * appended.
 * @param saved the texts of all saved reasons, as filled in; one that another form filled in counts if its lines are its own
 * @param last the text that this form filled in last
 */
export function withReason(comment: string, saved: readonly string[], reason: string, last = ''): string {
  const typed = comment.trim();
  const isThere = (text: string) =>
    text !== '' && (text === last.trim() ? typed.includes(text) : `\n${typed}\n`.includes(`\n${text}\n`));
  const [before] = [last, ...[...saved].sort((a, b) => b.length - a.length)]
    .map((text) => text.trim())
    .filter(isThere);
  if (before === undefined) return typed === '' ? reason : `${typed}\n\n${reason}`;
  const at = typed.lastIndexOf(before);
  return `${typed.slice(0, at)}${reason}${typed.slice(at + before.length)}`;
}

/** Returns whether a comment still contains a reason: at least half of its words are left, however it was edited. */
export function isReasonUsed(reason: string, comment: string): boolean {
  const words = wordsOf(reason);
  const left = wordsOf(comment);
  const common = [...words].filter((word) => left.has(word)).length;
  return words.size > 0 && common * 2 >= words.size;
}

/** Compares reasons: most used first; then those of one campaign, then members' own, then the starting set. */
export function byUse(a: SavedReason, b: SavedReason): number {
  return (
    b.uses - a.uses ||
    Number(b.campaign !== undefined) - Number(a.campaign !== undefined) ||
    Number(b.at !== undefined) - Number(a.at !== undefined) ||
    (a.at ?? 0) - (b.at ?? 0)
  );
}

function replaced(text: string, inPlaceOf: (name: Placeholder) => string): string {
  return text.replace(inBraces, (whole, written: string) => {
    const name = written.toLowerCase();
    return isPlaceholder(name) ? inPlaceOf(name) : whole;
  });
}

function isPlaceholder(name: string): name is Placeholder {
  return Object.hasOwn(placeholders, name);
}

function cutTo(text: string, max: number): string {
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

type StartingReason = Pick<SavedReason, 'id' | 'verdict' | 'name' | 'text'>;

/** The reasons every account starts with. They can be changed and removed; ids are permanent. */
export const startingReasons: readonly StartingReason[] = [
  {
    id: 'start.revise.incomplete',
    verdict: 'REVISE',
    name: 'Part of the proof is missing',
    text: 'Thank you for your work. Part of the proof is missing, so we cannot accept it yet. We asked for:\n{asked}\n\nPlease add what is missing and submit it again.',
  },
  {
    id: 'start.revise.unclear',
    verdict: 'REVISE',
    name: 'The picture is blurry or dark',
    text: 'Thank you for your work. The picture is too blurry or too dark for us to check. Please take it again in good light, so that every detail can be read, and submit it again.',
  },
  {
    id: 'start.revise.cropped',
    verdict: 'REVISE',
    name: 'The picture does not show everything',
    text: 'Thank you for your work. The picture does not show everything we need to see. Please send one that shows the whole screen or item, without cropping it.',
  },
  {
    id: 'start.revise.link',
    verdict: 'REVISE',
    name: 'The link does not open',
    text: 'Thank you for your work. The link you sent does not open. Please check that it is complete and that it can be viewed without signing in, then submit it again.',
  },
  {
    id: 'start.revise.file',
    verdict: 'REVISE',
    name: 'The file does not open',
    text: 'Thank you for your work. The file you sent does not open. Please submit it again in a common format, such as JPG, PNG or PDF.',
  },
  {
    id: 'start.revise.short',
    verdict: 'REVISE',
    name: 'The answer is too short',
    text: 'Thank you for your work. Your answer is too short for us to see what you did. Please describe in two or three sentences what you did and what you found, then submit it again.',
  },
  {
    id: 'start.revise.language',
    verdict: 'REVISE',
    name: 'The answer is in another language',
    text: 'Thank you for your work. Please write your answer in the language that the instructions ask for, then submit it again.',
  },
  {
    id: 'start.nok.missing',
    verdict: 'NOK',
    name: 'The proof does not show the work',
    text: 'We could not accept this task, because the proof does not show that the work was done. We asked for:\n{asked}',
  },
  {
    id: 'start.nok.instructions',
    verdict: 'NOK',
    name: 'The instructions were not followed',
    text: 'We could not accept this task, because the work does not follow the instructions of “{campaign}”. We asked for:\n{asked}',
  },
  {
    id: 'start.nok.other',
    verdict: 'NOK',
    name: 'It shows something else',
    text: 'We could not accept this task, because the proof shows a different place, product or page from the one we asked for.',
  },
  {
    id: 'start.nok.copied',
    verdict: 'NOK',
    name: 'Taken from somewhere else',
    text: 'We could not accept this task, because the picture or text was taken from somewhere else. Each task needs your own work.',
  },
  {
    id: 'start.nok.repeated',
    verdict: 'NOK',
    name: 'Same proof as in another task',
    text: 'We could not accept this task, because the same proof was already submitted for another task. Each task needs new work.',
  },
  {
    id: 'start.nok.revision',
    verdict: 'NOK',
    name: 'Still incomplete after a revision',
    text: 'We could not accept this task. We asked you to correct it, but the proof is still incomplete.',
  },
];

const ids = new Set(startingReasons.map(({ id }) => id));

/** Returns whether a reason belongs to the starting set, even if it was changed. */
export function isStarting(id: string): boolean {
  return ids.has(id);
}
