import {
  type ChannelKind,
  type ChannelSettings,
  channelKinds,
  defaultDailyAt,
} from '../../domain/channel-settings.ts';
import type { MemberId } from '../../domain/terms.ts';
import { user } from '../../slack/mrkdwn.ts';

/** Kinds that can be muted, in words for the middle of a sentence. */
export const kindWords: Readonly<Record<ChannelKind, string>> = {
  digest: 'what waits, counted',
  daily: 'the daily summary',
  inbox: 'inbox messages',
  campaigns: 'campaigns that finish, pause or are blocked',
  reminders: 'reminders of tasks that are due soon',
};

/** Returns a channel's settings, in a few words each. @param zone of the time of day (IANA) */
export function settingsWords(settings: ChannelSettings, zone: string): string[] {
  const { openCards, threads = false, dailyAt = defaultDailyAt, muted } = settings;
  return [
    openCards === undefined
      ? 'as many open cards as set for all channels'
      : openCards === 0
        ? 'no limit of open cards'
        : `at most ${openCards} open ${openCards === 1 ? 'card' : 'cards'}`,
    `replies in threads leave ${threads ? 'notes' : 'no notes'}`,
    ...(muted.includes('daily') ? [] : [`daily summary at ${dailyAt} (${zone})`]),
  ];
}

/** Returns the muted kinds, as a sentence; '' if there are none. */
export function mutedWords({ muted }: ChannelSettings): string {
  return muted.length === 0 ? '' : `Muted: ${listOf(channelKinds.filter((kind) => muted.includes(kind)))}.`;
}

/** Returns the notice to a channel about changed muting; undefined if nothing changed. */
export function muteNotice(
  by: MemberId,
  before: ChannelSettings,
  after: ChannelSettings,
): string | undefined {
  const muted = channelKinds.filter((kind) => !before.muted.includes(kind) && after.muted.includes(kind));
  const back = channelKinds.filter((kind) => before.muted.includes(kind) && !after.muted.includes(kind));
  const said = [
    ...(muted.length > 0 ? [`muted ${listOf(muted)} in this channel`] : []),
    ...(back.length > 0 ? [`turned ${listOf(back)} on again in this channel`] : []),
  ];
  if (said.length === 0) return undefined;
  return `${user(by)} ${said.join(', and ')}. To change it, type \`/proofdesk subscriptions\`.`;
}

function listOf(kinds: readonly ChannelKind[]): string {
  return kinds.map((kind) => kindWords[kind]).join('; ');
}
