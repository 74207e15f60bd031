import type { MessageRef } from '../../domain/live-message.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { type JobContext, Reschedule } from '../../jobs/runner.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import { formerSummary } from './queue.view.ts';

/** Retry delay for a message that Slack currently does not accept (ms). */
const waitMs = 10_000;

/**
 * Creates the retirement of earlier versions' summaries, each of which counted all of a channel's tasks without a card.
 */
export function createFormerSummaries({
  callSlackOf,
  formerSummaries,
  jobs,
  logger,
  messengerOf,
}: Pick<FeatureContext, 'callSlackOf' | 'formerSummaries' | 'jobs' | 'logger' | 'messengerOf'>) {
  const queue = (ref: AccountRef) => jobs.add('retire-summaries', ref, { uniqueKey: ref.account });

  return {
    /** Queues the retirement if an earlier version has left any. */
    async queueIfAny(ref: AccountRef): Promise<void> {
      if (await formerSummaries.isAny(ref)) await queue(ref);
    },

    /** Adopts a summary found in a channel. */
    async found(ref: AccountRef, place: MessageRef): Promise<void> {
      await formerSummaries.add(ref, place);
      await queue(ref);
    },

    /** Updates each to say where to look now. Summaries that can no longer be changed are left unchanged. */
    async retire(ref: AccountRef, { slot }: JobContext): Promise<void> {
      const callSlack = callSlackOf(ref.workspace, slot);
      for (const place of await formerSummaries.places(ref)) {
        try {
          await callSlack({ method: 'chat.update', channel: place.channel }, () =>
            messengerOf(ref.workspace).update(place, formerSummary()),
          );
        } catch (error) {
          if (!(error instanceof SlackError)) throw error;
          if (error.kind !== 'refused') throw new Reschedule(waitMs);
          logger.info({ channel: place.channel, code: error.code }, 'former summary not changed');
        }
        await formerSummaries.remove(ref, place);
      }
      await formerSummaries.removeAll(ref);
    },
  };
}
