import { z } from 'zod';
import type { Task } from '../task.ts';
import { CampaignId, MemberId, TaskId, verdicts } from '../terms.ts';
import { type GivenVerdict, lookReasons } from './look.ts';

/** One reviewer's verdict on a task, as needed for the statistics. */
const LookVerdict = z.object({ member: MemberId, verdict: z.enum(verdicts) }).readonly();
/** A verdict of one of the first two looks, which are blind to each other, with its saved reason. */
const BlindVerdict = z
  .object({ ...LookVerdict.unwrap().shape, reason: z.string().exactOptional() })
  .readonly();

/**
 * Outcome of a rated task's second look: who gave which verdict. `third` is present only if the two differed and
 * somebody else decided.
 */
export const SecondLookOutcome = z
  .object({
    task: TaskId,
    campaign: CampaignId,
    /** When the task was rated (ms since 1970). */
    at: z.number(),
    /** Why it waited; only `share` is a random sample of all decisions. */
    why: z.enum(lookReasons).exactOptional(),
    first: BlindVerdict,
    second: BlindVerdict,
    third: LookVerdict.exactOptional(),
  })
  .readonly();
export type SecondLookOutcome = z.infer<typeof SecondLookOutcome>;

/**
 * Returns the second look's outcome when a change of the task has turned its decision into a rating; undefined if there
 * was none, or nobody looked.
 */
export function lookOutcome(before: Task | undefined, after: Task): SecondLookOutcome | undefined {
  const { decision, id: task, campaign, ratedAt: at } = after;
  const { look } = decision ?? {};
  if (decision?.state !== 'applied' || before?.decision?.state === 'applied') return undefined;
  if (look?.second === undefined) return undefined;
  const { why, first, second, third } = look;
  return {
    ...{ task, campaign, at, why },
    first: blind(first),
    second: blind(second),
    ...(third ? { third: { member: third.by, verdict: third.verdict } } : {}),
  };
}

function blind({ by: member, verdict, reason }: GivenVerdict): SecondLookOutcome['first'] {
  return { member, verdict, ...(reason === undefined ? {} : { reason }) };
}
