import type { AccountRef } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import type { Message } from '../../slack/blocks.ts';
import type { PollingContext } from './context.ts';
import { noAnswer, noKey, pollingResumed, pollingStopped } from './polling.view.ts';

/** How many polls in a row must fail before a channel is notified that the marketplace cannot be reached. */
const failuresBeforeNotice = 3;

/** Notifies the subscribed channel once when polls fail, and once when they work again. */
export function createPollingIncidents({
  incidents,
  jobs,
  logger,
  messengerOf,
  subscriptions,
}: Pick<PollingContext, 'incidents' | 'jobs' | 'logger' | 'messengerOf' | 'subscriptions'>) {
  async function post(ref: AccountRef, message: Message): Promise<void> {
    const subscription = await subscriptions.forInbox(ref);
    if (subscription === undefined) return;
    try {
      await messengerOf(ref.workspace).post(subscription.channel, message);
    } catch (error) {
      logger.warn({ err: error, channel: subscription.channel }, 'notice not posted');
    }
  }

  return {
    /** Runs a poll and records how it ended. */
    async report(ref: AccountRef, poll: () => Promise<void>): Promise<void> {
      const name = `look ${ref.account}`;
      try {
        await poll();
      } catch (error) {
        const { code, text, notifyAfter } = pollingFailure(error);
        logger.warn({ err: error, account: ref.account }, 'poll failed');
        if (await incidents.record(ref.workspace, name, code, notifyAfter))
          await post(ref, pollingStopped(text));
        return;
      }
      const incident = await incidents.clear(ref.workspace, name);
      if (incident?.notified) await post(ref, pollingResumed(incident.since));
      if (incident) await jobs.add('release', ref);
    },
  };
}

/** Returns what to post about a failed poll, and after how many in a row. Rethrows an error that is a bug. */
export function pollingFailure(error: unknown): { code: string; text: string; notifyAfter: number } {
  if (error instanceof NotConnected) return { code: 'NO_KEY', text: noKey, notifyAfter: 1 };
  if (error instanceof TransportError)
    return { code: 'UNREACHABLE', text: noAnswer, notifyAfter: failuresBeforeNotice };
  if (!(error instanceof MarketplaceError)) throw error;
  const notifyAfter = error.isAuthentication ? 1 : failuresBeforeNotice;
  return { code: error.code, text: sentenceFor(error), notifyAfter };
}
