import type { Refusal, Refused } from '../../domain/forbidden.ts';
import { capabilities, leastRole, type Role } from '../../domain/permissions.ts';
import type { MemberId } from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import { notice } from '../../slack/notice.ts';

/** Roles with their article, as a sentence names them. */
export const roleWords: Readonly<Record<Role, string>> = {
  viewer: 'a viewer',
  reviewer: 'a reviewer',
  manager: 'a manager',
  owner: 'an owner',
};

const refusalWords: Readonly<Record<Refusal, string>> = {
  stranger:
    'Nothing was changed: only members of the workspace that uses Proofdesk can work with it. Ask somebody there to do it.',
  guest:
    'Nothing was changed: guests cannot work with this account. An owner can allow guests with `/proofdesk settings`.',
  bot: 'Nothing was changed: bots cannot work with Proofdesk.',
  deactivated: 'Nothing was changed: your Slack account is deactivated.',
  unchecked: 'Nothing was changed: Slack could not be asked who you are. Try again in a minute.',
};

/** Returns what somebody reads who may not do something: which role it takes and who can grant it. */
export function refusalMessage({ capability, refusal, role, owners = [] }: Refused): Message {
  if (refusal === 'guest' && capability === undefined) return notice(guestNotMember);
  if (refusal !== undefined || capability === undefined) return notice(refusalWords[refusal ?? 'guest']);
  const needed = leastRole(capability);
  const has = role === undefined ? 'You have no role in this account.' : `You are ${roleWords[role]}.`;
  return notice(
    `${capabilities[capability].words} takes ${roleWords[needed]} of this account. ${has} ${grantedBy(owners)}`,
  );
}

const guestNotMember = 'Nothing was changed: this is for full members of the workspace, not for guests.';

function grantedBy(owners: readonly MemberId[]): string {
  if (owners.length === 0) return 'An admin of this workspace can grant it.';
  const names = owners.slice(0, 5).map((owner) => `<@${owner}>`);
  return `${names.join(', ')} can grant it.`;
}
