import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/**
 * Returns how many inbox messages of an account are unread as of the last poll, where no channel gets them, or that one is lost;
 * nothing where one does, or where the account is not polled.
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
