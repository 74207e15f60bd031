import type { ChannelId, WorkspaceId } from '../../domain/terms.ts';
import type { Logger } from '../../logger.ts';
import { plain } from '../../slack/mrkdwn.ts';
import type { Incidents } from '../../store/outages.ts';
import { channelPause, type Pauses } from '../../store/pauses.ts';
import { channelFailureText } from './channel-health.view.ts';

/** Creates the record of channels that cannot be posted to. */
export function createChannelHealth(deps: {
  incidents: Incidents;
  logger: Logger;
  pauses: Pauses;
  /** Queues the check that diagnoses the channel and notifies people. */
  checkLater: (workspace: WorkspaceId, channel: ChannelId) => Promise<void>;
  now: () => number;
}) {
  const nameOf = (channel: ChannelId) => `channel ${channel}`;

  return {
    /**
     * Records a failed post. The first failure queues a check of the channel.
     * @param error Slack's error
     * @param began when the call started (ms): failures from before the last success are ignored
     */
    async reportFailure(
      workspace: WorkspaceId,
      channel: ChannelId,
      error: string,
      began = deps.now(),
    ): Promise<void> {
      // Slack reports a private channel without the bot as nonexistent.
      const code = error === 'channel_not_found' ? 'not_in_channel' : error;
      await deps.pauses.fail(workspace, channelPause(channel), { code, began, pausesAfter: 1 });
      if (!(await deps.incidents.record(workspace, nameOf(channel), code, began))) return;
      deps.logger.warn({ channel, code }, plain(channelFailureText(channel, code)));
      await deps.checkLater(workspace, channel);
    },

    /** Records a successful post. @param since when it started (ms): later failures stay recorded */
    async reportSuccess(workspace: WorkspaceId, channel: ChannelId, since = deps.now()): Promise<void> {
      await deps.pauses.succeed(workspace, channelPause(channel), since);
      await deps.incidents.clear(workspace, nameOf(channel), since);
    },
  };
}
