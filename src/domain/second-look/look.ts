import { z } from 'zod';
import { MemberId, verdicts } from '../terms.ts';

/**
 * Why a decision waits for a second look: `share`, the campaign's share · `new`, the higher share for new reviewers ·
 * `bonus`, above the campaign's threshold · `bulk`, a NOK of a bulk rating.
 */
export const lookReasons = ['share', 'new', 'bonus', 'bulk'] as const;
export type LookReason = (typeof lookReasons)[number];

/** A reviewer's verdict before it becomes the task's decision. */
export const GivenVerdict = z
  .object({
    id: z.string(),
    by: MemberId,
    verdict: z.enum(verdicts),
    comment: z.string(),
    ownKey: z.boolean().exactOptional(),
    bonus: z.string().exactOptional(),
    ownBonus: z.literal(true).exactOptional(),
    favorite: z.enum(['add', 'remove']).exactOptional(),
    reason: z.string().exactOptional(),
    unchecked: z.literal(true).exactOptional(),
    /** Milliseconds since 1970. */
    at: z.number(),
  })
  .readonly();
export type GivenVerdict = z.infer<typeof GivenVerdict>;

/**
 * A decision that waits for a second look. Its task has no decision and is open to everybody else, so that no display of
 * the task reveals the verdict. With `second`, the two differ, and a third decides.
 */
export const SecondLook = z
  .object({
    why: z.enum(lookReasons),
    /** When it is let go without a further look (ms). */
    until: z.number(),
    first: GivenVerdict,
    second: GivenVerdict.exactOptional(),
  })
  .readonly();
export type SecondLook = z.infer<typeof SecondLook>;

/**
 * Outcome of a second look: `agreed`, by the same verdict · `third`, by a tie-break · `let go`, nobody looked in time,
 * and the first verdict stands.
 */
export const LookResult = z
  .object({
    ...SecondLook.unwrap().shape,
    how: z.enum(['agreed', 'third', 'let go']),
    third: GivenVerdict.exactOptional(),
  })
  .readonly();
export type LookResult = z.infer<typeof LookResult>;

/** Input of a decision that may need a second look, or may be one. */
export interface NewLook {
  /** Why it waits for a second look; absent: it does not. */
  readonly why?: LookReason;
  /** When it is let go if nobody looks (ms). */
  readonly until: number;
  /** Id of the second verdict shown to the decider, which makes them the third. */
  readonly saw?: string;
  /** Whether the first decider may no longer rate: the new decision then stands alone, also in a tie-break. */
  readonly isFirstGone?: true;
}
