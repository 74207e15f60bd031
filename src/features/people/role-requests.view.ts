import { z } from 'zod';
import type { Refusal, Refused } from '../../domain/forbidden.ts';
import { capabilities, leastRole, type Role } from '../../domain/permissions.ts';
import type { RoleRequest } from '../../domain/rights.ts';
import { AccountId, type MemberId } from '../../domain/terms.ts';
import { lowerFirst } from '../../domain/text.ts';
import { actions, button, confirmation, type Message, notice, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
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
        button(asked.isGuest ? 'Allow guests and grant' : 'Grant', 'rights.grant', value, {
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
  text: 'Guests of the workspace then have the role that everybody in a subscribed channel has. You can take that back in the settings.',
  confirm: 'Allow and grant',
  deny: 'Cancel',
});

/** Returns the message to whoever asked: the answer, or that there is nobody to give one. */
export function askerMessage({ capability, answer }: Asked): Message {
  const role = roleWords[leastRole(capability)];
  if (answer === undefined) return notice(nobodyToAsk);
  return notice(
    answer.isGranted
      ? `${user(answer.by)} made you ${role}. Try again what you wanted to do.`
      : `${user(answer.by)} declined your request to become ${role}.`,
  );
}

/** Returns the immediate confirmation to the requester. @param owners undefined while they are searched for */
export function askedMessage(owners: readonly MemberId[] | undefined): Message {
  if (owners === undefined)
    return notice(
      'Proofdesk is looking up the admins of this workspace and will ask them. You will be told their answer.',
    );
  return notice(`${wereAsked(owners)}. You will be told their answer.`);
}

export const askedBefore =
  'You asked for this role less than an hour ago. Ask again in an hour, or talk to an owner.';
export const nobodyToAsk =
  'Nobody was asked: Slack shows no admin of this workspace. Ask the person who runs Proofdesk.';
export const mayNow = 'You may do that now. Try again.';
export const alreadyAnswered = 'This request was answered already, or is too old.';

/** Returns the notice to an owner who answers after another one. */
export function answeredBy(by: MemberId, isGranted: boolean): string {
  return `This request was answered already: ${user(by)} ${isGranted ? 'granted' : 'declined'} it. You can change roles with \`/proofdesk settings\`.`;
}

function requestText({ member, capability, isGuest }: Asked): string {
  const who = isGuest ? `${user(member)}, a guest,` : user(member);
  return `${who} asks to become ${roleWords[leastRole(capability)]} of your marketplace account. They need that role for: ${lowerFirst(capabilities[capability].words)}.`;
}

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
