import type { Button, EntityMetadata } from '@slack/types';
import type { Task } from '../../domain/task.ts';
import { AccountId, TaskId } from '../../domain/terms.ts';
import { button, plainWords } from '../../slack/blocks.ts';

/** Where the desk opens: the account (absent: that of the member), and the task that is shown first. */
interface DeskStart {
  readonly account?: AccountId;
  readonly task?: TaskId;
}

/** Returns the button that opens the desk, where there is one. */
export function deskButtons(hasDesk: boolean | undefined, { account, task }: DeskStart = {}): Button[] {
  return hasDesk ? [button('Open the desk', 'desk.open', [account ?? 'own', task].join(' '))] : [];
}

/** Decodes the button's value. */
export function decodeDeskStart(value: string) {
  const [account, task] = value.split(' ');
  return {
    account: account === 'own' ? undefined : AccountId.parse(account),
    task: task ? TaskId.parse(task) : undefined,
  };
}

/**
 * Returns the entity of a task's card, which opens the desk beside it; undefined unless Slack may frame that.
 * @param ticket of whoever opens it; absent on the card, which everybody sees
 */
export function deskEntity(
  { url, isEmbedded }: { readonly url?: string; readonly isEmbedded?: boolean },
  shown: { readonly account: AccountId; readonly task: Pick<Task, 'id'>; readonly campaignTitle: string },
  ticket?: string,
): EntityMetadata | undefined {
  if (url === undefined || !isEmbedded) return undefined;
  const { account, task, campaignTitle } = shown;
  const frame = { is_supported: true, mime_type: 'application/vnd.slack-embed' };
  return {
    entity_type: 'slack#/entities/task',
    url: `${url}/desk/tasks/${encodeURIComponent(task.id)}`,
    external_ref: { id: [account, task.id].join(' ') },
    entity_payload: {
      attributes: {
        title: { text: plainWords(campaignTitle, 120) || 'Task' },
        full_size_preview: ticket === undefined ? frame : { ...frame, preview_url: `${url}/desk#${ticket}` },
      },
    },
  };
}
