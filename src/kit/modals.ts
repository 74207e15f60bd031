import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { WorkspaceId } from '../domain/terms.ts';
import type { Click, Opener, OpenView } from '../slack/feature.ts';
import { type IsRefused, withoutFiles, withoutRefusedPictures } from '../slack/files.ts';
import { SlackError } from '../slack/slack-error.ts';
import { createCodec } from '../store/format.ts';
import type { Modules } from './modules.ts';

/** Delays while another click's update is in progress (ms). */
const pausesMs = [50, 150, 400];

/** Longer than two clicks can be apart when they arrive out of order. */
const lastUpdateSeconds = 60;
const lastUpdateCodec = createCodec('last update', z.object({ click: z.string(), hash: z.string() }));

/** Creates updates of open modals after clicks, which may arrive out of order. */
export function createModalUpdates({ jobs, slack, log }: Modules) {
  const nameOf = (viewId: string) => `drawn ${viewId}`;

  async function lastUpdate(workspace: WorkspaceId, viewId: string) {
    const stored = await jobs.expiringTexts.get(workspace, nameOf(viewId));
    const decoded = stored === undefined ? undefined : lastUpdateCodec.decode(stored);
    return decoded?.ok ? decoded.value : undefined;
  }

  /** Returns the view's new hash, or Slack's code when the view was closed or has changed since `hash`. */
  async function update(workspace: WorkspaceId, viewId: string, view: ModalView, hash?: string) {
    try {
      const messenger = slack.messengerOf(workspace);
      const updated = await withoutRefusedPictures(
        (isRefused) => withoutFiles(view, isRefused),
        (shown) => messenger.updateModal(viewId, shown, hash),
      );
      return { hash: updated.answer };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.info({ code: error.code, form: view.callback_id }, 'form not updated');
      return { code: error.code };
    }
  }

  /** Replaces the result of an earlier click, but never that of a later click or of another page. */
  async function replace({ id: click, workspace }: Click, open: OpenView, view: ModalView): Promise<void> {
    let { hash } = open;
    for (const pause of pausesMs) {
      const updated = await update(workspace, open.id, view, hash);
      if (updated.hash !== undefined) {
        const last = JSON.stringify({ click, hash: updated.hash });
        await jobs.expiringTexts.put(workspace, nameOf(open.id), last, lastUpdateSeconds);
      }
      if (updated.code !== 'hash_conflict') return;
      await delay(pause);
      const last = await lastUpdate(workspace, open.id);
      if (last !== undefined && last.click > click) return;
      hash = last?.hash ?? hash;
    }
  }

  return { replace };
}

const method = 'views.update';
/** Maximum wait for a view while Slack rate-limits all reviewers together (ms). */
const longestWaitMs = 8_000;
const maxTries = 4;

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
    async open({ open }: Pick<Opener, 'open'>, view: MakeView): Promise<string> {
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
