import { leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/** Decisions of one member whose permission is checked the same way. */
type Kind = Pick<TaskWithDecision['decision'], 'by' | 'ownBonus' | 'ownKey'> & { readonly isMoney: boolean };

/**
 * Creates the permission check at send time: whether the decider may still rate, and still pay a bonus that nobody had to
 * approve. Slack's data may be up to 5 minutes old; for a bonus they must be fresh. An accepted decision stays valid while Slack cannot be asked, and after its maker
 * removed their own key used for it: neither speaks against it.
 */
export function createSenderCheck({
  access,
  accounts,
  grants,
}: Pick<FeatureContext, 'access' | 'accounts' | 'grants'>) {
  async function isAllowed(ref: AccountRef, { by, ownBonus, ownKey, isMoney }: Kind): Promise<boolean> {
    const needed = ownBonus ? 'bonus' : 'rate';
    const someone = { workspace: ref.workspace, team: ref.workspace, member: by };
    const asked = { enough: leastRole(needed), isFresh: isMoney };
    let { role, refusal } = await access.standing(someone, ref, asked);
    if (isMoney && refusal === 'unchecked')
      ({ role, refusal } = await access.standing(someone, ref, { enough: leastRole(needed) }));
    if (may(role, needed) || refusal === 'unchecked') return true;
    if (refusal !== undefined || ownKey === false) return false;
    const { isShared } = await accounts.owners(ref);
    return !isShared && !(await grants.of(ref)).former?.includes(by);
  }

  /** Splits decisions into those that may be sent, and those whose makers may no longer rate, or pay the bonus. */
  return async (ref: AccountRef, due: readonly TaskWithDecision[]) => {
    // Without a key nothing is sent, and the cards say so. Rights that depend on that key are checked once there is one.
    if (due.length === 0 || (await accounts.keyOf(ref)) === undefined) return { allowed: due, barred: [] };
    const kinds = new Map(due.map(({ decision }) => [nameOf(decision), kindOf(decision)]));
    const checked = new Map(
      await Promise.all([...kinds].map(async ([name, kind]) => [name, await isAllowed(ref, kind)] as const)),
    );
    const isFine = ({ decision }: TaskWithDecision) => checked.get(nameOf(decision)) === true;
    return { allowed: due.filter(isFine), barred: due.filter((task) => !isFine(task)) };
  };
}

function kindOf({ by, ownBonus, ownKey, bonus }: TaskWithDecision['decision']): Kind {
  return {
    by,
    isMoney: bonus !== undefined,
    ...(ownBonus ? { ownBonus } : {}),
    ...(ownKey === undefined ? {} : { ownKey }),
  };
}

function nameOf(decision: TaskWithDecision['decision']): string {
  const { by, ownBonus, ownKey, isMoney } = kindOf(decision);
  return `${by} ${ownBonus} ${ownKey} ${isMoney}`;
}
