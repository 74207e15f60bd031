import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import {
  type Capability,
  capabilities,
  leastRole,
  type Refusal,
  type Refused,
  type Role,
  roles,
} from '../../domain/permissions.ts';
import { type AccountRights, type Grant, Grantee, type RoleRequest } from '../../domain/rights.ts';
import { AccountId, ChannelId, type MemberId } from '../../domain/terms.ts';
import {
  actions,
  button,
  confirmation,
  context,
  input,
  type Message,
  modal,
  notice,
  option,
  pageButtons,
  pageOf,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { channelName, user } from '../../slack/mrkdwn.ts';
import { capital, roleWords } from '../../ui/words.ts';
import { askButton } from './public.ts';

const advice = 'Type `/proofdesk settings`.';
export const settingsState = codec(
  'form',
  z.object({ account: AccountId, page: z.number(), above: z.string().optional() }),
  advice,
);
/** Value of a button that changes the rights: the change. */
export const changeValue = codec(
  'button',
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('withdrawn'), from: Grantee }),
    z.object({ type: z.enum(['channel-confirmed', 'channel-unconfirmed']), channel: ChannelId }),
  ]),
  advice,
);

/** One-line summary of each role's rights. */
const roleHints: Readonly<Record<Role, string>> = {
  owner: 'manage roles and limits',
  manager: 'spend money, subscribe channels, undo a colleague’s decision',
  reviewer: 'rate tasks',
  viewer: 'see everything',
};

/** Content of an account's settings. */
export interface SettingsContent {
  readonly account: AccountId;
  /** Page of the roles and shared channels, from 0. */
  readonly page: number;
  readonly rights: AccountRights;
  /** Whether it is the workspace's shared account. */
  readonly isShared: boolean;
  /** Owners without a grant: by configuration or by their key. If a shared account has none: the admins. */
  readonly ownersByKey: readonly MemberId[];
  /** The channels subscribed to it. */
  readonly channels: readonly ChannelId[];
  /** Those of them that are shared with another company. */
  readonly sharedChannels: readonly ChannelId[];
  /** Outcome of the last action, in mrkdwn. */
  readonly outcome?: string | undefined;
}

/** Returns the account settings: who has which role, and the buttons that change that. */
export function settingsModal(content: SettingsContent): ModalView {
  const { account, rights, sharedChannels, outcome } = content;
  const rows = [
    ...rights.grants.map(grantRow),
    ...sharedChannels.map((channel) => channelRow(channel, rights.confirmedChannels.includes(channel))),
  ];
  const { page, pages, here } = pageOf(rows, content.page);
  return modal({
    callbackId: 'rights.settings',
    title: 'Settings',
    state: settingsState.encode({ account, page }),
    blocks: [
      ...(outcome === undefined ? [] : [section(outcome)]),
      section(rolesText(content)),
      actions('rights.change', [
        button('Add a role', 'rights.give', 'none', { style: 'primary' }),
        button('Spending limits', 'spending.limits', 'none'),
      ]),
      ...here,
      ...pageButtons({ blockId: 'rights.pages', actionId: 'rights.page', page, pages }),
      context(
        'Each role includes the ones below it. Nobody can see the API key. Changes take effect right away, including on existing cards.',
      ),
    ],
  });
}

/** Returns who has which role, one line per role, in mrkdwn. */
function rolesText(content: Omit<SettingsContent, 'outcome' | 'page' | 'sharedChannels'>): string {
  const { isShared, ownersByKey, channels, rights } = content;
  const ifShared = (...who: readonly string[]) => (isShared ? who : []);
  const withoutGrant: Readonly<Record<Role, readonly string[]>> = {
    owner: ownersByKey.length > 0 ? ownersByKey.map(user) : ifShared('the admins of this workspace'),
    manager: [],
    reviewer: ifShared(...channels.map((channel) => `everyone in ${channelName(channel)}`)),
    viewer: ifShared('all full members of this workspace'),
  };
  const lines = [...roles].reverse().map((role) => {
    const who = [...withoutGrant[role], ...granted(role, rights.grants)];
    return `*${capital(role)}s* (${roleHints[role]}): ${who.length === 0 ? 'nobody' : who.join(', ')}`;
  });
  return [...lines, 'Guests only have roles that were added for them by name.'].join('\n');
}

/** Maximum number of names per line. */
const maxNames = 20;

function granted(role: Role, grants: readonly Grant[]): string[] {
  const names = grants.filter((grant) => grant.role === role).map(({ to }) => granteeName(to));
  const more = names.length - maxNames;
  return more > 0 ? [...names.slice(0, maxNames), `${more} more`] : names;
}

/** Returns a grantee's name, in mrkdwn. */
function granteeName(to: Grantee): string {
  return to.kind === 'member' ? user(to.id) : `everyone in ${channelName(to.id)}`;
}

function grantRow({ to, role, by }: Grant): KnownBlock {
  return section(`${capital(granteeName(to))}: ${role}, added by ${user(by)}`, {
    block_id: `rights.grant/${to.kind}/${to.id}`,
    accessory: button('Remove', 'rights.withdraw', changeValue.encode({ type: 'withdrawn', from: to }), {
      confirm: confirmation({
        title: 'Remove this role?',
        text: 'It takes effect right away, including on existing cards.',
        confirm: 'Remove',
        deny: 'Keep',
        isDanger: true,
      }),
    }),
  });
}

