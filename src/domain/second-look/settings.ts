import { z } from 'zod';
import { money } from '../money.ts';
import type { Verdict } from '../terms.ts';
import type { LookReason } from './look.ts';

/** Available sampling shares in percent; 0: none is sampled. */
export const shares = [0, 5, 10, 20] as const;

/** Which decisions of a campaign, or of an account's other campaigns, wait for a second look. */
export const SecondLookSettings = z
  .object({
    share: z.union(shares.map((share) => z.literal(share))),
    /** Every bonus above this amount waits, as decimal text; absent: bonuses are not treated specially. */
    bonusAbove: z.string().exactOptional(),
    /** Whether every NOK of a bulk rating waits. */
    bulkNok: z.boolean(),
  })
  .readonly();
export type SecondLookSettings = z.infer<typeof SecondLookSettings>;

/** The default, before an owner decides anything. */
export const noSecondLooks: SecondLookSettings = { share: 0, bulkNok: false };

/** A reviewer with fewer decisions within two weeks is new: twice the share of their decisions waits. */
export const newBelow = 50;
const newFactor = 2;

/** Reviewers count as active within this time before now (ms). */
export const activeMs = 7 * 86_400_000;
/** Maximum waiting time of a decision (ms), and how long before its deadline it is let go. */
const longestMs = 24 * 3_600_000;
const marginMs = 2 * 3_600_000;
/** With less time than this left, no second look is requested (ms). */
const shortestMs = 15 * 60_000;

/** Returns when a decision made at `at` is let go if nobody looks (ms); undefined if there is no time for a look. */
export function lookUntil(at: number, deadline: number | undefined): number | undefined {
  const until = Math.min(at + longestMs, (deadline ?? Number.POSITIVE_INFINITY) - marginMs);
  return until - at < shortestMs ? undefined : until;
}

/** Returns whether a deadline is too near to wait for a look. */
export function isNear(at: number, deadline: number): boolean {
  return at >= deadline - marginMs;
}

/** Properties of a new decision. */
export interface DrawnDecision {
  readonly verdict: Verdict;
  readonly bonus?: string;
  readonly isBulk: boolean;
}

/**
 * Returns why a decision waits for a second look; undefined if it does not.
 * @param draw a number in [0, 1) fixed per task, see createLookDraw in src/store/second-looks.ts
 * @param isNew returns whether the decider is new; called only if it matters
 */
export async function reasonToLook(
  { share, bonusAbove, bulkNok }: SecondLookSettings,
  { verdict, bonus, isBulk }: DrawnDecision,
  draw: number,
  isNew: () => Promise<boolean>,
): Promise<LookReason | undefined> {
  if (bonus !== undefined && bonusAbove !== undefined && money(bonus).gt(money(bonusAbove))) return 'bonus';
  if (isBulk && bulkNok && verdict === 'NOK') return 'bulk';
  if (draw < share / 100) return 'share';
  return draw < (newFactor * share) / 100 && (await isNew()) ? 'new' : undefined;
}

/** Returns whether no decision waits for a second look. */
export function isOff({ share, bonusAbove, bulkNok }: SecondLookSettings): boolean {
  return share === 0 && bonusAbove === undefined && !bulkNok;
}

/** Returns settings for the audit. */
export function settingsText({ share, bonusAbove, bulkNok }: SecondLookSettings): string {
  const parts = [
    ...(share === 0 ? [] : [`${share} %`]),
    ...(bonusAbove === undefined ? [] : [`bonuses above ${bonusAbove}`]),
    ...(bulkNok ? ['NOK in bulk'] : []),
  ];
  return parts.length === 0 ? 'off' : parts.join(', ');
}
