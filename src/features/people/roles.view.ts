import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { type Role, roles } from '../../domain/permissions.ts';
import { type AccountRights, type Grant, Grantee } from '../../domain/rights.ts';
import { AccountId, ChannelId, type MemberId } from '../../domain/terms.ts';
import { capital } from '../../domain/text.ts';
import {
  actions,
  button,
  confirmation,
  context,
  input,
  type Message,
  modal,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { channelName, plain, user, userGroup } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf } from '../../slack/paging.ts';
import { limitsButton } from './approvals.view.ts';
import { groupInput } from './public.ts';

export const settingsForm = 'rights.settings';
export const grantForm = 'rights.give';
export const giveAction = 'rights.give';
export const withdrawAction = 'rights.withdraw';
export const guestsAction = 'rights.guests';
export const confirmChannelAction = 'rights.channel';
export const openSettingsAction = 'rights.settings';
export const pageAction = 'rights.page';

const advice = 'Type `/proofdesk settings`.';
export const settingsState = codec(
  'form',
  z.object({ account: AccountId, page: z.number(), above: z.string().optional() }),
  advice,
);
export const granteeValue = codec('button', Grantee, advice);
export const guestsValue = codec('button', z.object({ allowed: z.boolean() }), advice);
export const channelValue = codec('button', z.object({ channel: ChannelId, confirmed: z.boolean() }), advice);

/** One-line summary of each role's rights. */
const roleHints: Readonly<Record<Role, string>> = {
  owner: 'say who may do what',
  manager: 'spend money, subscribe channels, undo a colleague’s decision',
  reviewer: 'rate tasks',
  viewer: 'look at everything',
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
    callbackId: settingsForm,
    title: 'Settings',
    state: settingsState.encode({ account, page }),
    blocks: [
      ...(outcome === undefined ? [] : [section(outcome)]),
      section(rolesText(content)),
      actions('rights.change', [
        button('Give a role', giveAction, 'none', { style: 'primary' }),
        guestsButton(rights.guests),
        limitsButton(),
      ]),
      ...here,
      ...pageButtons({ blockId: 'rights.pages', actionId: pageAction, page, pages }),
      context(
        'Each role includes those below it. Nobody sees the API key. A change takes effect at the next click, including on existing cards.',
      ),
    ],
  });
}

/** Returns who has which role, one line per role, in mrkdwn. */
export function rolesText(content: Omit<SettingsContent, 'outcome' | 'page' | 'sharedChannels'>): string {
  const lines = [...roles].reverse().map((role) => {
    const who = [...withoutGrant(role, content), ...granted(role, content.rights.grants)];
    return `*${capital(role)}s* (${roleHints[role]}): ${who.length === 0 ? 'nobody' : who.join(', ')}`;
  });
  const guests = content.rights.guests ? 'Guests are allowed.' : 'Guests may do nothing.';
  return [...lines, guests].join('\n');
}

function withoutGrant(
  role: Role,
  { isShared, ownersByKey, channels }: Pick<SettingsContent, 'isShared' | 'ownersByKey' | 'channels'>,
): string[] {
  switch (role) {
    case 'owner':
      return ownersByKey.length > 0
        ? ownersByKey.map(user)
        : isShared
          ? ['the admins of this workspace']
          : [];
    case 'reviewer':
      return isShared ? channels.map((channel) => `whoever is in ${channelName(channel)}`) : [];
    case 'viewer':
      return isShared ? ['every full member of this workspace'] : [];
    default:
      return [];
  }
}

/** Maximum number of names per line. */
const maxNames = 20;

function granted(role: Role, grants: readonly Grant[]): string[] {
  const names = grants.filter((grant) => grant.role === role).map(({ to }) => granteeName(to));
  const more = names.length - maxNames;
  return more > 0 ? [...names.slice(0, maxNames), `${more} more`] : names;
}

/** Returns a grantee's name, in mrkdwn. */
export function granteeName(to: Grantee): string {
  if (to.kind === 'member') return user(to.id);
  return to.kind === 'group' ? userGroup(to.id) : `whoever is in ${channelName(to.id)}`;
}

