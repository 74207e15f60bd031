import type { AccountRef } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { isAuthenticationCode, sentenceFor, sentenceForCode } from '../../marketplace/errors.ts';
import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import { type Outages, slackPause } from '../../store/pauses.ts';
import { createNoticePosts } from './incomplete-reads.ts';
import { noAnswer, noKey, pollingResumed, pollingStopped, slackOutageOver } from './polling.view.ts';

/** Creates the outage notices: an account's channel is told once when polls keep failing, and once when they or Slack work. */
export function createOutageNotices(parts: Modules) {
  const { jobs, log, slack, clock, marketplace, channels, tasks } = parts;
  const postNotice = createNoticePosts(parts);

  /** Resolves false if people are to be told later. */
  const post = async (ref: AccountRef, message: Message) =>
    postNotice(ref, (await channels.subscriptions.forNotices(ref))?.channel, message);
  const isLong = (since: number) => clock.now() - since >= clock.noticeAfterMs;

  async function recordFailure(ref: AccountRef, { text, isLasting }: PollingFailure): Promise<void> {
    const tells = (since: number) => isLasting || isLong(since);
    const since = await marketplace.outages.begin(ref, clock.now(), tells);
    if (since !== undefined) await post(ref, pollingStopped(text, since, await tasks.count(ref, 'due')));
  }

  async function recordSuccess(ref: AccountRef, outages: Outages, noticeOf: typeof pollingResumed) {
    const over = await outages.over(ref, clock.now());
    if (over === undefined) return;
    if (!over.notified || (await post(ref, noticeOf(over.since, over.until)))) await outages.end(ref);
  }

  return {
    /** Runs a poll and records its outcome. Only polls begin and end outages, an account's one at a time. */
    async report(ref: AccountRef, poll: () => Promise<void>): Promise<void> {
      try {
        await poll();
        await recordSuccess(ref, marketplace.outages, pollingResumed);
      } catch (error) {
        const failure = pollingFailure(error);
        log.warn({ err: error, account: ref.account }, 'poll failed');
        await recordFailure(ref, failure);
        // Repeated polls during the outage end here too; one of them is the probe.
        if (error instanceof Paused)
          await jobs.add('poll', ref, { delayMs: error.waitMs, uniqueKey: `${ref.account} away` });
      }
    },

    /** Records whether Slack works. */
    async reportSlack(ref: AccountRef): Promise<void> {
      const pause = (await marketplace.pauses.all(ref.workspace)).get(slackPause);
      if (pause) await slack.outages.begin(ref, pause.since, isLong);
      else await recordSuccess(ref, slack.outages, slackOutageOver);
    },
  };
}

interface PollingFailure {
  readonly text: string;
  /** Whether only people can fix it, so that they are told at once. */
  readonly isLasting: boolean;
}

/** Returns the text about a failed poll. Rethrows an error that is a bug. */
export function pollingFailure(error: unknown): PollingFailure {
  if (error instanceof NotConnected) return { text: noKey, isLasting: true };
  if (error instanceof Paused) {
    const text = sentenceForCode(error.code) ?? noAnswer;
    return { text, isLasting: isAuthenticationCode(error.code) };
  }
  if (error instanceof TransportError) return { text: noAnswer, isLasting: false };
  if (!(error instanceof MarketplaceError)) throw error;
  return { text: sentenceFor(error), isLasting: error.isAuthentication };
}
