import { expect, test } from 'vitest';
import {
  type AccountId,
  type AccountRef,
  CampaignId,
  TaskId,
  type WorkspaceId,
} from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';

/** What a store or a job takes; each wrong call below has to fail to compile. */
const claimOnce = (workspace: WorkspaceId, name: string): string => `${workspace} ${name}`;
const keyOf = ({ workspace, account }: AccountRef, task: TaskId): string => `${workspace} ${account} ${task}`;

test('an id of one kind, or a plain text, is not taken for an id of another', () => {
  const workspace = asId<WorkspaceId>('T1');
  const account = asId<AccountId>('a1');
  expect(claimOnce(workspace, 'backlog')).toBe('T1 backlog');
  expect(keyOf({ workspace, account }, TaskId.parse('t1'))).toBe('T1 a1 t1');

  // @ts-expect-error: a plain text is no workspace
  claimOnce('backlog', 'id');
  // @ts-expect-error: an account is no workspace
  claimOnce(account, 'id');
  // @ts-expect-error: workspace and account are in each other's place
  keyOf({ workspace: account, account: workspace }, TaskId.parse('t1'));
  // @ts-expect-error: a campaign is no task
  keyOf({ workspace, account }, CampaignId.parse('c1'));
});

test('an id is the text that it was made of', () => {
  expect(JSON.stringify({ task: TaskId.parse('12e5') })).toBe('{"task":"12e5"}');
  expect(TaskId.safeParse(125).success).toBe(false);
});
