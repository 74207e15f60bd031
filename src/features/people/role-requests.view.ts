import { z } from 'zod';
import {
  type Capability,
  capabilities,
  leastRole,
  type Refusal,
  type Refused,
  type Role,
} from '../../domain/permissions.ts';
import type { RoleRequest } from '../../domain/rights.ts';
import { AccountId, type MemberId } from '../../domain/terms.ts';
import { actions, button, confirmation, type Message, notice, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { plain, user } from '../../slack/mrkdwn.ts';
import { roleWords, wereAsked } from '../../ui/words.ts';
import { askButton } from './public.ts';

/** Value of the buttons of an owner. */
export const roleRequestValue = codec(
  'button',
  z.object({ account: AccountId, request: z.string() }),
  'Change roles with `/proofdesk settings`.',
);

type Asked = Pick<RoleRequest, 'id' | 'account' | 'member' | 'capability' | 'isGuest' | 'answer'>;

/** Returns the message to an owner about a role request. */
export function ownerMessage(asked: Asked): Message {
  const text = requestText(asked);
  const { id, account, answer } = asked;
  const value = roleRequestValue.encode({ account, request: id });
  if (answer !== undefined) {
    const role = roleWords[leastRole(asked.capability)];
    const outcome = answer.isGranted
      ? `:white_check_mark: ${user(answer.by)} made them ${role}.`
      : `:no_entry_sign: ${user(answer.by)} declined.`;
    return notice(`${text}\n${outcome}`);
  }
  return {
    text: plain(text),
    blocks: [
      section(text),
      actions('rights.request', [
        button(asked.isGuest ? 'Allow guests and approve' : 'Approve', 'rights.grant', value, {
          style: 'primary',
          ...(asked.isGuest ? { confirm: guestConfirmation } : {}),
        }),
        button('Decline', 'rights.decline', value),
      ]),
    ],
  };
}

const guestConfirmation = confirmation({
  title: 'Allow guests?',
  text: 'Guests get the role that everyone in a subscribed channel has. You can change that in the settings.',
  confirm: 'Allow and approve',
  deny: 'Cancel',
});

/** Returns the message to whoever asked: the answer, or that there is nobody to give one. */
export function askerMessage({ capability, answer }: Asked): Message {
  const role = roleWords[leastRole(capability)];
  if (answer === undefined) return notice(nobodyToAsk);
  return notice(
    answer.isGranted
      ? `${user(answer.by)} made you ${role}. You can try again now.`
      : `${user(answer.by)} declined your request to become ${role}.`,
  );
}

/** Returns the immediate confirmation to the requester. @param owners undefined while they are searched for */
export function askedMessage(owners: readonly MemberId[] | undefined): Message {
  if (owners === undefined)
    return notice(
      'Proofdesk is looking up this workspace’s admins and will ask them. You’ll get a message with their answer.',
    );
  return notice(`${wereAsked(owners)}. You’ll get a message with their answer.`);
}

export const askedBefore = 'You already asked for this role. Ask again in an hour, or talk to an owner.';
export const nobodyToAsk =
  'Slack shows no admin of this workspace, so nobody was asked. Ask the operator of Proofdesk.';
export const mayNow = 'You now have that role. Try again.';
export const alreadyAnswered = 'This request was already answered, or has expired.';

/** Returns the notice to an owner who answers after another one. */
export function answeredBy(by: MemberId, isGranted: boolean): string {
  return `${user(by)} already ${isGranted ? 'approved' : 'declined'} this request. You can change roles with \`/proofdesk settings\`.`;
}

function requestText({ member, capability, isGuest }: Asked): string {
  const who = isGuest ? `${user(member)}, a guest,` : user(member);
  return `${who} asks to become ${roleWords[leastRole(capability)]} of your marketplace account, to ${capabilities[capability].words}.`;
}

/** Maximum number of owners named in a sentence. */
const maxNamed = 5;

const nothingDone: Readonly<Record<Exclude<Refusal, 'guest'>, string>> = {
  stranger: 'Only members of the workspace that uses Proofdesk can do this. Ask someone there.',
  bot: 'Bots can’t use Proofdesk.',
  deactivated: 'Your Slack account is deactivated, so nothing was changed.',
  unchecked: 'Proofdesk couldn’t check your role with Slack, so nothing was changed. Try again in a minute.',
};

/** Returns the answer to a member without the required right: the role needed, who can grant it, and how to ask them. */
export function refusalMessage({ ref, capability, refusal, role, owners = [] }: Refused): Message {
  if (refusal !== undefined && refusal !== 'guest') return notice(nothingDone[refusal]);
  if (ref === undefined || capability === undefined) return notice(fullMembersOnly);
  const text =
    refusal === 'guest'
      ? `Guests have no access to this account. ${grantedBy(owners)}`
      : `${onlyText(capability)} ${has(role)} ${grantedBy(owners)}`;
  return {
    text: plain(text),
    blocks: [section(text), actions('rights.refusal', [askButton(ref.account, capability)])],
  };
}

/** Returns who can do something, by its least role. */
function onlyText(capability: Capability): string {
  const { least, words } = capabilities[capability];
  return least === 'viewer' ? `You need a role to ${words}.` : `Only ${least}s can ${words}.`;
}

const fullMembersOnly = 'Only full members of this workspace can do this, not guests.';

function has(role: Role | undefined): string {
  return role === undefined ? 'You have no role in this account.' : `You are ${roleWords[role]}.`;
}

function grantedBy(owners: readonly MemberId[]): string {
  if (owners.length === 0) return 'An admin of this workspace can change that.';
  return `${owners.slice(0, maxNamed).map(user).join(', ')} can change that.`;
}
