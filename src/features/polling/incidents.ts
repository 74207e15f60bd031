import type { AccountRef } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { isAuthenticationCode, sentenceFor, sentenceForCode } from '../../marketplace/errors.ts';
import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import { accountPause, slackPause } from '../../store/pauses.ts';
import { createNoticePosts } from './incomplete-reads.ts';
import { noAnswer, noKey, pollingResumed, pollingStopped, slackOutageOver } from './polling.view.ts';

/** Creates the outage notices: the subscribed channel is told once when polls keep failing, and once when they work. */
export function createPollingIncidents(parts: Modules) {
  const { jobs, log, clock, marketplace, channels, tasks } = parts;
  const { outages } = marketplace;
  const postNotice = createNoticePosts(parts);

  /** Resolves false if Slack did not accept the message. */
  const post = async (ref: AccountRef, message: Message) =>
    postNotice(ref, (await channels.subscriptions.forNotices(ref))?.channel, message);

  async function recordFailure(ref: AccountRef, { text, isLasting }: PollingFailure): Promise<void> {
    const pause = (await marketplace.pauses.all(ref.workspace)).get(accountPause(ref.account));
    const isLong = (since: number) => isLasting || clock.now() - since >= clock.noticeAfterMs;
    const outage = await outages.begin(ref, pause?.since ?? clock.now(), isLong);
    if (outage) await post(ref, pollingStopped(text, outage.since, await tasks.count(ref, 'due')));
  }

  return {
    /** Runs a poll and records its outcome. Only polls begin and end outages, an account's one at a time. */
    async report(ref: AccountRef, poll: () => Promise<void>): Promise<void> {
      try {
        // The outage is read with what the poll reads first.
        const [outage, polled] = await Promise.allSettled([outages.get(ref), poll()]);
        if (polled.status === 'rejected') throw polled.reason;
        if (outage.status === 'rejected') throw outage.reason;
        if (outage.value === undefined) return;
        const { since, notified } = outage.value;
        // If Slack does not accept the message, people are told at a later poll.
        if (!notified || (await post(ref, pollingResumed(since, clock.now())))) await outages.end(ref);
      } catch (error) {
        const failure = pollingFailure(error);
        log.warn({ err: error, account: ref.account }, 'poll failed');
        await recordFailure(ref, failure);
        // Repeated polls during the outage end here too; one of them is the probe.
        if (error instanceof Paused)
          await jobs.add('poll', ref, { delayMs: error.waitMs, uniqueKey: `${ref.account} away` });
      }
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

/** Creates the notice of Slack outages: the channels with cards are told once when Slack works again. */
export function createSlackOutageNotices(parts: Modules) {
  const { slack, clock, marketplace, channels } = parts;
  const post = createNoticePosts(parts);

  return async ({ workspace }: AccountRef): Promise<void> => {
    const pause = (await marketplace.pauses.all(workspace)).get(slackPause);
    if (pause) {
      if (clock.now() - pause.since >= clock.noticeAfterMs)
        await slack.outages.record(workspace, pause.since);
      return;
    }
    const since = await slack.outages.end(workspace);
    if (since === undefined) return;
    const told = new Map(
      (await channels.subscriptions.all(workspace)).map((one) => [one.channel, one.account]),
    );
    for (const [channel, account] of told)
      await post({ workspace, account }, channel, slackOutageOver(since, clock.now()));
  };
}
