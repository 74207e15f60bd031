import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';

/**
 * Returns the maximum number of an account's open cards in a channel; 0 means no limit. Accounts that share a channel
 * split its limit equally.
 */
export async function openCardsLimit(
  { channels }: Modules,
  { workspace }: AccountRef,
  channel: ChannelId,
): Promise<number> {
  const limit = (await channels.settings.get(workspace, channel)).openCards ?? channels.openCards;
  if (limit === 0) return 0;
  const here = await channels.subscriptions.ofChannel(workspace, channel);
  const accounts = new Set(here.map(({ account }) => account)).size;
  return Math.max(1, Math.floor(limit / Math.max(1, accounts)));
}
