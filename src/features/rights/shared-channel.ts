import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { FeatureContext } from '../shared/context.ts';
import { sharedChannelMessage } from './shared-channel.view.ts';

const maxTold = 10;

/** Returns the name of the incident for messages that wait because a channel is shared. */
export const sharedIncident = ({ account }: AccountRef, channel: ChannelId) => `shared ${account} ${channel}`;

/** Creates the notice, sent once to an account's owners, that its messages wait because a channel is shared. */
export function createSharedChannelNotice({
  access,
  incidents,
  logger,
  messengerOf,
}: Pick<FeatureContext, 'access' | 'incidents' | 'logger' | 'messengerOf'>) {
  return async (ref: AccountRef, channel: ChannelId): Promise<void> => {
    const { workspace, account } = ref;
    if (!(await incidents.record(workspace, sharedIncident(ref, channel), 'shared'))) return;
    const messenger = messengerOf(workspace);
    const known = await access.ownersOf(ref);
    const owners = known.length > 0 ? known : await messenger.admins().catch(() => []);
    for (const owner of owners.slice(0, maxTold)) {
      await messenger.direct(owner, sharedChannelMessage(account, channel)).catch((error: unknown) => {
        logger.warn({ owner, channel, reason: messageOf(error) }, 'owner not told of a shared channel');
      });
    }
  };
}
