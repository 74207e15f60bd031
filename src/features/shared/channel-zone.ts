import { IANAZone } from 'luxon';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { Modules } from '../modules.ts';

/**
 * Returns the IANA zone for the times in a channel's settings: the subscriber's zone from Slack, else the marketplace's.
 * Channels subscribed by a setting use the marketplace's.
 * @param subscribed the subscriptions of the account's channels; the account's own or the earliest one counts first
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
