import { IANAZone } from 'luxon';
import {
  countedFrom,
  type DailyContent,
  type DailySummary,
  lastDailyTime,
} from '../../domain/daily-summary.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import { messageTag } from '../../slack/message-tags.ts';
import type { Subscription } from '../../store/channels.ts';
import { dailyContent } from './content.ts';
import { dailyMessage } from './daily.view.ts';

/** Delay of the count after a day's end (ms), so that late ratings are stored. */
const settlingMs = 5_000;

/** Creates the daily summaries: one message per card channel and day, posted once, on days with activity. */
export function createDaily(context: Modules) {
  const { channels, slack, clock, audit } = context;

  /** Summarizes each channel's day that has ended since the last check. */
  async function summarizeDue(ref: AccountRef, own: readonly Subscription[]): Promise<void> {
    const posted = [...new Set(own.map(({ channel }) => channel))];
    if (posted.length === 0) return;
    const settings = await channels.settings.getMany(ref.workspace, posted);
    const latest = await slack.dailySummaries.getMany(ref, posted);
    for (const [index, channel] of posted.entries()) {
      const { muted = [] } = settings.get(channel) ?? {};
      const due = lastDailyTime(clock.now() - settlingMs, await channelZone(context, ref, channel, own));
      const before = latest[index];
      // Activity before the channel's subscription is excluded.
      const since = Math.min(...own.filter((one) => one.channel === channel).map(({ at }) => at));
      if ((before !== undefined && before.day >= due.day) || since > due.at) continue;
      const content = muted.includes('daily') ? undefined : await contentFor(ref, channel, own, before, due);
      await slack.dailySummaries.apply(
        ref,
        channel,
        content === undefined
          ? { type: 'skipped', channel, day: due.day, until: due.at }
          : { type: 'due', channel, day: due.day, content },
      );
    }
  }

  /** Counts the reviews in the campaigns whose cards go to a channel; undefined if there were none. */
  async function contentFor(
    ref: AccountRef,
    channel: ChannelId,
    own: readonly Subscription[],
    before: DailySummary | undefined,
    due: { readonly at: number; readonly dayBefore: number },
  ): Promise<DailyContent | undefined> {
    const channelOf = (campaign: CampaignId) =>
      (own.find((one) => one.campaign === campaign) ?? own.find((one) => one.campaign === undefined))
        ?.channel;
    const span = { from: countedFrom(before, due), until: due.at };
    const all = await audit.reviewCounts.between(ref, span.from, span.until);
    const counts = all.filter(({ campaign }) => channelOf(campaign) === channel);
    const [listed, reasons] = await Promise.all([
      context.campaigns.getMany(
        ref,
        counts.map(({ campaign }) => campaign),
      ),
      context.campaigns.reasons.all(ref),
    ]);
    const names = new Map(reasons.map(({ id, name }) => [id, name]));
    return dailyContent(
      span,
      counts,
      (campaign) => listed.get(campaign)?.paymentPerTask,
      (reason) => names.get(reason),
    );
  }

  return {
    message: dailyMessageKind(context),
    afterPoll: summarizeDue,
  };
}

/**
 * Returns the IANA zone for the daily summary of a channel: the subscriber's zone from Slack, else the marketplace's.
 * Channels subscribed by a setting use the marketplace's.
 * @param subscribed the account's subscriptions; the account's own or the earliest one counts first
 */
export async function channelZone(
  { people, marketplace }: Modules,
  { workspace }: Pick<AccountRef, 'workspace'>,
  channel: ChannelId,
  subscribed: readonly Subscription[],
): Promise<string> {
  const here = subscribed.filter((one) => one.channel === channel);
  const by = (here.find(({ campaign }) => campaign === undefined) ?? here[0])?.by;
  if (by === undefined) return marketplace.zone;
  const theirs = (await people.slack.person(workspace, by, { isFresh: false }))?.zone;
  return theirs !== undefined && IANAZone.create(theirs).isValid ? theirs : marketplace.zone;
}

/** Returns the message kind that mirrors a day's summary. */
function dailyMessageKind({ slack }: Modules): LiveMessageKind<DailySummary, ChannelId> {
  return {
    records: slack.dailySummaries,
    isForChannel: true,
    channelFor: async (_, { channel }) => channel,
    tagFor: ({ account }, { day }) => messageTag('daily', account, { day }),
    render({ account }, { content }) {
      if (content === undefined) throw new Error('a skipped day has no message');
      return dailyMessage(account, content);
    },
  };
}
