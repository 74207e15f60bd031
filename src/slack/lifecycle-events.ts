import type { App } from '@slack/bolt';
import { z } from 'zod';
import { MemberId, WorkspaceId } from '../domain/terms.ts';
import type { EventRetry } from './event-retry.ts';
import type { Feature } from './feature.ts';

/** Events after which data must go: the app was removed from the workspace, or a member left it. */
export const lifecycleEvents = ['app_uninstalled', 'tokens_revoked', 'user_change'] as const;

export interface LifecycleParts {
  readonly features: readonly Pick<Feature, 'memberDeactivated'>[];
  /** Runs when Slack says that the app was removed, or that its bot token is no longer valid. */
  readonly onAppRemoved: () => Promise<void>;
  readonly retryEvent: EventRetry;
}

const Revoked = z.object({ tokens: z.object({ bot: z.array(z.string()).optional() }) });
const Changed = z.object({ user: z.object({ id: MemberId, deleted: z.boolean().optional() }) });

/**
 * Listens to these events. They may be delivered several times, and nothing is stored to notice that: what must go is gone
 * the second time.
 */
export function connectLifecycleEvents(app: App, { features, onAppRemoved, retryEvent }: LifecycleParts) {
  const removed = () => retryEvent('workspace', 'app removed', onAppRemoved);
  app.event('app_uninstalled', removed);
  app.event('tokens_revoked', async ({ event }) => {
    const revoked = Revoked.safeParse(event);
    // Tokens of people, which the app has none of, say nothing of the bot.
    if (revoked.success && (revoked.data.tokens.bot ?? []).length > 0) await removed();
  });
  const listeners = features.flatMap(({ memberDeactivated }) => memberDeactivated ?? []);
  app.event('user_change', async ({ body, event }) => {
    const changed = Changed.safeParse(event);
    if (!changed.success || changed.data.user.deleted !== true) return;
    const { id } = changed.data.user;
    const workspace = WorkspaceId.parse(body.team_id);
    for (const listener of listeners)
      await retryEvent(`member ${id}`, 'member deactivated', () => listener(workspace, id));
  });
}
