import type { Button } from '@slack/types';
import type { AccountId, WorkerId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';
import { findState } from './find.view.ts';

/** Returns the button that finds all tasks of a worker. */
export function allTasksButton(account: AccountId, worker: WorkerId): Button {
  return button('All their tasks', 'find.worker', findState.encode({ account, text: worker, pages: [] }));
}
