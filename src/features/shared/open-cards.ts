import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/**
 * Returns the maximum number of an account's open cards in a channel; 0 means no limit. Accounts that share a channel
 * split its limit equally.
 */
export async function openCardsLimit(
  { channelSettings, openCards, subscriptions }: OpenCardsParts,
  { workspace }: AccountRef,
  channel: ChannelId,
): Promise<number> {
  const limit = (await channelSettings.get(workspace, channel)).openCards ?? openCards;
  if (limit === 0) return 0;
  const here = await subscriptions.ofChannel(workspace, channel);
  const accounts = new Set(here.map(({ account }) => account)).size;
  return Math.max(1, Math.floor(limit / Math.max(1, accounts)));
}

type OpenCardsParts = Pick<FeatureContext, 'channelSettings' | 'openCards' | 'subscriptions'>;
