import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { account, ben } from '../../gallery/samples/people.ts';
import { decision, task } from '../../gallery/samples/tasks.ts';
import { createLateAnswer } from '../../src/features/decide/index.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

/** Tells Ben that he may not rate a task that is in this state now. Returns what he reads. */
async function told(now = task(), failure?: Error): Promise<string[]> {
  const read: string[] = [];
  const direct = async (_: unknown, { text }: { text: string }) => {
    if (failure) throw failure;
    read.push(text);
  };
  const modules = onlyModules({
    campaigns: { titleOf: async () => 'Shelf' },
    slack: {
      messengerOf: () => ({ direct }),
      callOf: () => async (_: unknown, run: () => Promise<void>) => run(),
      cards: { linkTo: async () => undefined },
    },
    tasks: { get: async () => now },
  });
  const tell = createLateAnswer(modules);
  await tell({ workspace: asId<never>('T1'), account, task: now.id, member: ben, verdict: 'OK' });
  return read;
}

test('whoever may not rate is told, also if a colleague has decided since', async () => {
  expect(await told()).toEqual([expect.stringContaining('you can’t rate for this account')]);
  expect(await told(task({ decision: decision('waiting') }))).toHaveLength(1);
});

test('whom Slack cannot reach is not told; while Slack is away, it is tried again', async () => {
  const failing = (error: string) =>
    new SlackError('chat.postMessage', new WebAPIPlatformError({ ok: false, error } as never));
  expect(await told(task(), failing('user_disabled'))).toEqual([]);
  await expect(told(task(), failing('internal_error'))).rejects.toThrow('internal_error');
  await expect(told(task(), failing('token_revoked'))).rejects.toThrow('token_revoked');
});