function channelRow(channel: ChannelId, isConfirmed: boolean): KnownBlock {
  const isShared = `${channelName(channel)} is shared with another company`;
  const type = isConfirmed ? 'channel-unconfirmed' : 'channel-confirmed';
  const value = changeValue.encode({ type, channel });
  const [text, accessory] = isConfirmed
    ? [
        `${isShared}, whose people can read what is posted there. An owner confirmed it.`,
        button('Stop posting there', 'rights.channel', value),
      ]
    : [
        `${isShared}, so nothing is posted there until you confirm it.`,
        button('Confirm', 'rights.channel', value, { confirm: sharedConfirmation }),
      ];
  return section(text, { block_id: `rights.channel/${channel}`, accessory });
}

const sharedConfirmation = confirmation({
  title: 'Post in a shared channel?',
  text: 'People from the other company will be able to read cards: proofs, workers’ names, decisions. They can’t rate.',
  confirm: 'Post there',
  deny: 'Cancel',
});

/** Returns the form that grants a role. */
export function addRoleModal(state: string): ModalView {
  return modal({
    callbackId: 'rights.give',
    title: 'Add a role',
    submit: 'Add',
    state,
    blocks: [
      input('role', 'Role', {
        type: 'static_select',
        options: [...roles].reverse().map((role) => option(capital(role), role, roleHints[role])),
        initial_option: option('Reviewer', 'reviewer', roleHints.reviewer),
      }),
      input(
        'members',
        'Members',
        { type: 'multi_users_select', placeholder: plainText('Choose members') },
        { isOptional: true },
      ),
      input(
        'channel',
        'Channel',
        {
          type: 'conversations_select',
          filter: { include: ['public', 'private'], exclude_bot_users: true },
          placeholder: plainText('Choose a channel'),
        },
        {
          isOptional: true,
          hint: 'Applies to everyone in it. Invite Proofdesk first.',
        },
      ),
    ],
  });
}

export const nobodyChosen = 'Choose members or a channel.';
export const noApps = 'Apps can’t have a role. Choose people.';
export const lastOwner =
  ':warning: This account needs an owner, so nothing was changed. Add another owner first.';

/** Outcome of a change: the settings show what is so now. */
export const saved = ':white_check_mark: Saved.';

/** Returns the outcome of a confirmed shared channel, in mrkdwn. */
export const confirmedText = (channel: ChannelId): string =>
  `:white_check_mark: Cards and messages will be posted in ${channelName(channel)}.`;

export const sharedChannelValue = codec(
  'button',
  z.object({ account: AccountId, channel: ChannelId }),
  'Confirm the channel with `/proofdesk settings`.',
);

/** Returns the notice to an account's owners that a channel with its messages is shared with another company. */
export function sharedChannelMessage(account: AccountId, channel: ChannelId): Message {
  const text = `${channelName(channel)} is shared with another company, or is about to be. Its people could read what is posted there, so nothing from your marketplace account is posted until an owner confirms it. New tasks wait; nothing is lost.`;
  return notice(
    text,
    actions('rights.shared', [
      button('Post there', 'rights.shared.post', sharedChannelValue.encode({ account, channel }), {
        confirm: sharedConfirmation,
      }),
    ]),
  );
}

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
  return notice(
    text,
    actions('rights.request', [
      button('Approve', 'rights.grant', value, { style: 'primary' }),
      button('Decline', 'rights.decline', value),
    ]),
  );
}

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

/** The immediate confirmation to the requester. */
export const askedText = 'Proofdesk asks those who can change that. You’ll get a message with their answer.';

export const askedBefore = 'You already asked for this role. Ask again in an hour, or talk to an owner.';
export const nobodyToAsk =
  'Slack shows no admin of this workspace, so nobody was asked. Ask the operator of Proofdesk.';
export const mayNow = 'You now have that role. Try again.';
export const alreadyAnswered = 'This request was already answered, or has expired.';

/** Returns the notice to an owner who answers after another one. */
export function answeredBy(by: MemberId, isGranted: boolean): string {
  return `${user(by)} already ${isGranted ? 'approved' : 'declined'} this request. You can change roles with \`/proofdesk settings\`.`;
}

function requestText({ member, capability, isGuest = false }: Asked): string {
  return `${user(member)}${isGuest ? ', a guest,' : ''} asks to become ${roleWords[leastRole(capability)]} of your marketplace account, to ${capabilities[capability].words}.`;
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
  const has = role === undefined ? 'You have no role in this account.' : `You are ${roleWords[role]}.`;
  const why =
    refusal === 'guest' ? 'Guests have no access to this account.' : `${onlyText(capability)} ${has}`;
  return notice(
    `${why} ${grantedBy(owners)}`,
    actions('rights.refusal', [askButton(ref.account, capability)]),
  );
}

/** Returns who can do something, by its least role. */
function onlyText(capability: Capability): string {
  const { least, words } = capabilities[capability];
  return least === 'viewer' ? `You need a role to ${words}.` : `Only ${least}s can ${words}.`;
}

const fullMembersOnly = 'Only full members of this workspace can do this, not guests.';

function grantedBy(owners: readonly MemberId[]): string {
  if (owners.length === 0) return 'An admin of this workspace can change that.';
  return `${owners.slice(0, maxNamed).map(user).join(', ')} can change that.`;
}
