import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/**
 * Returns the most open cards that an account may have in a channel at a time; 0 for any number. Accounts that share a
 * channel share its window, in equal parts.
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
