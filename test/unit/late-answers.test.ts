import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { account, ben } from '../../gallery/samples/people.ts';
import { decision, task } from '../../gallery/samples/tasks.ts';
import { createLateAnswers } from '../../src/features/decide/index.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

/** Tells Ben about a click on a task that is in this state now. Returns what he reads. */
async function told(now = task(), failure?: Error): Promise<string[]> {
  const read: string[] = [];
  const direct = async (_: unknown, { text }: { text: string }) => {
    if (failure) throw failure;
    read.push(text);
  };
  const { jobs } = createLateAnswers(
    onlyModules({
      campaigns: { titleOf: async () => 'Shelf' },
      slack: {
        messengerOf: () => ({ direct }),
        callOf: () => async (_: unknown, run: () => Promise<void>) => run(),
        cards: { linkTo: async () => undefined },
      },
      tasks: { get: async () => now },
    }),
  );
  const about = { workspace: asId<never>('T1'), account, task: now.id, member: ben } as const;
  await jobs['tell-click']({ ...about, verdict: 'NOK' });
  return read;
}

test('whose click could not be answered is told to press it again, but only while the task can still be rated', async () => {
  expect(await told()).toEqual([expect.stringContaining('Press NOK again on its card.')]);
  expect(await told(task({ decision: decision('waiting') }))).toEqual([]);
});

test('whom Slack cannot reach is not told; while Slack is away, it is tried again', async () => {
  const failing = (error: string) =>
    new SlackError('chat.postMessage', new WebAPIPlatformError({ ok: false, error } as never));
  expect(await told(task(), failing('user_disabled'))).toEqual([]);
  await expect(told(task(), failing('internal_error'))).rejects.toThrow('internal_error');
  await expect(told(task(), failing('token_revoked'))).rejects.toThrow('token_revoked');
});
