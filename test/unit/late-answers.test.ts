import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { account, ben } from '../../gallery/samples/people.ts';
import { decision, task } from '../../gallery/samples/tasks.ts';
import { createLateAnswers } from '../../src/features/decide/index.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

/** Tells Ben about a click on a task that is in this state now. Returns what he reads. */
async function told(outcome: 'refused' | 'not opened', now = task(), failure?: Error): Promise<string[]> {
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
  await jobs['tell-click']({ ...about, verdict: outcome === 'refused' ? 'OK' : 'NOK', outcome });
  return read;
}

test('whoever may not rate is told, also if a colleague has decided since; whose form did not open, only if it still could', async () => {
  const decided = task({ decision: decision('waiting') });
  expect(await told('refused')).toEqual([expect.stringContaining('you can’t rate for this account')]);
  expect(await told('refused', decided)).toHaveLength(1);
  expect(await told('not opened')).toEqual([expect.stringContaining('Press NOK again on its card.')]);
  expect(await told('not opened', decided)).toEqual([]);
});

test('whom Slack cannot reach is not told; while Slack is away, it is tried again', async () => {
  const failing = (error: string) =>
    new SlackError('chat.postMessage', new WebAPIPlatformError({ ok: false, error } as never));
  expect(await told('refused', task(), failing('user_disabled'))).toEqual([]);
  await expect(told('refused', task(), failing('internal_error'))).rejects.toThrow('internal_error');
  await expect(told('refused', task(), failing('token_revoked'))).rejects.toThrow('token_revoked');
});
