import type { Button } from '@slack/types';
import { AccountId, TaskId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';

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
