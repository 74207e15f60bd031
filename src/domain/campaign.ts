import { z } from 'zod';
import { normalizeSpace } from './evidence/texts.ts';
import type { Money } from './money.ts';
import { slotNumber, type Task } from './task.ts';
import { CampaignId, type CampaignStatus, campaignStatuses } from './terms.ts';

/** A campaign as last seen in the marketplace's list, stored so that forms and cards need no request. */
export const Campaign = z
  .object({
    id: CampaignId,
    title: z.string(),
    status: z.enum(campaignStatuses),
    availablePositions: z.number(),
    /** Milliseconds since 1970; absent when unreadable. */
    createdAt: z.number().exactOptional(),
    targetedCountries: z.string(),
    excludedCountries: z.string(),
    /** Decimal text. */
    paymentPerTask: z.string(),
    speed: z.string(),
    tasksOk: z.number(),
    tasksNok: z.number(),
    tasksNotRated: z.number(),
    tasksNotReviewed: z.number(),
  })
  .readonly();
export type Campaign = z.infer<typeof Campaign>;

/** Returns a campaign's title, as plain text; one without a known title is named by its id. */
export function campaignTitleOf(id: string, title: string | undefined): string {
  return title?.trim() || `Campaign ${id}`;
}

/** Returns the part of a listed campaign that is stored. */
export function campaignOf({
  createdAt,
  paymentPerTask,
  ...listed
}: Omit<Campaign, 'createdAt' | 'paymentPerTask'> & {
  readonly createdAt: Date | undefined;
  readonly paymentPerTask: Money;
}): Campaign {
  const created = createdAt ? { createdAt: createdAt.getTime() } : {};
  return Campaign.parse({ ...listed, ...created, paymentPerTask: paymentPerTask.toFixed() });
}

/** Returns a campaign's counts as text, which changes whenever the results may have. */
export function countsOf(campaign: Campaign): string {
  const { tasksOk, tasksNok, tasksNotRated, tasksNotReviewed } = campaign;
  return [tasksOk, tasksNok, tasksNotRated, tasksNotReviewed].join('/');
}

/** Returns the number of tasks in a campaign's counts. New tasks add to it; ratings do not. */
export function tasksIn({ tasksOk, tasksNok, tasksNotRated, tasksNotReviewed }: Campaign): number {
  return tasksOk + tasksNok + tasksNotRated + tasksNotReviewed;
}

/**
 * Returns whether a campaign's results may change while its counts stay the same: it runs, or some tasks are not final.
 * Such campaigns are also imported in full at longer intervals.
 */
export function isActive(campaign: Campaign): boolean {
  return campaign.status === 'RUNNING' || campaign.tasksNotRated > 0 || campaign.tasksNotReviewed > 0;
}

/** Returns why a campaign currently refuses ratings ("States and transitions"), or undefined if it does not. */
export function ratingPause(status: CampaignStatus): 'PAUSED_ADMIN' | 'PENDING_REVIEW' | undefined {
  return status === 'PAUSED_ADMIN' || status === 'PENDING_REVIEW' ? status : undefined;
}

interface Titled {
  readonly id: string;
  readonly title: string;
}

