import type { NewAuditEntry } from '../../domain/audit.ts';
import { type AccountRights, type Grantee, isSameGrantee, type RightsChange } from '../../domain/rights.ts';

/** Returns the audit entry of a change of rights in an account, without its author; undefined if nobody's rights changed. */
export function rightsEntryOf(
  before: AccountRights,
  change: RightsChange,
): Omit<NewAuditEntry, 'by' | 'how' | 'account'> | undefined {
  const roleOf = (grantee: Grantee) => before.grants.find(({ to }) => isSameGrantee(to, grantee))?.role;
  switch (change.type) {
    case 'granted': {
      const { to, role } = change.grant;
      const had = roleOf(to);
      return {
        what: 'give role',
        ...aboutGrantee(to),
        ...(had === undefined ? {} : { before: had }),
        after: role,
      };
    }
    case 'withdrawn': {
      const had = roleOf(change.from);
      return {
        what: 'withdraw role',
        ...aboutGrantee(change.from),
        ...(had === undefined ? {} : { before: had }),
      };
    }
    case 'guests':
      return { what: change.allowed ? 'allow guests' : 'refuse guests' };
    case 'channel-confirmed':
      return { what: 'confirm shared channel', channel: change.channel };
    case 'channel-unconfirmed':
      return { what: 'withdraw shared channel', channel: change.channel };
    case 'channel-id-changed':
      return undefined;
  }
}

function aboutGrantee(to: Grantee): Pick<NewAuditEntry, 'member' | 'group' | 'channel'> {
  if (to.kind === 'member') return { member: to.id };
  return to.kind === 'group' ? { group: to.id } : { channel: to.id };
}
