import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { WorkspaceId } from '../../../domain/terms.ts';
import type { Click, OpenView } from '../../../slack/feature.ts';
import { SlackError } from '../../../slack/slack-error.ts';
import { createCodec } from '../../../store/codec.ts';
import type { Modules } from '../../modules.ts';

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
      return { hash: await slack.messengerOf(workspace).updateModal(viewId, view, hash) };
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

  return {
    replace,

    /**
     * Replaces a form with another draft of it. Slack keeps input values with matching ids, so a view without inputs is
     * shown in between.
     */
    async exchange(click: Click, open: OpenView, between: ModalView, view: ModalView): Promise<void> {
      const { hash } = await update(click.workspace, open.id, between);
      if (hash !== undefined) await replace(click, { ...open, hash }, view);
    },
  };
}
