import { IANAZone } from 'luxon';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { FeatureContext } from './context.ts';

/**
 * Returns the zone (IANA) in which the times of a channel's settings are meant: that of whoever subscribed it, as Slack tells,
 * else the marketplace's. A channel that a setting subscribed has the marketplace's.
 * @param subscribed what the account's channels get, the account's own subscription or the earliest counting first
 */
export async function channelZone(
  { slackPeople, zone }: Pick<FeatureContext, 'slackPeople' | 'zone'>,
  { workspace }: Pick<AccountRef, 'workspace'>,
  channel: ChannelId,
  subscribed: readonly Subscription[],
): Promise<string> {
  const here = subscribed.filter((one) => one.channel === channel);
  const by = (here.find(({ campaign }) => campaign === undefined) ?? here[0])?.by;
  if (by === undefined) return zone;
  const theirs = (await slackPeople.person(workspace, by, { isFresh: false }))?.zone;
  return theirs !== undefined && IANAZone.create(theirs).isValid ? theirs : zone;
}
