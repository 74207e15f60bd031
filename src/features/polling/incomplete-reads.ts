import { type AccountRef, CampaignId, type ChannelId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { ListShortfall } from '../../marketplace/types.ts';
import type { Message } from '../../slack/blocks.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { type IncompleteRead, postMethod } from '../../store/pauses.ts';
import { readAgain, readIncomplete, resultsOf, shortfallText } from './polling.view.ts';

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
  /** What is wrong, as the end of a sentence; undefined if they only lag behind or are ahead of another source. */
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

/** Creates the tracking of incomplete reads: when they are repeated, and what people are told. */
export function createIncompleteReadReports(modules: Modules) {
  const { campaigns, jobs, log, clock, marketplace, channels } = modules;
  const post = createNoticePosts(modules);
  const pollMs = marketplace.pollSeconds * 1_000;
  const incidentName = (ref: AccountRef, campaign: string) => `read ${ref.account} ${campaign}`;

  /** Tells people of what is read, by the name that it has for them. Resolves false if Slack did not accept it. */
  async function tell(ref: AccountRef, what: string, message: (name: string) => Message): Promise<boolean> {
    if (what.startsWith(listPrefix))
      return post(ref, (await channels.subscriptions.forNotices(ref))?.channel, message(what));
    const campaign = CampaignId.parse(what);
    const name = resultsOf(await campaigns.titleOf(ref, campaign));
    return post(ref, (await channels.subscriptions.forCampaign(ref, campaign))?.channel, message(name));
  }

  /** Records another incomplete read, and tells people when it is time. Returns how many there were in a row. */
  async function incomplete(
    ref: AccountRef,
    what: string,
    { wrong, listed, read, hasProgressed }: Shortcoming,
  ): Promise<number> {
    const at = clock.now();
    let shouldTell = false;
    let times = 0;
    await campaigns.incompleteReads.update(ref, what, (before) => {
      const { sameSince, notified } = before ?? { sameSince: at, notified: false };
      const isNew = before === undefined || (hasProgressed && wrong === undefined);
      const since = isNew ? at : before.since;
      times = isNew ? 1 : before.times + 1;
      const wrongTimes = (before?.wrong ?? 0) + (wrong === undefined ? 0 : 1);
      const isDue =
        wrong === undefined ? at - since >= behindBeforeNoticeMs : wrongTimes >= wrongBeforeNotice;
      shouldTell = isDue && !notified;
      const isSame = before?.listed === listed && before.read === read;
      return {
        since,
        times,
        wrong: wrongTimes,
        nextAt: at + pauseMs(times, at - since, pollMs),
        listed,
        read,
        sameSince: isSame ? sameSince : at,
        notified: notified || isDue,
      };
    });
    log.info({ what, wrong, times }, 'not read completely');
    if (!shouldTell) return times;
    if (!what.startsWith(listPrefix))
      await jobs.incidents.record(ref.workspace, incidentName(ref, what), wrong ? 'INCOMPLETE' : 'BEHIND');
    await tell(ref, what, (name) => readIncomplete(name, wrong));
    return times;
  }

  /** Records a complete read. Tells people; if that fails, after another complete read. */
  async function complete(ref: AccountRef, what: string): Promise<void> {
    const before = await campaigns.incompleteReads.update(ref, what, () => undefined);
    if (before === undefined) return;
    await jobs.incidents.clear(ref.workspace, incidentName(ref, what));
    if (before.notified && !(await tell(ref, what, (name) => readAgain(name, before.since))))
      await campaigns.incompleteReads.update(ref, what, () => before);
  }

  return {
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

    /** Records a read of a campaign's results. @param shortcoming undefined if they are complete */
    async results(ref: AccountRef, campaign: CampaignId, shortcoming: Shortcoming | undefined) {
      await (shortcoming ? incomplete(ref, campaign, shortcoming) : complete(ref, campaign));
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
        if (what.startsWith(listPrefix) || followed.has(CampaignId.parse(what))) continue;
        await campaigns.incompleteReads.update(ref, what, () => undefined);
        await jobs.incidents.clear(ref.workspace, incidentName(ref, what));
      }
    },

    /**
     * Records the read of a list. Resolves to the number of consecutive incomplete reads.
     * @param shortfall how many of its items could be read; undefined if complete
     */
    async list(
      ref: AccountRef,
      list: 'campaigns' | 'messages',
      shortfall: ListShortfall | undefined,
    ): Promise<number> {
      const what = `${listPrefix}${list}`;
      if (shortfall) {
        const { expected, read } = shortfall;
        const counts = { ...unknownCounts, listed: `${expected}`, read: `${read}` };
        return incomplete(ref, what, { ...counts, wrong: shortfallText(list, shortfall) });
      }
      await complete(ref, what);
      return 0;
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

/** Creates the posting of notices to channels. It resolves false if one is to be posted later: not if Slack refuses it. */
export function createNoticePosts({ channels, log, slack }: Modules) {
  return async (ref: AccountRef, channel: ChannelId | undefined, message: Message): Promise<boolean> => {
    if (channel === undefined || !(await channels.shared.mayPost(ref, channel))) return true;
    const post = () => slack.messengerOf(ref.workspace).post(channel, message);
    try {
      await slack.callOf(ref.workspace)({ method: postMethod, channel }, post);
      return true;
    } catch (error) {
      log.warn({ err: error, channel }, 'notice not posted');
      return error instanceof SlackError && error.kind === 'refused';
    }
  };
}
