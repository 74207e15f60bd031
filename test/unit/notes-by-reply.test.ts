import { expect, test } from 'vitest';
import { createNotesByReply } from '../../src/features/notes/by-reply.ts';
import { cardTag } from '../../src/slack/message-tags.ts';
import type { FoundThread } from '../../src/slack/messenger.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/leases.ts';
import { createNotes } from '../../src/store/notes.ts';
import { eventually, gate } from '../harness/eventually.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const channel = asId<never>('C1');
const member = asId<never>('U1');

const redis = redisPerFile();

/** A thread in Slack, with the replies that ask for something. */
function createThread() {
  const answers = new Map<string, number>();
  const read = (ts: string): FoundThread => {
    const reply = { member, text: 'note' };
    return { tag: cardTag(ref.account, asId('t1'), 1), reply, isAnswered: answers.has(ts) };
  };
  return { answers, read };
}

interface Waiting {
  readonly beforePost: () => Promise<void>;
  readonly inPost: () => Promise<void>;
  readonly timeouts: Partial<Timeouts>;
}

/** One process that answers replies. @param beforePost what it waits for once it may post */
function processOf(
  thread: ReturnType<typeof createThread>,
  { beforePost, inPost, timeouts }: Partial<Waiting> = {},
) {
  const { jobs } = createNotesByReply({
    ...onlyModules({
      people: { access: { authorize: async () => ref }, limits: { take: async () => 0 } },
      slack: {
        callOf:
          () =>
          async ({ method }: { method: string }, run: () => Promise<unknown>) => {
            if (method === 'chat.postMessage') await beforePost?.();
            return run();
          },
        messengerOf: () => ({
          threadOf: async (_: string, __: string, ts: string) => thread.read(ts),
          post: async (_: string, __: unknown, { tag }: { tag: { payload: { reply: string } } }) => {
            await inPost?.();
            const { reply } = tag.payload;
            thread.answers.set(reply, (thread.answers.get(reply) ?? 0) + 1);
            return { channel, ts: `${reply}1` };
          },
        }),
      },
      tasks: { notes: createNotes(redis(), { apply: () => Promise.reject(new Error('unused')) }) },
      jobs: { timeouts: { ...defaultTimeouts, ...timeouts } },
      log: { info: () => undefined, warn: () => undefined },
    }),
  } as unknown as Parameters<typeof createNotesByReply>[0]);
  const reply = { workspace: ref.workspace, team: undefined, channel, thread: '1.1', member, isNew: true };
  return (ts: string) => jobs['thread-reply']({ ...reply, ts } as never);
}

test('a reply whose job another process has taken over meanwhile is answered once', async () => {
  const thread = createThread();
  const posting = gate();
  const first = processOf(thread, { inPost: posting.wait })('2.1');
  await posting.reached();
  const other = processOf(thread);
  expect(await other('2.1')).toHaveProperty('again');
  posting.open();
  await first;
  await other('2.1');
  expect(thread.answers.get('2.1')).toBe(1);
});

test('a process that was suspended before it answered sees that another one has', async () => {
  const thread = createThread();
  const suspended = gate();
  const timeouts = { renderLeaseMs: 50, lateArrivalMs: 50 };
  const first = processOf(thread, { beforePost: suspended.wait, timeouts })('3.1');
  await suspended.reached();
  const other = processOf(thread, { timeouts });
  await eventually('the other one answers', async () => {
    await other('3.1');
    return thread.answers.has('3.1');
  });
  suspended.open();
  expect(await first).toHaveProperty('again');
  expect(thread.answers.get('3.1')).toBe(1);
});