const quotes = /["'“”„‟«»‘’‚‛‹›`´′″ʼ＂＇]/gu;

/** Returns a text as titles are compared: any quote for any other, none around it, no case, NFC. */
export function titleKey(text: string): string {
  const alike = normalizeSpace(text.normalize('NFC').toLowerCase().replace(quotes, "'")).normalize('NFC');
  return alike.replace(/^[' ]+|[' ]+$/gu, '') || alike.slice(0, 1);
}

/**
 * Returns the campaigns that somebody means by an id, a title or a part of one: whole titles before parts, otherwise in
 * the given order. `only`: the one that it can only mean.
 */
export function searchCampaigns<T extends Titled>(
  campaigns: readonly T[],
  typed: string,
): { readonly found: readonly T[]; readonly only?: T | undefined } {
  const wanted = titleKey(typed);
  const byId = campaigns.find(({ id }) => id === typed.trim());
  if (byId !== undefined) return { found: [byId], only: byId };
  const parts = campaigns.filter(
    (one) => one.id.toLowerCase() === wanted || titleKey(one.title).includes(wanted),
  );
  const isWhole = (one: T) => titleKey(one.title) === wanted || one.id.toLowerCase() === wanted;
  const whole = parts.filter(isWhole);
  const [only, second] = whole.length > 0 ? whole : parts;
  return {
    found: [...whole, ...parts.filter((one) => !isWhole(one))],
    only: second === undefined ? only : undefined,
  };
}

interface Described extends Titled {
  readonly availablePositions?: number;
  /** Milliseconds since 1970. */
  readonly createdAt?: number;
}

/** Number of characters of a title that a select shows. */
const shownCharacters = 75;

/** Returns what tells a campaign from others whose titles read the same, in plain text; '' for a title of its own. */
export function tellApart<T extends Described>(campaigns: readonly T[]): (one: T) => string {
  const keyOf = ({ title }: T) => titleKey(title).slice(0, shownCharacters);
  const counts = new Map<string, number>();
  for (const one of campaigns) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return (one) => ((counts.get(keyOf(one)) ?? 0) > 1 ? campaignFacts(one) : '');
}

/** Returns when a campaign was created, its positions and its id, in plain text. */
export function campaignFacts({ id, availablePositions: positions, createdAt }: Described): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return [
    ...(createdAt === undefined ? [] : [`created ${new Date(createdAt).toLocaleDateString('en-US', day)}`]),
    ...(positions === undefined
      ? []
      : [`${positions.toLocaleString('en')} ${positions === 1 ? 'position' : 'positions'}`]),
    id,
  ].join(' · ');
}

const Status = z.enum(campaignStatuses);

/** A campaign's status, and another one listed since. */
export const CampaignState = z
  .object({
    status: Status,
    /** Since when it counts (ms). */
    since: z.number(),
    /** Previous statuses, and until when (ms) they held: a lagging list shows one of them again. */
    former: z.array(z.object({ status: Status, until: z.number() }).readonly()).readonly(),
    /** Another status currently listed, and since when (ms). */
    seen: z.object({ status: Status, since: z.number() }).readonly().exactOptional(),
    /** Whether people have yet to be told of the status. */
    untold: z.literal(true).exactOptional(),
  })
  .readonly();
export type CampaignState = z.infer<typeof CampaignState>;

/** A status that held shortly before (ms) must be listed for this long, because the list may lag. */
const lagMs = 600_000;
const maxFormer = 5;

/** The statuses announced to people. */
const told: ReadonlySet<CampaignStatus> = new Set([
  'FINISHED',
  'BLOCKED',
  'PAUSED',
  'PAUSED_ADMIN',
  'PAUSED_SYSTEM',
]);

/**
 * Returns the state after a poll has listed a campaign. A status counts once it was listed twice in a row; the first one
 * that is known is not announced. Pure.
 */
export function observed(
  before: CampaignState | undefined,
  status: CampaignStatus,
  at: number,
): CampaignState {
  if (before === undefined) return { status, since: at, former: [] };
  const { seen, ...rest } = before;
  if (status === before.status) return seen === undefined ? before : rest;
  if (seen?.status !== status) return { ...rest, seen: { status, since: at } };
  const isRecent = before.former.some((one) => one.status === status && at - one.until < lagMs);
  if (isRecent && at - seen.since < lagMs) return before;
  return {
    status,
    since: at,
    former: [...before.former, { status: before.status, until: at }].slice(-maxFormer),
    ...(told.has(status) ? { untold: true } : {}),
  };
}

/** Returns the state after people were told. */
export function withoutUntold(state: CampaignState): CampaignState {
  const { untold: _, ...rest } = state;
  return rest;
}

/** A campaign's instructions to workers, as listed by the marketplace. */
export const ListedBrief = z.object({ work: z.string(), proof: z.string() }).readonly();
export type ListedBrief = z.infer<typeof ListedBrief>;

/** Instructions of a campaign created here, more detailed than the marketplace lists them. */
export const CreatedBrief = z
  .object({
    work: z.string(),
    /** One text per proof slot. */
    proofs: z.array(z.string()).readonly(),
    /** The template columns referenced by the texts; absent: the same texts for all workers. */
    columns: z.array(z.string()).readonly().exactOptional(),
  })
  .readonly();
export type CreatedBrief = z.infer<typeof CreatedBrief>;

/** Everything known about a campaign's instructions. */
export interface Brief {
  readonly listed?: ListedBrief;
  readonly created?: CreatedBrief;
}

