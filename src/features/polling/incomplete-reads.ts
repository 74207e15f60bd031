import { type AccountRef, CampaignId, type ChannelId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { ListShortfall } from '../../marketplace/types.ts';
import type { Message } from '../../slack/blocks.ts';
import type { IncompleteRead } from '../../store/pauses.ts';
import {
  listIncomplete,
  listReadAgain,
  resultsBehind,
  resultsIncomplete,
  resultsReadAgain,
} from './polling.view.ts';

/** Consecutive faulty reads before people are told. */
const wrongBeforeNotice = 3;
/** How long one source may lag behind another before people are told (ms). */
const behindBeforeNoticeMs = 3_600_000;
/** Maximum pause between two reads (ms): at first, and once the problem has lasted for `behindBeforeNoticeMs`. */
const longestPauseMs = 60_000;
const longestPauseLaterMs = 600_000;
/** After this time (ms), an unchanged difference of counts is not a lagging source, but a different way of counting. */
const differentCountsMs = 600_000;

/** The shortcoming of a read of a campaign's results. */
export interface Shortcoming {
  /** What is wrong, worded as in “the results …”; undefined if they only lag behind or are ahead of another source. */
  readonly wrong: string | undefined;
  /** The campaign's counts in the list and in the results. */
  readonly listed: string;
  readonly read: string;
  /** Whether only the counts differ. */
  readonly isCountsOnly: boolean;
  /** Whether part of the previous read's backlog is done. */
  readonly hasProgressed: boolean;
}

/** Of what could not be read at all. */
export const unknownCounts = { listed: '', read: '', isCountsOnly: false, hasProgressed: false };

/** Prefix of list names; results are named by their campaign's id. */
const listPrefix = 'list of ';

type Lists = 'campaigns' | 'messages';

/** Creates the tracking of incomplete reads: when they are repeated, and what people are told. */
export function createIncompleteReadReports(modules: Modules) {
  const { campaigns, jobs, log, clock, marketplace, channels } = modules;
  const post = createNoticePosts(modules);
  const pollMs = marketplace.pollSeconds * 1_000;
  const incidentName = (ref: AccountRef, campaign: CampaignId) => `read ${ref.account} ${campaign}`;

  /** Tells people that a source is complete again; if that fails, after another complete read. */
  async function tellOver(
    ref: AccountRef,
    what: string,
    before: IncompleteRead,
    channel: ChannelId | undefined,
    message: Message,
  ): Promise<void> {
    if (!(await post(ref, channel, message)))
      await campaigns.incompleteReads.update(ref, what, (now) => (now ? { ...now, notified: true } : before));
  }

  async function channelOf(ref: AccountRef, campaign: CampaignId): Promise<ChannelId | undefined> {
    return (await channels.subscriptions.forCampaign(ref, campaign))?.channel;
  }

  /** Records another incomplete read. Returns the current record, and whether to tell people. */
  async function count(ref: AccountRef, what: string, { wrong, listed, read, hasProgressed }: Shortcoming) {
    const at = clock.now();
    let current: IncompleteRead | undefined;
    let shouldTell = false;
    await campaigns.incompleteReads.update(ref, what, (before) => {
      const { sameSince, notified } = before ?? { sameSince: at, notified: false };
      const isNew = before === undefined || (hasProgressed && wrong === undefined);
      const { since, times } = isNew ? { since: at, times: 0 } : before;
      const wrongTimes = wrong === undefined ? (before?.wrong ?? 0) : (before?.wrong ?? 0) + 1;
      const isDue =
        wrong === undefined ? at - since >= behindBeforeNoticeMs : wrongTimes >= wrongBeforeNotice;
      shouldTell = isDue && !notified;
      const isSame = before?.listed === listed && before.read === read;
      current = {
        since,
        times: times + 1,
        wrong: wrongTimes,
        nextAt: at + pauseMs(times + 1, at - since, pollMs),
        listed,
        read,
        sameSince: isSame ? sameSince : at,
        notified: notified || isDue,
      };
      return current;
    });
    return { shouldTell, current };
  }

  return {
    /** Returns the campaigns whose results must be read again, with the records of earlier reads. */
    all: campaigns.incompleteReads.all,
    get: campaigns.incompleteReads.get,
    isEmpty: campaigns.incompleteReads.isEmpty,

    /** Returns whether differing counts are this marketplace's way of counting rather than a lagging source. */
    async isUsualDifference(
      ref: AccountRef,
      campaign: CampaignId,
      { listed, read, isCountsOnly }: Shortcoming,
    ) {
      const known = await campaigns.incompleteReads.get(ref, campaign);
      return (
        isCountsOnly &&
        known?.listed === listed &&
        known.read === read &&
        clock.now() - known.sameSince >= differentCountsMs
      );
    },

    /** Records an incomplete read of a campaign's results. */
    async results(ref: AccountRef, campaign: CampaignId, shortcoming: Shortcoming): Promise<void> {
      const { shouldTell, current } = await count(ref, campaign, shortcoming);
      const { wrong } = shortcoming;
      log.info({ campaign, wrong, times: current?.times }, 'results not read completely');
      if (!shouldTell) return;
      await jobs.incidents.record(
        ref.workspace,
        incidentName(ref, campaign),
        wrong ? 'INCOMPLETE' : 'BEHIND',
      );
      const title = await campaigns.titleOf(ref, campaign);
      const message = wrong === undefined ? resultsBehind(title) : resultsIncomplete(title, wrong);
      await post(ref, await channelOf(ref, campaign), message);
    },

    /** Records a complete read of a campaign's results. */
    async resultsRead(ref: AccountRef, campaign: CampaignId): Promise<void> {
      const before = await campaigns.incompleteReads.update(ref, campaign, () => undefined);
      if (before === undefined) return;
      await jobs.incidents.clear(ref.workspace, incidentName(ref, campaign));
      if (!before.notified) return;
      const message = resultsReadAgain(await campaigns.titleOf(ref, campaign), before.since);
      await tellOver(ref, campaign, before, await channelOf(ref, campaign), message);
    },

    /**
     * Removes campaigns whose results are no longer read: nobody follows them, or they are gone.
     * @param known all incomplete reads
     */
    async forgetOthers(
      ref: AccountRef,
      known: ReadonlyMap<string, IncompleteRead>,
      followed: ReadonlySet<CampaignId>,
    ): Promise<void> {
      for (const what of known.keys()) {
        const campaign = CampaignId.parse(what);
        if (what.startsWith(listPrefix) || followed.has(campaign)) continue;
        await campaigns.incompleteReads.update(ref, what, () => undefined);
        await jobs.incidents.clear(ref.workspace, incidentName(ref, campaign));
      }
    },

    /**
     * Records the read of a list. Resolves to the number of consecutive incomplete reads.
     * @param shortfall how many of its items could be read; undefined if complete
     */
    async list(ref: AccountRef, what: Lists, shortfall: ListShortfall | undefined): Promise<number> {
      const name = `${listPrefix}${what}`;
      const channel = async () => (await channels.subscriptions.forNotices(ref))?.channel;
      if (shortfall === undefined) {
        const before = await campaigns.incompleteReads.update(ref, name, () => undefined);
        if (before?.notified)
          await tellOver(ref, name, before, await channel(), listReadAgain(what, before.since));
        return 0;
      }
      const { read, expected } = shortfall;
      const { shouldTell, current } = await count(ref, name, {
        ...unknownCounts,
        wrong: 'incomplete',
        listed: `${expected}`,
        read: `${read}`,
      });
      if (shouldTell) await post(ref, await channel(), listIncomplete(what, shortfall));
      return current?.times ?? 1;
    },
  };
}

/** Returns the pause before the next read (ms): until the next poll at first, then doubling. */
export function pauseMs(times: number, sinceMs: number, pollMs: number): number {
  const longest = sinceMs >= behindBeforeNoticeMs ? longestPauseLaterMs : longestPauseMs;
  const pause = Math.min(pollMs * 2 ** Math.min(times - 1, 20), Math.max(longest, pollMs));
  // Polls have some jitter.
  return pause - pollMs / 2;
}

/** Creates the posting of notices to channels. It resolves false if Slack did not accept one. */
export function createNoticePosts({ channels, log, slack }: Modules) {
  return async (ref: AccountRef, channel: ChannelId | undefined, message: Message): Promise<boolean> => {
    if (channel === undefined || !(await channels.shared.mayPost(ref, channel))) return true;
    try {
      await slack.messengerOf(ref.workspace).post(channel, message);
      return true;
    } catch (error) {
      log.warn({ err: error, channel }, 'notice not posted');
      return false;
    }
  };
}
