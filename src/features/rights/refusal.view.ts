import type { Refusal, Refused } from '../../domain/forbidden.ts';
import { capabilities, leastRole, type Role } from '../../domain/permissions.ts';
import type { MemberId } from '../../domain/terms.ts';
import { lowerFirst } from '../../domain/text.ts';
import { actions, type Message, notice, section } from '../../slack/blocks.ts';
import { plain, user } from '../../slack/mrkdwn.ts';
import { roleWords } from '../../ui/words.ts';
import { askButton } from './public.ts';

/** Maximum number of owners named in a sentence. */
const maxNamed = 5;

const nothingDone: Readonly<Record<Exclude<Refusal, 'guest'>, string>> = {
  stranger:
    'Nothing was changed: only members of the workspace that uses Proofdesk can work with it. Ask somebody there to do it.',
  bot: 'Nothing was changed: bots cannot work with Proofdesk.',
  deactivated: 'Nothing was changed: your Slack account is deactivated.',
  unchecked: 'Nothing was changed: what you may do could not be checked with Slack. Try again in a minute.',
};

/** Returns the answer to a member without the required right: the role needed, who can grant it, and how to ask them. */
export function refusalMessage({ ref, capability, refusal, role, owners = [] }: Refused): Message {
  if (refusal !== undefined && refusal !== 'guest') return notice(nothingDone[refusal]);
  if (ref === undefined || capability === undefined) return notice(fullMembersOnly);
  const text =
    refusal === 'guest'
      ? `Nothing was changed: guests may do nothing in this account unless an owner allows them. ${grantedBy(owners)}`
      : `Nothing was changed: ${lowerFirst(capabilities[capability].words)} needs ${leastRoleText(leastRole(capability))} in this account. ${has(role)} ${grantedBy(owners)}`;
  return {
    text: plain(text),
    blocks: [section(text), actions('rights.refusal', [askButton(ref.account, capability)])],
  };
}

function leastRoleText(role: Role): string {
  return role === 'owner' ? 'the role of owner' : `at least the role of ${role}`;
}

const fullMembersOnly = 'Nothing was changed: this is for full members of the workspace, not for guests.';

function has(role: Role | undefined): string {
  return role === undefined ? 'You have no role in it.' : `You are ${roleWords[role]}.`;
}

function grantedBy(owners: readonly MemberId[]): string {
  if (owners.length === 0) return 'An admin of this workspace can change that.';
  return `${owners.slice(0, maxNamed).map(user).join(', ')} can change that.`;
}
