import type { AccountRef } from '../../domain/terms.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type { ChannelEvent, Feature } from '../../slack/feature.ts';
import { createGroupMenu } from './group-menu.ts';
import { groupMenu } from './public.ts';
import { createRequests, roleRequestMessage } from './requests.ts';
import { createSettings } from './settings.ts';
import {
  channelText,
  confirmChannelAction,
  giveAction,
  grantForm,
  guestsAction,
  openSettingsAction,
  pageAction,
  withdrawAction,
} from './settings.view.ts';
import { createTellShared, sharedIncident } from './shared-channel.ts';
import { postInSharedAction, sharedChannelValue } from './shared-channel.view.ts';

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
