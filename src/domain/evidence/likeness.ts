import type { Task } from '../task.ts';
import type { CampaignId, WorkerId } from '../terms.ts';
import type { ComparedTask } from './print.ts';
import { likenessOf } from './similarity.ts';
import { impossibleTravel, type Travel } from './travel.ts';

/** How two tasks can be alike, the most telling first. */
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

/** A task is shown with so many others at the most. */
export const mostAlike = 30;

/** What a task has in common with another one; each of the two knows it of the other. */
export interface Likeness {
  readonly kinds: readonly LikenessKind[];
  /** The other task's. */
  readonly worker: WorkerId;
  readonly campaign: CampaignId;
  readonly travel?: Travel;
  /** The time between the two, and the longest that still belongs to the campaign's quickest twentieth (ms). */
  readonly pace?: { readonly ms: number; readonly quickest: number };
}

/** What two tasks have in common. Who is who is added by whoever stores it. */
export type Shared = Pick<Likeness, 'kinds'> & Partial<Pick<Likeness, 'travel' | 'pace'>>;

/** What is known of a comparison besides the two tasks. */
export interface ComparisonContext {
  /** Kinds that so many tasks have in common with this one that they say nothing. */
  readonly isCommon: (kind: 'code' | 'link' | 'browser') => boolean;
  /** The longest time between two tasks of one worker that belongs to the campaign's quickest twentieth (ms), if known. */
  readonly quickest?: number | undefined;
  /** They have pictures that look the same. */
  readonly hasSamePicture: boolean;
}

/** Returns what two tasks have in common; undefined when that is nothing. */
export function sharedBy(
  one: ComparedTask,
  other: ComparedTask,
  { isCommon, quickest, hasSamePicture }: ComparisonContext,
): Shared | undefined {
  const text = textLikeness(one, other);
  const isSameFile = haveCommon(one.files, other.files);
  const isSameWorker = one.task.worker.id === other.task.worker.id;
  const found: readonly (readonly [isFound: boolean, kind: LikenessKind])[] = [
    [text === 'same', 'same-text'],
    [text === 'near', 'near-text'],
    [isSameFile, 'same-file'],
    [!isSameFile && hasSamePicture, 'same-picture'],
    [!isCommon('code') && haveCommon(one.codes, other.codes), 'same-code'],
    [!isCommon('link') && haveCommon(one.links, other.links), 'same-link'],
    ...(isSameWorker ? [] : betweenWorkers(one, other, isCommon('browser'))),
  ];
  const travel = isSameWorker
    ? impossibleTravel(whereaboutsOf(one.task), whereaboutsOf(other.task))
    : undefined;
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
  const found = one.texts.flatMap((text) => other.texts.map((against) => likenessOf(text, against)));
  return found.includes('same') ? 'same' : found.find((likeness) => likeness !== undefined);
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

function haveCommon(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one));
}

function whereaboutsOf({ worker, proof, submittedAt }: Task) {
  return { country: worker.country, at: submittedAt ?? proof.finishedAt };
}

/** Returns the time between two tasks of one campaign (ms); undefined where it says nothing. */
export function timeBetween(one: Task, other: Task): number | undefined {
  const [at, before] = [one, other].map((task) => task.submittedAt ?? task.proof.finishedAt);
  if (one.campaign !== other.campaign || at === undefined || before === undefined) return undefined;
  return Math.abs(at - before);
}

/** So many times between tasks must be known before the quickest of them mean anything. */
const leastTimes = 20;

/** Returns the longest time that belongs to the quickest twentieth of some; undefined while too few are known. */
export function quickestTwentieth(times: readonly number[]): number | undefined {
  if (times.length < leastTimes) return undefined;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 20)];
}
