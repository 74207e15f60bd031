import { expect, test, vi } from 'vitest';
import { maxNotes } from '../../src/domain/note.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { createNoteActs } from '../../src/features/notes/by-reply.ts';
import { createNotes } from '../../src/store/notes.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
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
