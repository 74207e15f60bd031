import { z } from 'zod';
import { normalizeText } from './evidence/normalize.ts';
import type { Task } from './task.ts';
import { CampaignId, MemberId, TaskId } from './terms.ts';

/** What a message refers to: tasks, or only a campaign. */
export const About = z
  .object({ tasks: z.array(TaskId).readonly(), campaign: CampaignId.exactOptional() })
  .readonly();
export type About = z.infer<typeof About>;

/** Maximum number of a message's tasks shown. */
export const mostAbout = 3;

/** Result of looking again at a task with a complaint. */
export const lookOutcomes = ['right', 'wrong'] as const;
export type ComplaintOutcome = (typeof lookOutcomes)[number];

/** A repeated look; its reason is in the audit. */
export const LookedAgain = z
  .object({ task: TaskId, by: MemberId, at: z.number(), outcome: z.enum(lookOutcomes) })
  .readonly();
export type LookedAgain = z.infer<typeof LookedAgain>;

/** Maximum number of words of a message looked up. */
const mostNames = 40;
const nameLike = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu;
/** Words that introduce a name. */
const introduced =
  /(?:\b(?:user ?name|nick ?name|name is|worker id|user id|worker|user|nick|id|i am|i’m|i'm|this is)\b[\s:#"“(]*)([\p{L}\p{N}][\p{L}\p{N}_.-]{2,63})/giu;
const dateLike = /^\d{1,4}[-.]\d{1,2}[-.]\d{1,4}$/u;

/**
 * Returns the words of a message that may name a task, a campaign or a worker: those with a digit or underscore, and
 * those after an introducing word.
 */
export function namesIn(text: string): string[] {
  const words = [...text.slice(0, 20_000).matchAll(nameLike)].map(([word]) => word);
  const marked = words.filter(
    (word) => /[\d_]/u.test(word) && /[\p{L}\d]{3}/u.test(word) && !dateLike.test(word),
  );
  const named = [...text.slice(0, 20_000).matchAll(introduced)].map(([, word = '']) =>
    word.replace(/[.-]+$/u, ''),
  );
  return [...new Set([...marked, ...named])]
    .filter(({ length }) => length >= 3 && length <= 64)
    .slice(0, mostNames);
}

/** Shorter titles may be common phrases, and do not identify a campaign. */
const shortestTitle = 10;

/**
 * Returns the campaigns whose whole title occurs in a text; several may share one title. A title contained in another
 * one found there is ignored.
 */
export function campaignsNamed<C extends { readonly title: string }>(
  text: string,
  campaigns: readonly C[],
): C[] {
  const within = ` ${normalizeText(text)} `;
  const found = campaigns.flatMap((campaign) => {
    const title = normalizeText(campaign.title);
    return title.length >= shortestTitle && within.includes(` ${title} `) ? [{ campaign, title }] : [];
  });
  const longest = Math.max(0, ...found.map(({ title }) => title.length));
  return found.filter(({ title }) => title.length === longest).map(({ campaign }) => campaign);
}

/** Returns whether a task has a rating, and so can be complained about. */
export function isDecided({ rating }: Pick<Task, 'rating'>): boolean {
  return rating === 'OK' || rating === 'NOK' || rating === 'REVISE';
}
