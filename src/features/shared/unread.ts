import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/**
 * Returns how many inbox messages of an account are unread as of the last poll, where no channel gets them; nothing where one
 * does, or where the account is not polled.
 */
export async function unreadForHome(
  {
    announcements,
    routing,
    subscriptions,
  }: Pick<FeatureContext, 'announcements' | 'routing' | 'subscriptions'>,
  ref: AccountRef,
): Promise<{ readonly unread?: number }> {
  if ((await routing.forInbox(ref)) !== undefined) return {};
  if ((await subscriptions.ofAccount(ref)).length === 0) return {};
  return { unread: await announcements.unreadCount(ref) };
}
