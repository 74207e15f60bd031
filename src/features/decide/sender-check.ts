import { groupBy } from '../../domain/collections.ts';
import { leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/** Decisions of one member whose permission is checked the same way. */
type Kind = Pick<TaskWithDecision['decision'], 'by' | 'ownBonus' | 'ownKey' | 'unchecked'> & {
  readonly isMoney: boolean;
};

/**
 * What is done with a due decision: sent · held, its maker may no longer rate (`barred`) · held until Slack can be asked
 * whether they may (`unasked`) · refused, they never might.
 */
type Answer = 'allowed' | 'barred' | 'unasked' | 'refused';

/**
 * Creates the permission check at send time: whether the decider may still rate, and still pay a bonus that nobody had to
 * approve. Slack's data may be up to 5 minutes old; for a bonus they must be fresh. A decision that was checked when it
 * was made stays valid while Slack cannot be asked, and after its maker removed their own key used for it: neither speaks
 * against it.
 */
export function createSenderCheck({ people }: Modules) {
  async function answerOf(
    ref: AccountRef,
    { by, ownBonus, ownKey, isMoney, unchecked }: Kind,
  ): Promise<Answer> {
    const needed = ownBonus ? 'bonus' : 'rate';
    const someone = { workspace: ref.workspace, team: ref.workspace, member: by };
    const asked = { enough: leastRole(needed), isFresh: isMoney };
    let { role, refusal } = await people.access.roleIn(someone, ref, asked);
    if (isMoney && refusal === 'unchecked')
      ({ role, refusal } = await people.access.roleIn(someone, ref, { enough: leastRole(needed) }));
    if (may(role, needed)) return 'allowed';
    if (refusal === 'unchecked') return unchecked ? 'unasked' : 'allowed';
    if (unchecked) return 'refused';
    if (refusal !== undefined || ownKey === false) return 'barred';
    const { isShared } = await people.accounts.owners(ref);
    return !isShared && !(await people.grants.of(ref)).former?.includes(by) ? 'allowed' : 'barred';
  }

  /** Returns due decisions by what is done with them. */
  return async (
    ref: AccountRef,
    due: readonly TaskWithDecision[],
  ): Promise<Readonly<Record<Answer, readonly TaskWithDecision[]>>> => {
    const none = { allowed: [], barred: [], unasked: [], refused: [] };
    if (due.length === 0) return none;
    // Without a key nothing is sent, and the cards say so. Rights that depend on that key are checked once there is one.
    const hasKey = (await people.accounts.keyOf(ref)) !== undefined;
    const kinds = new Map(due.map(({ decision }) => [nameOf(decision), kindOf(decision)]));
    const answers = new Map(
      await Promise.all(
        [...kinds].map(async ([name, kind]) => {
          if (hasKey) return [name, await answerOf(ref, kind)] as const;
          return [name, kind.unchecked ? 'unasked' : 'allowed'] as const;
        }),
      ),
    );
    const byAnswer = groupBy(due, ({ decision }) => answers.get(nameOf(decision)) ?? 'barred');
    return { ...none, ...Object.fromEntries(byAnswer) };
  };
}

function kindOf({ by, ownBonus, ownKey, bonus, unchecked }: TaskWithDecision['decision']): Kind {
  return {
    by,
    isMoney: bonus !== undefined,
    ...(ownBonus ? { ownBonus } : {}),
    ...(ownKey === undefined ? {} : { ownKey }),
    ...(unchecked ? { unchecked } : {}),
  };
}

function nameOf(decision: TaskWithDecision['decision']): string {
  const { by, ownBonus, ownKey, isMoney, unchecked } = kindOf(decision);
  return `${by} ${ownBonus} ${ownKey} ${isMoney} ${unchecked}`;
}
