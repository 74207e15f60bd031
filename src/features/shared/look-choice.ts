import type { NewDecision } from '../../domain/events.ts';
import { once } from '../../domain/once.ts';
import { leastRole, may } from '../../domain/permissions.ts';
import type { NewLook } from '../../domain/second-look/look.ts';
import { activeMs, isOff, lookUntil, newBelow, reasonToLook } from '../../domain/second-look/settings.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Actor } from '../../slack/feature.ts';
import type { FeatureContext } from './context.ts';

/** When and how a decision is made. */
export interface LookAsked {
  readonly at: number;
  readonly how: Actor['how'];
  readonly isBulk: boolean;
  /** When the task is due (ms), if known. */
  readonly deadline: number | undefined;
  /** The second verdict shown to the person deciding. */
  readonly saw: string | undefined;
}

/** Maximum number of active reviewers checked for one who may give the second look. */
const mostAsked = 10;

/** Creates the choice whether a new decision waits for a second look (ADR 43). */
export function createLookChoice({
  access,
  decisionCounts,
  lookDraw,
  secondLooks,
}: Pick<FeatureContext, 'access' | 'decisionCounts' | 'lookDraw' | 'secondLooks'>) {
  async function standingOf(ref: AccountRef, member: MemberId) {
    const someone = { workspace: ref.workspace, team: ref.workspace, member };
    const { role, refusal } = await access.standing(someone, ref, { enough: leastRole('rate') });
    const mayRate = may(role, 'rate');
    return { mayRate, isGone: !mayRate && refusal !== 'unchecked' };
  }

  /** Returns whether somebody else who may rate has decided within the last week. */
  async function hasColleague(
    ref: AccountRef,
    by: MemberId,
    members: Awaited<ReturnType<typeof decisionCounts.members>>,
    at: number,
  ): Promise<boolean> {
    const active = [...members]
      .filter(([member, { lastAt }]) => member !== by && lastAt >= at - activeMs)
      .sort(([, a], [, b]) => b.lastAt - a.lastAt);
    for (const [member] of active.slice(0, mostAsked))
      if ((await standingOf(ref, member)).mayRate) return true;
    return false;
  }

  /**
   * Returns the second look of a decision, or the inputs for one; undefined if none applies. Active reviewers are looked
   * up only when the settings select the decision.
   */
  return async (
    ref: AccountRef,
    task: Task,
    { by, verdict, bonus }: NewDecision,
    { at, how, isBulk, deadline, saw }: LookAsked,
  ): Promise<NewLook | undefined> => {
    const until = lookUntil(at, deadline);
    if (task.look !== undefined) {
      const gone = (await standingOf(ref, task.look.first.by)).isGone;
      return {
        until: until ?? task.look.until,
        ...(saw === undefined ? {} : { saw }),
        ...(gone ? { isFirstGone: true } : {}),
      };
    }
    // A reply is in the thread for everybody to read.
    if (until === undefined || how === 'reply') return undefined;
    const settings = await secondLooks.settingsOf(ref, task.campaign);
    if (isOff(settings)) return undefined;
    const counts = once(() => decisionCounts.members(ref, at));
    const isNew = async () => ((await counts()).get(by)?.decisions ?? 0) < newBelow;
    const drawn = { verdict, isBulk, ...(bonus === undefined ? {} : { bonus }) };
    const why = await reasonToLook(settings, drawn, lookDraw(ref, task.id, task.round), isNew);
    if (why === undefined || !(await hasColleague(ref, by, await counts(), at))) return undefined;
    return { why, until };
  };
}
