import type { ChannelEvent, Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';

type Deps = Pick<FeatureContext, 'slackPeople'>;

/** Creates the feature of rights: who may do what in an account, and keeping up with who people are. */
export function createRights({ slackPeople }: Deps) {
  const membersChanged = ({ workspace, channel }: ChannelEvent) =>
    slackPeople.forgetMembers(workspace, { kind: 'channel', id: channel });

  const feature: Feature = {
    memberChanged: ({ workspace, member }) => slackPeople.forgetPerson(workspace, member),
    groupChanged: ({ workspace, group }) =>
      slackPeople.forgetMembers(workspace, { kind: 'group', id: group }),
    channelEvents: { member_joined_channel: membersChanged, member_left_channel: membersChanged },
  };

  return { feature };
}