function grantRow({ to, role, by }: Grant): KnownBlock {
  return section(`${granteeName(to)}: ${role}, from ${user(by)}`, {
    block_id: `rights.grant/${to.kind}/${to.id}`,
    accessory: button('Withdraw', withdrawAction, granteeValue.encode(to), {
      confirm: confirmation({
        title: 'Withdraw this role?',
        text: 'They lose it at once, also for buttons that they already see.',
        confirm: 'Withdraw',
        deny: 'Keep',
        isDanger: true,
      }),
    }),
  });
}

function guestsButton(areAllowed: boolean) {
  const value = guestsValue.encode({ allowed: !areAllowed });
  if (areAllowed) return button('Stop allowing guests', guestsAction, value);
  return button('Allow guests', guestsAction, value, {
    confirm: confirmation({
      title: 'Allow guests?',
      text: 'Guests of this workspace then have the role that everybody in their channels has, or one that you give them.',
      confirm: 'Allow',
      deny: 'Cancel',
    }),
  });
}

function channelRow(channel: ChannelId, isConfirmed: boolean): KnownBlock {
  const name = channelName(channel);
  const value = channelValue.encode({ channel, confirmed: !isConfirmed });
  return isConfirmed
    ? section(
        `${name} is shared with another company. An owner has confirmed it: its people read what is posted.`,
        {
          block_id: `rights.channel/${channel}`,
          accessory: button('Stop posting there', confirmChannelAction, value),
        },
      )
    : section(`${name} is shared with another company, so nothing is posted there until you confirm it.`, {
        block_id: `rights.channel/${channel}`,
        accessory: button('Confirm', confirmChannelAction, value, { confirm: sharedConfirmation }),
      });
}

export const sharedConfirmation = confirmation({
  title: 'Post in a shared channel?',
  text: 'People from the other company can then read the cards: proofs, names of workers, decisions. They still cannot rate.',
  confirm: 'Post there',
  deny: 'Cancel',
});

/** Returns the form that grants a role. */
export function giveModal(state: string): ModalView {
  return modal({
    callbackId: grantForm,
    title: 'Give a role',
    submit: 'Give',
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
      groupInput('A user group', 'Whoever is in it has the role, for as long as they are.'),
      input(
        'channel',
        'The members of a channel',
        {
          type: 'conversations_select',
          filter: { include: ['public', 'private'], exclude_bot_users: true },
          placeholder: plainText('Choose a channel'),
        },
        {
          isOptional: true,
          hint: 'Invite Proofdesk to it. Whoever is in it has the role, for as long as they are.',
        },
      ),
    ],
  });
}

export const nobodyChosen = 'Choose members, a user group or a channel.';
export const noApps =
  'An app cannot have a role: Slack lets Proofdesk send no messages to it. Choose people.';
export const lastOwner =
  ':warning: Nothing was changed: somebody must own this account. Make somebody else an owner first.';

/** Returns the outcome of a grant, in mrkdwn. */
export const givenText = (to: readonly Grantee[], role: Role): string =>
  `:white_check_mark: ${to.map(granteeName).join(', ')}: ${role} from now on.`;
export const withdrawnText = (from: Grantee): string =>
  `:white_check_mark: ${granteeName(from)}: this role is withdrawn.`;
export const guestsText = (allowed: boolean): string =>
  allowed
    ? ':white_check_mark: Guests are allowed from now on.'
    : ':white_check_mark: Guests may do nothing from now on.';
export const channelText = (channel: ChannelId, confirmed: boolean): string =>
  confirmed
    ? `:white_check_mark: Cards and messages are posted in ${channelName(channel)} from now on.`
    : `:white_check_mark: Nothing is posted in ${channelName(channel)} any more.`;

export const postInSharedAction = 'rights.shared.post';

export const sharedChannelValue = codec(
  'button',
  z.object({ account: AccountId, channel: ChannelId }),
  'Confirm the channel with `/proofdesk settings`.',
);

/** Returns the notice to an account's owners that a channel with its messages is shared with another company. */
export function sharedChannelMessage(account: AccountId, channel: ChannelId): Message {
  const text = `${channelName(channel)} is shared with another company, or somebody is about to share it. So nothing of your account at the marketplace is posted there until an owner confirms it: people of the other company would read it. New tasks wait; nothing is lost.`;
  return {
    text: plain(text),
    blocks: [
      section(text),
      actions('rights.shared', [
        button('Post there', postInSharedAction, sharedChannelValue.encode({ account, channel }), {
          confirm: sharedConfirmation,
        }),
      ]),
    ],
  };
}
