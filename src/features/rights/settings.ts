import { type Role, roles } from '../../domain/permissions.ts';
import type { AccountRights, Grantee, RightsChange } from '../../domain/rights.ts';
import { type AccountRef, ChannelId, MemberId } from '../../domain/terms.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onView } from '../../kit/on.ts';
import type { Actor, Opener, Submission } from '../../slack/feature.ts';
import { chosen, chosenChannel, chosenUsers } from '../../slack/form-values.ts';
import {
  channelText,
  channelValue,
  giveModal,
  givenText,
  granteeValue,
  guestsText,
  guestsValue,
  lastOwner,
  noApps,
  nobodyChosen,
  rolesText,
  type SettingsContent,
  settingsModal,
  settingsState,
  withdrawnText,
} from './settings.view.ts';

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
