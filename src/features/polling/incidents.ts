import { chunksOf } from '../../domain/collections.ts';
import type { Decision } from '../../domain/task.ts';
import {
  AccountId,
  type AccountRef,
  type CampaignId,
  type ChannelId,
  type WorkspaceId,
} from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import { Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { isAuthenticationCode, sentenceFor, sentenceForCode } from '../../marketplace/errors.ts';
import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import {
  type AccountOutage,
  accountPause,
  type LateCards,
  type SlackOutage,
  slackPause,
} from '../../store/pauses.ts';
import { createNoticePosts } from './incomplete-reads.ts';
import { noAnswer, noKey, pollingResumed, pollingStopped, slackOutageOver } from './polling.view.ts';

/** Poll interval during recovery from an outage (ms), to detect its end. */
const recoveryPollMs = 2_000;
/**
 * After this multiple of the notice delay, unfinished work is reported instead of waited for: a card still late then has a
 * problem of its own.
 */
const recoveryLimit = 10;

/**
 * Creates the outage notices: the subscribed channel is told once when polls keep failing, and once when everything is
 * recovered.
 */
export function createPollingIncidents(parts: Modules) {
  const { campaigns, jobs, log, clock, marketplace, channels, tasks } = parts;

  const postNotice = createNoticePosts(parts);

  /** Resolves false if Slack did not accept the message. */
  const post = async (ref: AccountRef, message: Message) =>
    postNotice(ref, (await channels.subscriptions.forNotices(ref))?.channel, message);

  async function recordFailure(ref: AccountRef, { text, isLasting }: PollingFailure): Promise<void> {
    const pause = (await marketplace.pauses.all(ref.workspace)).get(accountPause(ref.account));
    const isLong = (since: number) => isLasting || clock.now() - since >= clock.noticeAfterMs;
    const outage = await marketplace.outages.begin(ref, pause?.since ?? clock.now(), isLong);
    if (outage) await post(ref, pollingStopped(text, outage.since, await tasks.count(ref, 'due')));
  }

  async function recordSuccess(
    ref: AccountRef,
    outage: AccountOutage | undefined,
    began: number,
    wanted: readonly CampaignId[],
  ): Promise<void> {
    if (outage === undefined) return;
    if (!outage.notified) return marketplace.outages.end(ref);
    if (outage.recoveredAt === undefined) await marketplace.outages.recordRecovery(ref, began);
    else {
      const rest = await outstanding(ref, outage.recoveredAt, wanted);
      const isLate = clock.now() - outage.recoveredAt > recoveryLimit * clock.noticeAfterMs;
      if ((rest.campaigns === 0 && rest.decisions === 0) || isLate)
        return tellEnd(ref, outage.recoveredAt, rest);
    }
    await jobs.add('release', ref);
    await jobs.add('poll', ref, { delayMs: recoveryPollMs, uniqueKey: `${ref.account} recovery` });
  }

  /** Tells people that an outage is over; if Slack does not accept it now, at a later poll. */
  async function tellEnd(ref: AccountRef, until: number, rest: Outstanding): Promise<void> {
    const lease = await jobs.leases.acquire(ref, 'end of outage', jobs.timeouts.leaseMs);
    if (lease === undefined) return;
    try {
      const outage = await marketplace.outages.get(ref);
      if (outage?.recoveredAt !== until) return;
      if (await post(ref, pollingResumed({ ...outage, until, rest }))) await marketplace.outages.end(ref);
    } finally {
      await lease.release();
    }
  }

  /** Returns the backlog: work due when polls worked again and still unfinished. */
  async function outstanding(
    ref: AccountRef,
    since: number,
    wanted: readonly CampaignId[],
  ): Promise<Outstanding> {
    const imports = await campaigns.lastImports(ref);
    const pending = await tasks.getMany(ref, await tasks.find(ref, 'due'));
    return {
      campaigns: wanted.filter((id) => (imports.get(id)?.at ?? 0) < since).length,
      decisions: pending.filter(({ decision }) => decision !== undefined && wasDue(decision, since)).length,
    };
  }

  return {
    /** Runs a poll and records its outcome. @param poll resolves to the campaigns whose results are to be imported */
    async report(ref: AccountRef, poll: () => Promise<readonly CampaignId[]>): Promise<void> {
      const began = clock.now();
      try {
        // Only polls begin and end outages, an account's one at a time: it is read with what the poll reads first.
        const [outage, polled] = await Promise.allSettled([marketplace.outages.get(ref), poll()]);
        if (polled.status === 'rejected') throw polled.reason;
        if (outage.status === 'rejected') throw outage.reason;
        await recordSuccess(ref, outage.value, began, polled.value);
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

/** Returns whether a decision would have been sent if the marketplace had worked. */
function wasDue({ state, at, dueAt = 0, problem }: Decision, since: number): boolean {
  return state === 'waiting' ? dueAt < since : at < since && problem?.waitsFor === undefined;
}

interface Outstanding {
  readonly campaigns: number;
  readonly decisions: number;
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

/** Maximum number of records counted, and the batch size. */
const maxCounted = 10_000;
const recordsAtOnce = 200;

/** Creates the notices of Slack outages: counts late cards, and tells their channels once after recovery. */
export function createSlackOutageNotices({ log, slack, clock, marketplace, channels, tasks }: Modules) {
  /** Returns the number of cards to post or update, by channel. */
  async function lateCards(ref: AccountRef): Promise<LateCards[]> {
    const late = new Map<ChannelId, number>();
    for (const ids of chunksOf(await tasks.find(ref, 'needs-render', { limit: maxCounted }), recordsAtOnce)) {
      for (const { card, campaign } of await tasks.getMany(ref, ids)) {
        const channel =
          card.state === 'posted'
            ? card.channel
            : (await channels.subscriptions.forCampaign(ref, campaign))?.channel;
        if (channel !== undefined) late.set(channel, (late.get(channel) ?? 0) + 1);
      }
    }
    return [...late].map(([channel, cards]) => ({ channel, cards }));
  }

  /** Returns whether every late card now shows its record. */
  async function isMadeGood(workspace: WorkspaceId, { until = 0, late }: SlackOutage): Promise<boolean> {
    if (clock.now() - until > recoveryLimit * clock.noticeAfterMs) return true;
    for (const account of Object.keys(late)) {
      const ref = { workspace, account: AccountId.parse(account) };
      if ((await tasks.find(ref, 'needs-render', { until, limit: 1 })).length > 0) return false;
    }
    return true;
  }

  async function tell(workspace: WorkspaceId, { since, until = 0, late }: SlackOutage): Promise<void> {
    const byChannel = new Map<ChannelId, number>();
    for (const { channel, cards } of Object.values(late).flat())
      byChannel.set(channel, (byChannel.get(channel) ?? 0) + cards);
    for (const [channel, cards] of byChannel) {
      if ((await channels.shared.isShared(workspace, channel)) !== false) continue;
      await slack
        .messengerOf(workspace)
        .post(channel, slackOutageOver(since, until, cards))
        .catch((error: unknown) => log.warn({ err: error, channel }, 'notice not posted'));
    }
  }

  return {
    /**
     * Counts late cards during an outage: soon after it they are not late any more. Tells people once after recovery.
     */
    async report(ref: AccountRef): Promise<void> {
      const { workspace, account } = ref;
      const pause = (await marketplace.pauses.all(workspace)).get(slackPause);
      if (pause) {
        const { since } = pause;
        if (clock.now() - since >= clock.noticeAfterMs)
          await slack.outages.record(workspace, { since }, account, await lateCards(ref));
        return;
      }
      const outage = await slack.outages.get(workspace);
      if (outage === undefined) return;
      if (outage.until === undefined)
        return slack.outages.record(workspace, { since: outage.since, until: clock.now() }, account, []);
      if ((await isMadeGood(workspace, outage)) && (await slack.outages.end(workspace, outage)))
        await tell(workspace, outage);
    },
  };
}
