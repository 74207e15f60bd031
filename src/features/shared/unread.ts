import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/**
 * Returns an account's unread inbox messages as of the last poll, if no channel receives them or that channel is lost;
 * nothing if one does, or if the account is not polled.
 */
export async function unreadForHome(
  {
    announcements,
    lostChannels,
    routing,
    subscriptions,
  }: Pick<FeatureContext, 'announcements' | 'lostChannels' | 'routing' | 'subscriptions'>,
  ref: AccountRef,
): Promise<{ readonly unread?: number }> {
  const channel = await routing.forInbox(ref);
  if (channel !== undefined && (await lostChannels.get(ref.workspace, channel)) === undefined) return {};
  if ((await subscriptions.ofAccount(ref)).length === 0) return {};
  return { unread: await announcements.unreadCount(ref) };
}
