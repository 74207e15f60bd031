import type { ChannelEvent, Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createRequests, type RequestDeps } from './requests.ts';
import { createSettings, type SettingsDeps } from './settings.ts';
import {
  confirmChannelAction,
  giveAction,
  grantForm,
  guestsAction,
  openSettingsAction,
  withdrawAction,
} from './settings.view.ts';

type Deps = RequestDeps & Omit<SettingsDeps, 'onRightsChange'> & Pick<FeatureContext, 'jobs' | 'slackPeople'>;

/** Creates the feature of rights: who may do what in an account, asking for it, and keeping up with who people are. */
export function createRights(deps: Deps) {
  const { slackPeople } = deps;
  const requests = createRequests(deps);
  const settings = createSettings({
    ...deps,
    async onRightsChange(ref) {
      await deps.jobs.add('refresh-homes', { workspace: ref.workspace }, { uniqueKey: ref.workspace });
      // What waits for a person or a channel may go on now.
      await deps.jobs.add('release', ref);
    },
  });
  const membersChanged = ({ workspace, channel }: ChannelEvent) =>
    slackPeople.forgetMembers(workspace, { kind: 'channel', id: channel });

  const feature: Feature = {
    commands: [
      {
        command: '/proofdesk',
        word: 'settings',
        usage: '',
        help: 'Shows who may do what with your account, and changes it.',
        needs: 'settings',
        run: settings.command,
      },
    ],
    clicks: {
      'rights.ask': { needs: 'anyone', run: requests.ask },
      'rights.grant': { needs: 'settings', run: requests.grant },
      'rights.decline': { needs: 'settings', run: requests.decline },
      [openSettingsAction]: { needs: 'settings', run: settings.open },
      [giveAction]: { needs: 'settings', run: settings.openGive },
      [withdrawAction]: { needs: 'settings', run: settings.withdraw },
      [guestsAction]: { needs: 'settings', run: settings.guests },
      [confirmChannelAction]: { needs: 'settings', run: settings.confirmChannel },
    },
    submissions: { [grantForm]: { needs: 'settings', run: settings.give } },
    memberChanged: ({ workspace, member }) => slackPeople.forgetPerson(workspace, member),
    groupChanged: ({ workspace, group }) =>
      slackPeople.forgetMembers(workspace, { kind: 'group', id: group }),
    channelEvents: { member_joined_channel: membersChanged, member_left_channel: membersChanged },
  };

  return { feature };
}
