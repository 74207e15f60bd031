import { expect, test } from 'vitest';
import { createTellLoss } from '../../src/features/reconcile/tell-loss.ts';
import { type JobContext, Reschedule } from '../../src/jobs/runner.ts';
import { createLogger } from '../../src/logger.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { asId } from '../harness/ids.ts';

const ref = { workspace: asId<never>('T1'), account: asId<never>('a1') };
const channel = asId<never>('C1');
const now = 1_700_000_000_000;
const noRightToRead = { kind: 'refused', code: 'missing_scope' };
const archived = { kind: 'refused', code: 'is_archived' };

/** One channel of Slack. `post` says how each post ends: it arrives with or without an answer, or is refused. */
function slack(ends: ('answered' | 'unanswered' | 'refused')[], mayRead = true) {
  const posted: { text: string; tag: unknown }[] = [];
  const messenger = {
    async findTagged(_: string, __: number, tag: unknown) {
      if (!mayRead) throw Object.assign(new SlackError('conversations.history', new Error()), noRightToRead);
      return posted.find((one) => JSON.stringify(one.tag) === JSON.stringify(tag));
    },
    async post(_: string, { text }: { text: string }, { tag }: { tag: unknown }) {
      const end = ends.shift();
      if (end !== 'refused') posted.push({ text, tag });
      if (end === 'unanswered') throw new SlackError('chat.postMessage', new Error('no answer'));
      if (end === 'refused') throw Object.assign(new SlackError('chat.postMessage', new Error()), archived);
      return { channel, ts: '1' };
    },
  };
  const { jobs } = createTellLoss({
    callSlackOf: () => Object.assign(async (_: unknown, run: () => unknown) => run(), {}) as never,
    logger: createLogger('silent', []),
    messengerOf: () => messenger as never,
    now: () => now,
    sharedChannels: { mayPost: async () => true } as never,
    subscriptions: { forNotices: async () => ({ channel }) } as never,
    timeouts: defaultTimeouts,
  });
  return {
    tell: (payload: Parameters<(typeof jobs)['tell-loss']>[0]) => jobs['tell-loss'](payload, atOnce),
    posted,
  };
}

const atOnce: JobContext = { slot: undefined };
const two = { ...ref, loss: 'epoch decisions', at: now, decisions: 2 };

test('what was lost is said once, also when nobody knows whether the post has arrived', async () => {
  const { tell, posted } = slack(['unanswered', 'answered']);
  await expect(tell(two)).rejects.toThrow(Reschedule);
  await tell(two);
  await tell({ ...ref, loss: 'epoch all', at: now });
  expect(posted.map(({ text }) => text)).toEqual([
    expect.stringContaining('2 decisions were lost'),
    expect.stringContaining('database was emptied'),
  ]);
});

test('a channel that cannot be posted to is waited for, for a day', async () => {
  const { tell, posted } = slack(['refused', 'refused', 'answered']);
  await expect(tell(two)).rejects.toThrow(Reschedule);
  await tell({ ...two, at: now - 86_400_000 });
  expect(posted).toEqual([]);
  await tell(two);
  expect(posted).toHaveLength(1);
});

test('a channel that may not be read is told all the same', async () => {
  const { tell, posted } = slack(['answered'], false);
  await tell(two);
  expect(posted).toHaveLength(1);
});
