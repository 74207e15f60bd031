import type { Task } from '../task.ts';
import type { CampaignId, WorkerId } from '../terms.ts';
import { arePrintsAlike, type ComparedTask } from './prints.ts';
import { likenessOf } from './texts.ts';
import { quickTravel, type Travel } from './travel.ts';

/** Kinds of likeness between two tasks, most telling first. */
export const likenessKinds = [
  'same-text',
  'near-text',
  'same-file',
  'same-picture',
  'same-code',
  'same-link',
  'same-address',
  'same-network',
  'same-browser',
  'travel',
  'pace',
] as const;
export type LikenessKind = (typeof likenessKinds)[number];

/** Maximum number of alike tasks shown with a task. */
export const mostAlike = 30;

/** What a task has in common with another one; stored for both tasks. */
export interface Likeness {
  readonly kinds: readonly LikenessKind[];
  /** The other task's worker. */
  readonly worker: WorkerId;
  readonly campaign: CampaignId;
  readonly travel?: Travel;
  /** The time between the two, and the upper bound of the campaign's quickest twentieth (ms). */
  readonly pace?: { readonly ms: number; readonly quickest: number };
}

/** What two tasks have in common; the store adds their identities. */
export type Shared = Pick<Likeness, 'kinds'> & Partial<Pick<Likeness, 'travel' | 'pace'>>;

/** Facts needed for a comparison besides the two tasks. */
export interface ComparisonContext {
  /** Whether so many tasks share a kind with this one that it says nothing. */
  readonly isCommon: (kind: 'code' | 'link' | 'browser') => boolean;
  /** The upper bound of the campaign's quickest twentieth of times between two tasks of one worker (ms), if known. */
  readonly quickest?: number | undefined;
}

/** Returns what two tasks have in common; undefined if nothing. */
export function sharedBy(
  one: ComparedTask,
  other: ComparedTask,
  { isCommon, quickest }: ComparisonContext,
): Shared | undefined {
  const text = textLikeness(one, other);
  const isSameFile = haveCommon(one.files, other.files);
  const isSameWorker = one.task.worker.id === other.task.worker.id;
  const found: readonly (readonly [isFound: boolean, kind: LikenessKind])[] = [
    [text === 'same', 'same-text'],
    [text === 'near', 'near-text'],
    [isSameFile, 'same-file'],
    [!isSameFile && haveAlikePrints(one.prints, other.prints), 'same-picture'],
    [!isCommon('code') && haveCommon(one.codes, other.codes), 'same-code'],
    [!isCommon('link') && haveCommon(one.links, other.links), 'same-link'],
    ...(isSameWorker ? [] : betweenWorkers(one, other, isCommon('browser'))),
  ];
  const travel = isSameWorker ? quickTravel(whereaboutsOf(one.task), whereaboutsOf(other.task)) : undefined;
  const ms = isSameWorker ? timeBetween(one.task, other.task) : undefined;
  const isQuick = ms !== undefined && quickest !== undefined && ms < quickest;
  const kinds = [
    ...found.filter(([isFound]) => isFound).map(([, kind]) => kind),
    ...(travel ? ['travel' as const] : []),
    ...(isQuick ? ['pace' as const] : []),
  ];
  if (kinds.length === 0) return undefined;
  return { kinds, ...(travel ? { travel } : {}), ...(isQuick ? { pace: { ms, quickest } } : {}) };
}

function textLikeness(one: ComparedTask, other: ComparedTask): 'same' | 'near' | undefined {
  const pairs = one.texts.flatMap((text) => other.texts.map((against) => [text, against] as const));
  if (pairs.some(([text, against]) => text.text === against.text)) return 'same';
  return pairs.some(([text, against]) => likenessOf(text, against) !== undefined) ? 'near' : undefined;
}

function betweenWorkers(
  one: ComparedTask,
  other: ComparedTask,
  isCommonBrowser: boolean,
): (readonly [boolean, LikenessKind])[] {
  const browser = one.task.worker.userAgentHash;
  const isSameAddress = one.address !== undefined && one.address === other.address;
  return [
    [isSameAddress, 'same-address'],
    [!isSameAddress && one.network !== undefined && one.network === other.network, 'same-network'],
    [
      !isCommonBrowser && browser !== undefined && browser === other.task.worker.userAgentHash,
      'same-browser',
    ],
  ];
}

function haveAlikePrints(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => arePrintsAlike(one, other)));
}

function haveCommon(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one));
}

function whereaboutsOf({ worker, proof, submittedAt }: Task) {
  return { country: worker.country, at: submittedAt ?? proof.finishedAt };
}

/** Returns the time between two tasks of one campaign (ms); undefined if it says nothing. */
export function timeBetween(one: Task, other: Task): number | undefined {
  const [at, before] = [one, other].map((task) => task.submittedAt ?? task.proof.finishedAt);
  if (one.campaign !== other.campaign || at === undefined || before === undefined) return undefined;
  return Math.abs(at - before);
}

/** Minimum number of known times before the quickest ones mean anything. */
const leastTimes = 20;

/** Returns the upper bound of the quickest twentieth of times; undefined while too few are known. */
export function quickestTwentieth(times: readonly number[]): number | undefined {
  if (times.length < leastTimes) return undefined;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 20)];
}
