import { z } from 'zod';
import { CampaignId, MemberId, verdicts } from './terms.ts';

/**
 * A **saved reason**: a text that reviewers choose instead of typing it, for one verdict, in all campaigns or in one. Its
 * placeholders are filled in for the task at hand.
 */
export const StoredReason = z
  .object({
    verdict: z.enum(verdicts),
    /** The only campaign in which it is offered; absent: in all. */
    campaign: CampaignId.exactOptional(),
    /** What it is chosen by. */
    name: z.string(),
    text: z.string(),
    /** Who wrote it so, and when (ms). */
    by: MemberId,
    at: z.number(),
    /** One of the starting set that somebody removed. */
    isRemoved: z.literal(true).exactOptional(),
  })
  .readonly();
export type StoredReason = z.infer<typeof StoredReason>;

/** A reason as it is offered, and how often a rating was given with it. */
export interface SavedReason extends Pick<StoredReason, 'verdict' | 'campaign' | 'name' | 'text'> {
  readonly id: string;
  readonly uses: number;
  /** Who wrote it so, and when (ms); absent: it is of the starting set, and nobody has changed it. */
  readonly by?: MemberId;
  readonly at?: number;
}

/** What stands in braces in a reason, and how many characters it takes at the most once it is filled in. */
export const placeholders = { worker: 100, campaign: 200, asked: 600, deadline: 60 } as const;
export type Placeholder = keyof typeof placeholders;

/** What the placeholders stand for in one task: plain text, as the worker reads it. */
export type PlaceholderValues = Readonly<Record<Placeholder, string>>;

/** How many characters a comment takes: Slack's inputs take no more. The marketplace names no limit. */
export const maxComment = 3_000;
/** How many characters the name of a reason takes: what an option of a select shows. */
export const maxReasonName = 75;

const inBraces = /\{\s*([\p{L}\p{N}_-]+)\s*\}/gu;

/** Returns how many characters a text has, as Slack counts them. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** Returns a reason with its placeholders filled in. What a value has in braces stays as it is. */
export function fillReason(text: string, values: PlaceholderValues): string {
  return replaced(text, (name) => cutTo(values[name], placeholders[name]));
}

/** Returns the names in braces that are no placeholders, as they were written. */
export function unknownPlaceholders(text: string): string[] {
  return [...text.matchAll(inBraces)].flatMap(([whole, name = '']) =>
    isPlaceholder(name.toLowerCase()) ? [] : [whole],
  );
}

/** Returns how many characters a reason takes at the most, whichever task it is filled in for. */
export function longestFilled(text: string): number {
  return lengthOf(replaced(text, (name) => 'x'.repeat(placeholders[name])));
}

/**
 * Returns a comment once a reason is chosen for it. What was typed stays: the reason takes the place of the one that was
 * filled in before, or else follows what is there.
 * @param before the reason that was filled in before, as it was; '' for none
 */
export function withReason(comment: string, before: string, reason: string): string {
  const typed = comment.trim();
  if (typed === '') return reason;
  const at = before === '' ? -1 : comment.lastIndexOf(before);
  if (at >= 0) return `${comment.slice(0, at)}${reason}${comment.slice(at + before.length)}`;
  return `${typed}\n\n${reason}`;
}

/** Returns whether a reason is still what a comment says: at least half of its words are left, however it was edited. */
export function isReasonUsed(reason: string, comment: string): boolean {
  const words = wordsOf(reason);
  const left = wordsOf(comment);
  const common = [...words].filter((word) => left.has(word)).length;
  return words.size > 0 && common * 2 >= words.size;
}

/** Orders reasons: the most used first; then those of one campaign, then what somebody wrote, then the starting set. */
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
