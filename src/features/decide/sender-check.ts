import { leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/**
 * Creates the check, at the moment of sending, whether whoever decided may still rate. A decision that was accepted stays
 * valid while Slack cannot be asked, and when somebody has given back a key of their own: both say nothing against it.
 */
export function createSenderCheck({
  access,
  accounts,
  grants,
}: Pick<FeatureContext, 'access' | 'accounts' | 'grants'>) {
  async function isAllowed(ref: AccountRef, member: MemberId): Promise<boolean> {
    const { workspace } = ref;
    const someone = { workspace, team: workspace, member };
    const { role, refusal } = await access.standing(someone, ref, { enough: leastRole('rate') });
    if (may(role, 'rate') || refusal === 'unchecked') return true;
    if (refusal !== undefined) return false;
    const { isShared } = await accounts.owners(ref);
    return !isShared && !(await grants.of(ref)).former?.includes(member);
  }

  /** Returns the decisions that may be sent, and those whose makers may not rate any more. */
  return async (ref: AccountRef, due: readonly TaskWithDecision[]) => {
    const members = [...new Set(due.map(({ decision }) => decision.by))];
    const checked = new Map(
      await Promise.all(members.map(async (member) => [member, await isAllowed(ref, member)] as const)),
    );
    const isFine = ({ decision }: TaskWithDecision) => checked.get(decision.by) === true;
    return { allowed: due.filter(isFine), barred: due.filter((task) => !isFine(task)) };
  };
}
