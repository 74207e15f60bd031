import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { JobEnd } from '../../jobs/runner.ts';
import type { Modules } from '../../kit/modules.ts';
import { ownersOrAdmins } from '../../kit/spending.ts';
import type { Incidents } from '../../store/outages.ts';
import { sharedChannelMessage } from './shared-channel.view.ts';

const maxTold = 10;

/** Returns the name of the incident for messages that wait because a channel is shared. */
export const sharedIncident = ({ account }: AccountRef, channel: ChannelId) => `shared ${account} ${channel}`;

/** Queues the notice to an account's owners that its messages wait because a channel is shared, unless they were told. */
export function createSharedChannelNotice(incidents: Incidents, jobs: Jobs) {
  return async (ref: AccountRef, channel: ChannelId): Promise<void> => {
    if ((await incidents.get(ref.workspace, sharedIncident(ref, channel))) !== undefined) return;
    await jobs.add('tell-shared', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
  };
}

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
