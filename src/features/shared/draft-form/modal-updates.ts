import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { WorkspaceId } from '../../../domain/terms.ts';
import type { Click, OpenView } from '../../../slack/feature.ts';
import { SlackError } from '../../../slack/slack-error.ts';
import { createCodec } from '../../../store/codec.ts';
import type { FeatureContext } from '../context.ts';

/** How long to wait for the update that another click has under way. */
const pausesMs = [50, 150, 400];

/** Longer than any two clicks can overtake each other. */
const lastUpdateSeconds = 60;
const lastUpdateCodec = createCodec('last update', z.object({ click: z.string(), hash: z.string() }));

/** Updates open modals after clicks, which may overtake each other. */
export function createModalUpdates({
  expiringTexts,
  messengerOf,
  logger,
}: Pick<FeatureContext, 'expiringTexts' | 'messengerOf' | 'logger'>) {
  const nameOf = (viewId: string) => `drawn ${viewId}`;

  async function lastUpdate(workspace: WorkspaceId, viewId: string) {
    const stored = await expiringTexts.get(workspace, nameOf(viewId));
    const decoded = stored === undefined ? undefined : lastUpdateCodec.decode(stored);
    return decoded?.ok ? decoded.value : undefined;
  }

  /** Returns the view's new hash, or Slack's code when the view was closed or has changed since `hash`. */
  async function update(workspace: WorkspaceId, viewId: string, view: ModalView, hash?: string) {
    try {
      return { hash: await messengerOf(workspace).updateModal(viewId, view, hash) };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      logger.info({ code: error.code, form: view.callback_id }, 'form not updated');
      return { code: error.code };
    }
  }

  /** Replaces what an earlier click has shown, never what a later click or another page shows. */
  async function replace({ id: click, workspace }: Click, open: OpenView, view: ModalView): Promise<void> {
    let { hash } = open;
    for (const pause of pausesMs) {
      const updated = await update(workspace, open.id, view, hash);
      if (updated.hash !== undefined) {
        const last = JSON.stringify({ click, hash: updated.hash });
        await expiringTexts.put(workspace, nameOf(open.id), last, lastUpdateSeconds);
      }
      if (updated.code !== 'hash_conflict') return;
      await delay(pause);
      const last = await lastUpdate(workspace, open.id);
      if (last !== undefined && last.click > click) return;
      hash = last?.hash ?? hash;
    }
  }

  return {
    replace,

    /**
     * Replaces a form by another draft of it. Slack keeps what stands in inputs that are in both, so a view without
     * inputs is shown in between.
     */
    async exchange(click: Click, open: OpenView, between: ModalView, view: ModalView): Promise<void> {
      const { hash } = await update(click.workspace, open.id, between);
      if (hash !== undefined) await replace(click, { ...open, hash }, view);
    },
  };
}
