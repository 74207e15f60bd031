import { z } from 'zod';
import type { OnEvent } from './event-listeners.ts';
import type { EventRetry } from './event-retry.ts';

/** Events after which all data must be deleted: the app was removed from the workspace. */
export const lifecycleEvents = ['app_uninstalled', 'tokens_revoked'] as const;

export interface LifecycleParts {
  /** Runs when Slack says that the app was removed, or that its bot token is no longer valid. */
  readonly onAppRemoved: () => Promise<void>;
  readonly retryEvent: EventRetry;
}

const Revoked = z.object({ tokens: z.object({ bot: z.array(z.string()).optional() }) });

/**
 * Registers listeners for these events. They may be delivered several times without deduplication: the second time, the data
 * are already deleted.
 */
export function connectLifecycleEvents(on: OnEvent, { onAppRemoved, retryEvent }: LifecycleParts) {
  const removed = async () => {
    await retryEvent('workspace', 'app removed', onAppRemoved);
  };
  on('app_uninstalled', removed);
  on('tokens_revoked', async ({ event }) => {
    const revoked = Revoked.safeParse(event);
    // Tokens of people, which the app does not have, say nothing about the bot.
    if (revoked.success && (revoked.data.tokens.bot ?? []).length > 0) await removed();
  });
}
