import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Accounts } from '../../store/accounts.ts';

/**
 * Returns whether somebody may see workers' IP addresses as they are: whoever has a key of the account sees them on the
 * website anyway. Everybody else sees them masked, as every card and file shows them.
 */
export async function maySeeIps(
  { accounts }: { readonly accounts: Pick<Accounts, 'owners'> },
  ref: AccountRef,
  member: MemberId,
): Promise<boolean> {
  return (await accounts.owners(ref)).members.includes(member);
}
