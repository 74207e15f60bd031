import type { Button } from '@slack/types';
import { AccountId, TaskId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';

/** Means the account of the member who clicks: Slack rejects empty values. */
const ownAccount = 'own';

/** Where the desk opens: the account, and the task that is shown first. */
interface DeskStart {
  readonly account?: AccountId;
  readonly task?: TaskId;
}

/** Returns the button that opens the desk, where there is one. */
export function deskButtons(
  hasDesk: boolean | undefined,
  { account = AccountId.parse(ownAccount), task }: DeskStart = {},
): Button[] {
  const value = [account, ...(task === undefined ? [] : [task])].join(' ');
  return hasDesk ? [button('Open the desk', 'desk.open', value)] : [];
}

/** Decodes the button's value. */
export function decodeDeskStart(value: string): DeskStart {
  const [account = ownAccount, task] = value.split(' ');
  return {
    ...(account === ownAccount ? {} : { account: AccountId.parse(account) }),
    ...(task === undefined ? {} : { task: TaskId.parse(task) }),
  };
}
