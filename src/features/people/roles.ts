import type { PlainTextOption } from '@slack/types';
import { type Role, roles } from '../../domain/permissions.ts';
import type { AccountRights, Grantee, RightsChange } from '../../domain/rights.ts';
import { type AccountRef, ChannelId, MemberId, type WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/runner.ts';
import { sharedIncident } from '../../kit/channels.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onForm, onView } from '../../kit/on.ts';
import { ownersOrAdmins } from '../../kit/spending.ts';
import { limits, notice, option } from '../../slack/blocks.ts';
import type { Actor, ChannelEvent, Feature, Opener, Submission, Typing } from '../../slack/feature.ts';
import { chosen, chosenChannel, chosenUsers } from '../../slack/form-values.ts';
import type { UserGroup } from '../../slack/members.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { groupMenu } from './public.ts';
import { createRequests, roleRequestMessage } from './role-requests.ts';
import {
  channelText,
  channelValue,
  confirmChannelAction,
  giveAction,
  giveModal,
  givenText,
  granteeValue,
  grantForm,
  guestsAction,
  guestsText,
  guestsValue,
  lastOwner,
  noApps,
  nobodyChosen,
  openSettingsAction,
  pageAction,
  postInSharedAction,
  rolesText,
  type SettingsContent,
  settingsModal,
  settingsState,
  sharedChannelMessage,
  sharedChannelValue,
  withdrawAction,
  withdrawnText,
} from './roles.view.ts';

/** Creates the rights: who may do what in an account, requesting roles, and keeping up with people's status in Slack. */
export function createRights(deps: Modules) {
  const { people } = deps;
  const requests = createRequests(deps);

  async function onRightsChange(ref: AccountRef): Promise<void> {
    for (const channel of (await deps.people.grants.of(ref)).confirmedChannels)
      await deps.jobs.incidents.clear(ref.workspace, sharedIncident(ref, channel));
    await deps.slack.homes.all(ref.workspace);
    // Decisions or messages held for a person or channel may now proceed.
    await deps.jobs.add('release', ref);
  }

  const settings = createSettings({ ...deps, onRightsChange });
  const membersChanged = ({ workspace, channel }: ChannelEvent) =>
    people.slack.forgetMembers(workspace, { kind: 'channel', id: channel });

  /** Confirms a shared channel from its notice. */
  const confirmShared = onButton(sharedChannelValue, 'settings', async (click) => {
    const {
      ref,
      value: { channel },
    } = click;
    await deps.people.grants.change(ref, { type: 'channel-confirmed', channel }, doneBy(click));
    await onRightsChange(ref);
    const text = channelText(channel, true);
    await click.show(notice(text), text);
  });

  const feature: Feature = {
    commands: [
      {
        command: '/proofdesk',
        word: 'settings',
        usage: '',
        help: 'Shows who may do what with your account, and changes it.',
        needs: 'settings',
        run: settings.open,
      },
    ],
    clicks: {
      'rights.ask': { needs: 'anyone', run: requests.ask },
      'rights.grant': { needs: 'settings', run: requests.grant },
      'rights.decline': { needs: 'settings', run: requests.decline },
      [openSettingsAction]: { needs: 'settings', run: settings.open },
      [giveAction]: settings.openGive,
      [`${pageAction}.previous`]: settings.showPage,
      [`${pageAction}.next`]: settings.showPage,
      [withdrawAction]: settings.withdraw,
      [guestsAction]: settings.guests,
      [confirmChannelAction]: settings.confirmChannel,
      [postInSharedAction]: confirmShared,
    },
    typings: { [groupMenu]: { needs: 'see', run: createGroupMenu(deps) } },
    submissions: { [grantForm]: settings.give },
    memberChanged: ({ workspace, member }) => people.slack.forgetPerson(workspace, member),
    groupChanged: ({ workspace, group }) =>
      people.slack.forgetMembers(workspace, { kind: 'group', id: group }),
    channelEvents: {
      member_joined_channel: membersChanged,
      member_left_channel: membersChanged,
      async channel_shared(event) {
        deps.channels.shared.forget(event.workspace, event.channel);
        await membersChanged(event);
        const { workspace, channel } = event;
        const subscribed = await deps.channels.subscriptions.ofChannel(workspace, channel);
        // Notifies the owners immediately; posts wait without further action.
        for (const account of new Set(subscribed.map((one) => one.account)))
          await deps.channels.shared.mayPost({ workspace, account }, channel);
      },
    },
  };

  const jobs = { ...requests.jobs, 'tell-shared': createTellShared(deps) };
  return { feature, jobs, message: roleRequestMessage(deps), rolesOf: settings.rolesOf };
}

export type SettingsDeps = Modules & {
  /** Runs when rights in an account have changed. */
  readonly onRightsChange: (ref: AccountRef) => Promise<void>;
};

/** Creates the account settings: who has which role, whether guests are allowed, and shared channels. */
export function createSettings(deps: SettingsDeps) {
  const { people, slack, channels } = deps;

  async function contentOf(ref: AccountRef, page: number, outcome?: string): Promise<SettingsContent> {
    const [rights, { isShared }, ownersByKey, subscribed] = await Promise.all([
      people.grants.of(ref),
      people.accounts.owners(ref),
      people.access.ownersWithoutGrant(ref),
      channels.subscriptions.ofAccount(ref),
    ]);
    const cardChannels = [...new Set(subscribed.map(({ channel }) => channel))];
    const shared = await Promise.all(
      cardChannels.map(async (channel) =>
        (await channels.shared.isShared(ref.workspace, channel)) ? channel : undefined,
      ),
    );
    return {
      account: ref.account,
      page,
      rights,
      isShared,
      ownersByKey,
      channels: cardChannels,
      sharedChannels: shared.filter((channel) => channel !== undefined),
      ...(outcome === undefined ? {} : { outcome }),
    };
  }

  async function open(actor: Opener): Promise<void> {
    const ref = await actor.authorize();
    await actor.open(settingsModal(await contentOf(ref, 0)));
  }

  /** Changes the rights and updates the settings view. */
  const change = (changeOf: (value: string) => { change: RightsChange; outcome: string }) =>
    onView(settingsState, 'settings', async (click) => {
      const { ref, state, view, value, workspace } = click;
      const { change, outcome } = changeOf(value);
      const { isRefused } = await apply(ref, change, click);
      const content = await contentOf(ref, state.page, isRefused ? lastOwner : outcome);
      await slack.messengerOf(workspace).updateModal(view.id, settingsModal(content));
    });

  /** Makes a change unless it would leave the account without an owner. */
  async function apply(
    ref: AccountRef,
    change: RightsChange,
    actor: Pick<Actor, 'member' | 'how'>,
  ): Promise<{ isRefused: boolean }> {
    const hasOther = await people.access.hasOwnerWithoutGrant(ref);
    let isRefused = false;
    const hasOwner = (after: AccountRights) => {
      isRefused = !hasOther && !after.grants.some(({ role }) => role === 'owner');
      return !isRefused;
    };
    await people.grants.change(ref, change, doneBy(actor), hasOwner);
    if (!isRefused) await deps.onRightsChange(ref);
    return { isRefused };
  }

  const give = onForm(settingsState, 'settings', async (submission) => {
    const { ref, state, values, workspace } = submission;
    const role = roles.find((one) => one === chosen(values, 'role')) ?? 'viewer';
    const to = granteesIn(values);
    if (to.length === 0) return { errors: { members: nobodyChosen } };
    const people = await Promise.all(
      chosenUsers(values, 'members').map((id) =>
        deps.people.slack.person(workspace, MemberId.parse(id), { isFresh: false }),
      ),
    );
    if (people.some((person) => person?.isBot)) return { errors: { members: noApps } };
    const refused = await giveAll(ref, to, role, submission);
    const { above = '', page } = state;
    return {
      async afterwards() {
        const outcome = refused ? lastOwner : givenText(to, role);
        const settings = settingsModal(await contentOf(ref, page, outcome));
        await submission.show(settings, outcome, { view: above });
      },
    };
  });

  async function giveAll(
    ref: AccountRef,
    all: readonly Grantee[],
    role: Role,
    actor: Pick<Actor, 'member' | 'how'>,
  ): Promise<boolean> {
    let refused = false;
    for (const to of all) {
      const grant = { to, role, by: actor.member, at: deps.clock.now() };
      if ((await apply(ref, { type: 'granted', grant }, actor)).isRefused) refused = true;
    }
    return refused;
  }

  return {
    open,
    openGive: onView(settingsState, 'settings', ({ state, view, open: openModal }) =>
      openModal(giveModal(settingsState.encode({ ...state, above: view.id }))),
    ),
    give,
    showPage: onView(settingsState, 'settings', async ({ ref, view, value, workspace }) =>
      slack.messengerOf(workspace).updateModal(view.id, settingsModal(await contentOf(ref, Number(value)))),
    ),
    /** Returns who has which role, in mrkdwn. */
    rolesOf: async (ref: AccountRef) => rolesText(await contentOf(ref, 0)),
    withdraw: change((value) => {
      const from = granteeValue.decode(value);
      return { change: { type: 'withdrawn', from }, outcome: withdrawnText(from) };
    }),
    guests: change((value) => {
      const { allowed } = guestsValue.decode(value);
      return { change: { type: 'guests', allowed }, outcome: guestsText(allowed) };
    }),
    confirmChannel: change((value) => {
      const { channel, confirmed } = channelValue.decode(value);
      const type = confirmed ? 'channel-confirmed' : 'channel-unconfirmed';
      return { change: { type, channel }, outcome: channelText(channel, confirmed) };
    }),
  };
}

/** Returns the grantees chosen in the form. */
function granteesIn(values: Submission['values']): Grantee[] {
  const group = chosen(values, 'group');
  const channel = chosenChannel(values, 'channel');
  return [
    ...chosenUsers(values, 'members').map((id) => ({ kind: 'member', id: MemberId.parse(id) }) as const),
    ...(group === undefined ? [] : [{ kind: 'group', id: group } as const]),
    ...(channel === undefined ? [] : [{ kind: 'channel', id: ChannelId.parse(channel) } as const]),
  ];
}

/** How long the list is kept (ms): Slack is asked 20 times a minute at most, and people type faster. */
const keptMs = 60_000;

/** Creates the search for user groups by their id, name or handle. */
export function createGroupMenu({ log, slack, clock }: Modules) {
  const lists = new Map<WorkspaceId, { readonly at: number; readonly groups: readonly UserGroup[] }>();

  async function groupsOf(workspace: WorkspaceId): Promise<readonly UserGroup[]> {
    const known = lists.get(workspace);
    if (known !== undefined && clock.now() - known.at < keptMs) return known.groups;
    const groups = await slack.messengerOf(workspace).groups();
    lists.set(workspace, { at: clock.now(), groups });
    return groups;
  }

  /** Returns the user groups that match typed text; none without the scope, or while Slack does not answer. */
  return async ({ authorize, text, workspace }: Typing): Promise<PlainTextOption[]> => {
    await authorize();
    const wanted = text.trim().replace(/^@/u, '').toLowerCase();
    try {
      return (await groupsOf(workspace))
        .filter((group) =>
          [group.id, group.name, group.handle].some((word) => word.toLowerCase().includes(wanted)),
        )
        .slice(0, limits.options)
        .map(({ id, name, handle }) => option(name || handle || id, id));
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.warn({ err: error }, 'user groups not listed');
      return [];
    }
  };
}

const maxTold = 10;

/** Creates the job that sends this notice once. */
export function createTellShared(deps: Modules) {
  return async ({ channel, ...ref }: Payload<'tell-shared'>): Promise<JobEnd> => {
    const { workspace, account } = ref;
    const owners = await ownersOrAdmins(deps, ref);
    if (owners.members === undefined) return { again: owners.waitMs };
    if (!(await deps.jobs.incidents.record(workspace, sharedIncident(ref, channel), 'shared'))) return;
    for (const owner of owners.members.slice(0, maxTold)) {
      await deps.slack
        .messengerOf(workspace)
        .direct(owner, sharedChannelMessage(account, channel))
        .catch((error: unknown) => {
          deps.log.warn({ owner, channel, reason: messageOf(error) }, 'owner not told of a shared channel');
        });
    }
  };
}
