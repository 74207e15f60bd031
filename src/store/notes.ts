import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ActedBy } from '../domain/audit.ts';
import type { Op } from '../domain/index-changes.ts';
import { Note } from '../domain/note.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, type MemberId, TaskId, type WorkspaceId } from '../domain/terms.ts';
import { accountKey, createCodec } from './format.ts';
import { keysOfAccounts } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';
import type { Tasks } from './tasks.ts';

export const noteCodec = createCodec('note', Note);

/** A note as shown. */
export interface StoredNote extends Note {
  readonly id: string;
}

/** Who leaves, changes or removes a note, and how. */
export interface By {
  readonly by: MemberId;
  readonly how: ActedBy;
}

/**
 * Result of leaving a note: `left`, or it was there already (`same`) · `full`: the task has the maximum number · `unknown`:
 * the task is unknown, or its details are no longer stored.
 */
export type NoteOutcome = 'left' | 'same' | 'full' | 'unknown';

/** A note removed together with its author's data. */
export interface ErasedNote {
  readonly ref: AccountRef;
  readonly task: TaskId;
}

/**
 * Creates the store of notes: a hash per task, by note id. Notes change in the same step as the task's record, which has
 * their ids and bounds their number, and whose card shows them.
 */
export function createNotes(redis: Redis, tasks: Pick<Tasks, 'apply'>, logger?: ErrorLogger) {
  const key = ([ref, task]: readonly [AccountRef, TaskId]) => accountKey(ref, 'notes', task);
  const put = (task: TaskId, id: string, note: z.infer<typeof Note>): Op => ({
    run: 'HSET',
    key: `notes:${task}`,
    args: [id, noteCodec.encode(note)],
  });
  const stored = createStoredHash(redis, { codec: noteCodec, field: z.string(), key }, logger);

  async function all(ref: AccountRef, task: TaskId): Promise<StoredNote[]> {
    const notes = [...(await stored.all([ref, task]))].map(([id, note]) => ({ id, ...note }));
    return notes.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  }

  async function remove(ref: AccountRef, task: TaskId, id: string, actor: By): Promise<boolean> {
    const event = { type: 'note-removed', note: id, ...actor } as const;
    const { kind } = await tasks.apply(ref, task, event, [{ run: 'HDEL', key: `notes:${task}`, args: [id] }]);
    // The record was lost or recreated: the note is on no card, and is deleted anyway.
    if (kind !== 'done') await redis.hdel(key([ref, task]), id);
    return kind === 'done';
  }

  return {
    /** Returns the notes on a task, newest first. */
    of: all,

    /** Returns the notes on a task whose record is at hand, without reading anything if it has none. */
    async on(ref: AccountRef, { id, notes }: Pick<Task, 'id' | 'notes'>): Promise<StoredNote[]> {
      return notes === undefined ? [] : all(ref, id);
    },

    /** Leaves a note, once per id. */
    async leave(
      ref: AccountRef,
      task: TaskId,
      { id, text, at, by, how }: By & { readonly id: string; readonly text: string; readonly at: number },
    ): Promise<NoteOutcome> {
      const also = [put(task, id, { by, at, text })];
      const outcome = await tasks.apply(ref, task, { type: 'note-left', note: id, by, how }, also);
      if (outcome.kind === 'done') return 'left';
      if (outcome.kind === 'same') return 'same';
      const isKnown = outcome.task !== undefined && outcome.task.detailsRemovedAt === undefined;
      return isKnown ? 'full' : 'unknown';
    },

    /** Changes the text of a note. Resolves to false when it is gone, or has this text already. */
    async change(ref: AccountRef, task: TaskId, id: string, text: string, actor: By): Promise<boolean> {
      const before = await stored.get([ref, task], id);
      if (before === undefined || before.by !== actor.by || before.text === text) return false;
      const also = [put(task, id, { ...before, text })];
      const { kind } = await tasks.apply(ref, task, { type: 'note-changed', note: id, ...actor }, also);
      return kind === 'done';
    },

    /** Removes a member's note. Resolves to false when it is already gone, or somebody else's. */
    async remove(ref: AccountRef, task: TaskId, id: string, actor: By): Promise<boolean> {
      const note = await stored.get([ref, task], id);
      return note !== undefined && note.by === actor.by && remove(ref, task, id, actor);
    },

    /** Removes all notes on a task whose details are no longer stored. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.unlink(key([ref, task]));
    },

    /** Removes a member's notes in all accounts of the workspace. Returns their tasks, one for each note. */
    async eraseOf(workspace: WorkspaceId, member: MemberId): Promise<ErasedNote[]> {
      const erased: ErasedNote[] = [];
      for await (const { ref, id } of keysOfAccounts(redis, workspace, 'notes')) {
        const task = TaskId.parse(id);
        for (const note of await all(ref, task)) {
          if (note.by !== member) continue;
          await remove(ref, task, note.id, { by: member, how: 'job' });
          erased.push({ ref, task });
        }
      }
      return erased;
    },
  };
}
