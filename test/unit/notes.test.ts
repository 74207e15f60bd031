import { expect, test, vi } from 'vitest';
import { maxNotes } from '../../src/domain/note.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { createNoteActs, createNotesByReply } from '../../src/features/notes/by-reply.ts';
import { cardTag } from '../../src/slack/message-tags.ts';
import type { FoundThread } from '../../src/slack/messenger.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/leases.ts';
import { createNotes } from '../../src/store/notes.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { eventually, gate } from '../harness/eventually.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules, testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { waitingRow } from '../harness/waiting-row.ts';
import { audited } from './audited.ts';

const id = asId<TaskId>('t1');
const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const clients = twoRedisClients();
const how = 'form';

/** Two processes, of which each has a store; one task is known. */
async function processes() {
  const tasks = createTasks(clients.first);
  const stores = [clients.first, clients.second].map((redis) => createNotes(redis, createTasks(redis)));
  await tasks.apply(ref, id, waitingRow(id, undefined, 1, { want: 'card' }));
  return { tasks, stores: stores as [ReturnType<typeof createNotes>, ReturnType<typeof createNotes>] };
}

const textOf = (index: number) => ({ id: `n${index}`, text: `note ${index}`, at: index, how }) as const;

const acts = async () => (await audited(clients.first, ref)).map(({ what, by }) => `${what} ${by}`);

test('notes on a task are shown by its card at once', async () => {
  const clicked = vi.fn(async () => undefined);
  const modules = testModules(clients.first, { slack: { cards: { clicked } } });
  const { task } = await modules.tasks.apply(ref, id, waitingRow(id));
  await createNoteActs(modules).leave({ member: ann, how }, ref, id, { id: 'n1', text: 'a note' });
  expect(clicked).toHaveBeenCalledExactlyOnceWith(ref, { ...task, notes: expect.anything(), revision: 2 });
});

test('notes on a task are bounded, however many are left at once; one that is left twice is left once', async () => {
  const { tasks, stores } = await processes();
  const outcomes = await Promise.all(
    Array.from({ length: 2 * (maxNotes + 5) }, (_, index) =>
      // Each note is delivered to both processes.
      stores[index % 2 === 0 ? 0 : 1].leave(ref, id, { ...textOf(Math.floor(index / 2)), by: ann }),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'left')).toHaveLength(maxNotes);
  expect(outcomes.filter((outcome) => outcome === 'same')).toHaveLength(maxNotes);
  expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(10);
  expect(await stores[0].of(ref, id)).toHaveLength(maxNotes);
  expect((await tasks.get(ref, id))?.notes).toHaveLength(maxNotes);
  expect(await acts()).toEqual(Array.from({ length: maxNotes }, () => 'leave note U1'));
  // Each of them is shown by the card.
  expect((await tasks.get(ref, id))?.revision).toBe(1 + maxNotes);
});

test('notes on a task are changed and removed by whoever left them, and by nobody else', async () => {
  const { tasks, stores } = await processes();
  const [notes] = stores;
  await notes.leave(ref, id, { ...textOf(1), by: ann });
  expect(await notes.change(ref, id, 'n1', 'mine now', { by: ben, how })).toBe(false);
  expect(await notes.remove(ref, id, 'n1', { by: ben, how })).toBe(false);
  expect(await notes.change(ref, id, 'n1', 'changed', { by: ann, how })).toBe(true);
  expect(await notes.change(ref, id, 'n1', 'changed', { by: ann, how })).toBe(false);
  expect((await notes.of(ref, id)).map(({ text }) => text)).toEqual(['changed']);
  const removed = await Promise.all(stores.map((one) => one.remove(ref, id, 'n1', { by: ann, how })));
  expect(removed.filter(Boolean)).toHaveLength(1);
  expect(await notes.of(ref, id)).toEqual([]);
  expect((await tasks.get(ref, id))?.notes).toBeUndefined();
  expect(await acts()).toEqual(['leave note U1', 'change note U1', 'remove note U1']);
});

const channel = asId<never>('C1');

/** A thread in Slack, with the replies that ask for something. */
function createThread() {
  const answers = new Map<string, number>();
  const read = (ts: string): FoundThread => {
    const reply = { member: ann, text: 'note' };
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
      tasks: { notes: createNotes(clients.first, { apply: () => Promise.reject(new Error('unused')) }) },
      jobs: { timeouts: { ...defaultTimeouts, ...timeouts } },
      log: { info: () => undefined, warn: () => undefined },
    }),
  } as unknown as Parameters<typeof createNotesByReply>[0]);
  const reply = {
    workspace: ref.workspace,
    team: undefined,
    channel,
    thread: '1.1',
    member: ann,
    isNew: true,
  };
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
