import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { WorkspaceId } from '../../domain/terms.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from './context.ts';

const method = 'views.update';
/** Maximum wait for a view while Slack rate-limits all reviewers together (ms). */
const longestWaitMs = 8_000;
/** Maximum number of tries of a rate-limited view. */
const maxTries = 4;

/** Builds a view with the pictures Slack may refuse it for, or without them. */
export type MakeView = (withPictures: boolean) => ModalView;

/**
 * Creates the calls to views.* for reviews: updates keep to the rate limits shared by all processes, and pictures that
 * Slack refuses are left out.
 */
export function createPacedViews({
  logger,
  messengerOf,
  rateLimiter,
}: Pick<FeatureContext, 'logger' | 'messengerOf' | 'rateLimiter'>) {
  /** Waits for the method's rate limit, and retries when limited. */
  async function paced<T>(workspace: WorkspaceId, run: () => Promise<T>): Promise<T> {
    const call = { workspace, method };
    for (let tries = 1; ; tries++) {
      const { waitMs } = await rateLimiter.acquire(call);
      if (waitMs > 0) await delay(Math.min(waitMs, longestWaitMs));
      await rateLimiter.count(call);
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof SlackError) || error.kind !== 'rate-limited' || tries === maxTries)
          throw error;
        await rateLimiter.blockFor(call, error.retryAfterMs);
      }
    }
  }

  async function withoutRefusedPictures<T>(
    view: MakeView,
    run: (shown: ModalView) => Promise<T>,
  ): Promise<T> {
    try {
      return await run(view(true));
    } catch (error) {
      const isRefused = error instanceof SlackError && /^invalid_(arguments|blocks)$/.test(error.code);
      if (!isRefused) throw error;
      logger.info({ code: error.code }, 'view of a task refused, shown without its pictures');
      return run(view(false));
    }
  }

  return {
    /** Opens the modal of a review. Returns its id. */
    open: (workspace: WorkspaceId, triggerId: string, view: MakeView): Promise<string> =>
      withoutRefusedPictures(view, (shown) => messengerOf(workspace).openModal(triggerId, shown)),

    /** Updates the modal of a review, unless it was closed; a step that has begun determines the view's content. */
    async update(workspace: WorkspaceId, viewId: string, view: MakeView): Promise<void> {
      try {
        await paced(workspace, () =>
          withoutRefusedPictures(view, (shown) => messengerOf(workspace).updateModal(viewId, shown)),
        );
      } catch (error) {
        if (!(error instanceof SlackError) || error.code !== 'not_found') throw error;
      }
    },
  };
}
