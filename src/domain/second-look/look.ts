import { z } from 'zod';
import { MemberId, verdicts } from '../terms.ts';

/**
 * Why a decision waits for a second look: `share`, the campaign's share · `new`, the higher share of reviewers who are new ·
 * `bonus`, one above the campaign's sum · `bulk`, a NOK of a bulk rating.
 */
export const lookReasons = ['share', 'new', 'bonus', 'bulk'] as const;
export type LookReason = (typeof lookReasons)[number];

/** What somebody decided, before it is the task's decision. */
export const GivenVerdict = z
  .object({
    id: z.string(),
    by: MemberId,
    verdict: z.enum(verdicts),
    comment: z.string(),
    ownKey: z.boolean().exactOptional(),
    bonus: z.string().exactOptional(),
    favorite: z.enum(['add', 'remove']).exactOptional(),
    reason: z.string().exactOptional(),
    /** Milliseconds since 1970. */
    at: z.number(),
  })
  .readonly();
export type GivenVerdict = z.infer<typeof GivenVerdict>;

/**
 * A decision that waits for a second look. Its task has no decision and is open to everybody else, so that nothing that shows
 * a task can tell what was decided. With `second`, the two differ, and a third decides.
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
 * How a second look ended: `agreed`, by the same verdict · `third`, somebody decided between two · `let go`, nobody looked in
 * time, and the first verdict stands.
 */
export const LookResult = z
  .object({
    ...SecondLook.unwrap().shape,
    how: z.enum(['agreed', 'third', 'let go']),
    third: GivenVerdict.exactOptional(),
  })
  .readonly();
export type LookResult = z.infer<typeof LookResult>;

/** What a decision brings along that may need a second look, or may be one. */
export interface NewLook {
  /** Why it waits for a second look; absent: it does not. */
  readonly why?: LookReason;
  /** When it is let go if nobody looks (ms). */
  readonly until: number;
  /** The id of the second verdict that whoever decides was shown: only then are they the third. */
  readonly saw?: string;
  /** Whoever decided first may not rate any more: what is decided now stands alone, also between two. */
  readonly isFirstGone?: true;
}
