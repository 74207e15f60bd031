import { leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/** Decisions of one member whose right to make them is found out in the same way. */
type Kind = Pick<TaskWithDecision['decision'], 'by' | 'ownKey'> & { readonly isMoney: boolean };

/**
 * Creates the check, at the moment of sending, whether whoever decided may still rate: Slack is asked once more, or what it
 * said within the last 5 minutes counts; for a bonus, only what it says now. A decision that was accepted stays valid while
 * Slack cannot be asked, and when its maker has given back the key of their own by which they made it: both say nothing
 * against it.
 */
export function createSenderCheck({
  access,
  accounts,
  grants,
}: Pick<FeatureContext, 'access' | 'accounts' | 'grants'>) {
  async function isAllowed(ref: AccountRef, { by, ownKey, isMoney }: Kind): Promise<boolean> {
    const someone = { workspace: ref.workspace, team: ref.workspace, member: by };
    const asked = { enough: leastRole('rate'), isFresh: isMoney };
    let { role, refusal } = await access.standing(someone, ref, asked);
    if (isMoney && refusal === 'unchecked')
      ({ role, refusal } = await access.standing(someone, ref, { enough: leastRole('rate') }));
    if (may(role, 'rate') || refusal === 'unchecked') return true;
    if (refusal !== undefined || ownKey === false) return false;
    const { isShared } = await accounts.owners(ref);
    return !isShared && !(await grants.of(ref)).former?.includes(by);
  }

  /** Returns the decisions that may be sent, and those whose makers may not rate any more. */
  return async (ref: AccountRef, due: readonly TaskWithDecision[]) => {
    // Without a key nothing is sent, and the cards say so. Whose right came with that key is found out once there is one.
    if (due.length === 0 || (await accounts.keyOf(ref)) === undefined) return { allowed: due, barred: [] };
    const kinds = new Map(due.map(({ decision }) => [nameOf(decision), kindOf(decision)]));
    const checked = new Map(
      await Promise.all([...kinds].map(async ([name, kind]) => [name, await isAllowed(ref, kind)] as const)),
    );
    const isFine = ({ decision }: TaskWithDecision) => checked.get(nameOf(decision)) === true;
    return { allowed: due.filter(isFine), barred: due.filter((task) => !isFine(task)) };
  };
}

function kindOf({ by, ownKey, bonus }: TaskWithDecision['decision']): Kind {
  return { by, isMoney: bonus !== undefined, ...(ownKey === undefined ? {} : { ownKey }) };
}

function nameOf(decision: TaskWithDecision['decision']): string {
  const { by, ownKey, isMoney } = kindOf(decision);
  return `${by} ${ownKey} ${isMoney}`;
}
