import type { Payload } from '../../jobs/catalogue.ts';
import { type JobContext, Reschedule } from '../../jobs/runner.ts';
import { lossTag } from '../../slack/message-tags.ts';
import { isChannelError, isWorkspaceError, mayArriveLate, SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import { databaseEmptied, decisionsLost } from './recovery.view.ts';

/** How long to wait for a channel that cannot be posted to (ms). */
const channelAwayMs = 86_400_000;
/** How long before the loss the search for the message starts (ms), because Slack's clock may have been set since. */
const searchMarginMs = 3_600_000;

/** Without permission to read the channel, a duplicate notice is better than none. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof SlackError) || error.kind !== 'refused' || isWorkspaceError(error)) throw error;
}

/**
 * Creates the notice of lost data in an account's channel: Home reads the loss from Redis, which may lose that too. It
 * is posted once, however often Slack fails or a process dies.
 */
export function createTellLoss(
  context: Pick<
    FeatureContext,
    'callSlackOf' | 'logger' | 'messengerOf' | 'now' | 'sharedChannels' | 'subscriptions' | 'timeouts'
  >,
) {
  return {
    jobs: {
      async 'tell-loss'(
        { loss, at, decisions, ...ref }: Payload<'tell-loss'>,
        { slot }: JobContext,
      ): Promise<void> {
        const channel = (await context.subscriptions.forNotices(ref))?.channel;
        if (channel === undefined || !(await context.sharedChannels.mayPost(ref, channel))) return;
        const messenger = context.messengerOf(ref.workspace);
        const callSlack = context.callSlackOf(ref.workspace, slot);
        const tag = lossTag(ref.account, loss);
        const since = at - searchMarginMs;
        try {
          const found = await callSlack({ method: 'conversations.history', channel }, () =>
            messenger.findTagged(channel, since, tag),
          ).catch(unlessUnreadable);
          if (found !== undefined) return;
          const message = decisions === undefined ? databaseEmptied() : decisionsLost(decisions);
          await callSlack({ method: 'chat.postMessage', channel }, () =>
            messenger.post(channel, message, { tag }),
          );
        } catch (error) {
          if (!(error instanceof SlackError)) throw error;
          const mayBeBack = isChannelError(error) && context.now() - at < channelAwayMs;
          if (mayArriveLate(error) || mayBeBack) throw new Reschedule(context.timeouts.lateArrivalMs);
          if (error.kind !== 'refused' || isWorkspaceError(error)) throw error;
          context.logger.warn({ channel, code: error.code }, 'loss not told in the channel');
        }
      },
    },
  };
}