/** What one task asked for. */
export interface Asked {
  /** The instructions. */
  readonly work: string;
  /** The proof request: one text per slot if `isPerSlot`, else one text for all of them. */
  readonly proofs: readonly string[];
  readonly isPerSlot: boolean;
  /** The worker's row of the campaign's template; absent if the texts above contain its values. */
  readonly row?: string;
}

/** Fills the values of the worker's row into a text. */
type Fill = (text: string) => string;

/**
 * Returns what a task asked for; undefined if unknown.
 * @param csvRow the task's row in the campaign's template
 * @param fill absent if the values of that row are unknown
 */
export function askedOf({ listed, created }: Brief, csvRow: string, fill?: Fill): Asked | undefined {
  const row = templateRow(csvRow);
  const unfilled = fill === undefined && row !== undefined ? { row } : {};
  if (created !== undefined) {
    const isSame = created.columns === undefined || created.columns.length === 0;
    const filled = isSame ? (text: string) => text : (fill ?? ((text: string) => text));
    return {
      work: filled(created.work),
      proofs: created.proofs.map(filled),
      isPerSlot: true,
      ...(isSame ? {} : unfilled),
    };
  }
  if (listed === undefined || (listed.work.trim() === '' && listed.proof.trim() === '')) return undefined;
  return {
    work: listed.work,
    proofs: listed.proof.trim() === '' ? [] : [listed.proof],
    isPerSlot: false,
    ...(row === undefined ? {} : { row }),
  };
}

/** Returns a task's row in the campaign's template; undefined if the campaign has none. */
export function templateRow(csvRow: string): string | undefined {
  const row = csvRow.trim();
  return row === '' || row === '0' ? undefined : row;
}

/** The part of a task that its proof is rendered from. */
export type ShownTask = Pick<Task, 'proof' | 'detailed'>;

/** Text submitted in one slot; `text` absent: nothing. `number` counts from 1. */
export interface Slot {
  readonly number: number;
  readonly text?: string;
}

/** Returns each answer with its question; a question for all of them goes with the first. */
export function answersOf(
  listed: Asked | undefined,
  task: ShownTask,
): { readonly number: number; readonly asked?: string; readonly text?: string }[] {
  const asked = listed && perSlot(listed, task);
  const slots = slotsOf(asked, task);
  const ofAll = asked?.isPerSlot ? undefined : asked?.proofs[0];
  if (slots.length === 0) return ofAll === undefined ? [] : [{ number: 1, asked: ofAll }];
  return slots.map((slot, index) => {
    const proof = questionOf(asked, slots, slot.number) ?? (index === 0 ? ofAll : undefined);
    return { ...slot, ...(proof?.trim() ? { asked: proof } : {}) };
  });
}

/** Returns the question that an answer belongs to, by its number. */
export function questionOf(
  asked: Asked | undefined,
  slots: readonly Slot[],
  number: number,
): string | undefined {
  if (asked?.isPerSlot) return asked.proofs[number - 1];
  return slots.length === 1 ? asked?.proofs[0] : undefined;
}

/** Returns the request with a question for each answer, if the lines of a request for all slots are as many. */
export function perSlot(asked: Asked, { proof }: ShownTask): Asked {
  const [only, ...others] = asked.proofs;
  if (asked.isPerSlot || only === undefined || others.length > 0) return asked;
  const questions = linesOf(only);
  const last = proof.slots.length === 0 ? 0 : slotNumber(proof, proof.slots.length - 1);
  const isMatch = questions.length === proof.slots.length && last === questions.length;
  return isMatch ? { ...asked, proofs: questions, isPerSlot: true } : asked;
}

/** Returns the filled slots, and the requested but empty ones where known. */
export function slotsOf(asked: Asked | undefined, { proof, detailed }: ShownTask): Slot[] {
  const filled = proof.slots.map((text, index): Slot => ({ number: slotNumber(proof, index), text }));
  if (!asked?.isPerSlot || !detailed) return filled;
  const known = new Set(filled.map(({ number }) => number));
  const empty = asked.proofs.flatMap((_, index): Slot[] =>
    known.has(index + 1) ? [] : [{ number: index + 1 }],
  );
  return [...filled, ...empty].sort((a, b) => a.number - b.number);
}

/** The list returns the texts of several slots as lines of one. */
export function linesOf(proof: string): string[] {
  const lines = proof.split(/[\r\n]+/u).map((line) => line.trim());
  return lines.filter((line) => line !== '');
}
