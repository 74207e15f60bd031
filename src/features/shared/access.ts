import type { AccountId, AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
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

/**
 * Returns the account that a click or a form is about.
 * @throws NotConnected when the member may not act for it
 */
export async function accountFor(
  accounts: Pick<Accounts, 'mayUse'>,
  { workspace, member }: { readonly workspace: WorkspaceId; readonly member: MemberId },
  account: AccountId,
): Promise<AccountRef> {
  const ref = { workspace, account };
  await requireAccess(accounts, ref, member);
  return ref;
}
