import type { AccountRef, MemberId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import type { Accounts } from '../../store/accounts.ts';

/**
 * Checks that a member may act for an account.
 * @param intent what the member wanted to do, carried out once they are connected
 * @throws NotConnected when they may not
 */
export async function requireAccess(
  accounts: Pick<Accounts, 'mayUse'>,
  ref: AccountRef,
  member: MemberId,
  intent?: string,
): Promise<void> {
  if (!(await accounts.mayUse(ref, member))) throw new NotConnected(intent);
}
