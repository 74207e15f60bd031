import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { WorkspaceId } from '../../domain/terms.ts';
import { type IsRefused, withoutRefusedPictures } from '../../slack/refused-pictures.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Modules } from '../modules.ts';

const method = 'views.update';
/** Maximum wait for a view while Slack rate-limits all reviewers together (ms). */
const longestWaitMs = 8_000;
/** Maximum number of tries of a rate-limited view. */
const maxTries = 4;

/** Builds a view without the pictures that Slack has refused. */
export type MakeView = (isRefused: IsRefused) => ModalView;

/**
 * Creates the calls to views.* for reviews: updates keep to the rate limits shared by all processes, and pictures that
 * Slack refuses are left out.
 */
export function createPacedViews({ slack }: Modules) {
  /** Waits for the method's rate limit, and retries when limited. */
  async function paced<T>(workspace: WorkspaceId, run: () => Promise<T>): Promise<T> {
    const call = { workspace, method };
    for (let tries = 1; ; tries++) {
      const waitMs = await slack.rateLimiter.acquire(call);
      if (waitMs > 0) await delay(Math.min(waitMs, longestWaitMs));
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof SlackError) || error.kind !== 'rate-limited' || tries === maxTries)
          throw error;
        await slack.rateLimiter.blockFor(call, error.retryAfterMs);
      }
    }
  }

  return {
    /** Opens the modal of a review. Returns its id. */
    async open(workspace: WorkspaceId, triggerId: string, view: MakeView): Promise<string> {
      const open = (shown: ModalView) => slack.messengerOf(workspace).openModal(triggerId, shown);
      return (await withoutRefusedPictures(view, open)).answer;
    },

    /** Updates the modal of a review, unless it was closed; a step that has begun determines the view's content. */
    async update(workspace: WorkspaceId, viewId: string, view: MakeView): Promise<void> {
      try {
        await paced(workspace, () =>
          withoutRefusedPictures(view, (shown) => slack.messengerOf(workspace).updateModal(viewId, shown)),
        );
      } catch (error) {
        if (!(error instanceof SlackError) || error.code !== 'not_found') throw error;
      }
    },
  };
}
