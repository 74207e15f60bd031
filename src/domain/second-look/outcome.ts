import { z } from 'zod';
import type { Task } from '../task.ts';
import { CampaignId, MemberId, TaskId, verdicts } from '../terms.ts';
import { type GivenVerdict, lookReasons } from './look.ts';

/** What one reviewer said of a task, as its figures need it. */
const LookVerdict = z.object({ member: MemberId, verdict: z.enum(verdicts) }).readonly();
/** The verdict of one of the two who looked without knowing of each other, with the saved reason it was given for. */
const BlindVerdict = z
  .object({ ...LookVerdict.unwrap().shape, reason: z.string().exactOptional() })
  .readonly();

/**
 * What came of a second look whose task has been rated: who said what. `third` is there only where the two differed and
 * somebody else decided.
 */
export const SecondLookOutcome = z
  .object({
    task: TaskId,
    campaign: CampaignId,
    /** When the task was rated (ms since 1970). */
    at: z.number(),
    /** Why it waited: only those of `share` are a draw from all decisions alike. */
    why: z.enum(lookReasons).exactOptional(),
    first: BlindVerdict,
    second: BlindVerdict,
    third: LookVerdict.exactOptional(),
  })
  .readonly();
export type SecondLookOutcome = z.infer<typeof SecondLookOutcome>;

/**
 * Returns what came of a task's second look, when a change of the task has made its decision a rating; undefined when it had
 * none, or nobody has looked.
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
