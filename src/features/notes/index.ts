import type { ModalView } from '@slack/types';
import { maxNoteLength } from '../../domain/note.ts';
import { lengthOf } from '../../domain/reason.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onForm, onView } from '../../kit/on.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import type { NoteOutcome } from '../../store/notes.ts';
import { type ByReplyDeps, createNotesByReply } from './by-reply.ts';
import {
  inputName,
  noteEmpty,
  noteGone,
  noteLong,
  notesFull,
  notesGone,
  notesModal,
  notesState,
  noteWasRemoved,
} from './notes.view.ts';

/** Creates the notes on tasks: a modal that shows them, adds one, and removes one's own; and replies that leave one. */
export function createNotesFeature(deps: ByReplyDeps) {
  const { slack, tasks } = deps;
  const acts = createNoteActs(deps);
  const byReply = createNotesByReply(deps);

  /** Returns the modal with a task's notes, as a member sees it. */
  async function modalOf(
    ref: AccountRef,
    task: TaskId,
    member: MemberId,
    { added = 0, outcome }: { readonly added?: number; readonly outcome?: string } = {},
  ): Promise<ModalView> {
    const said = outcome === undefined ? {} : { outcome };
    return notesModal({
      account: ref.account,
      task,
      added,
      notes: await tasks.notes.of(ref, task),
      member,
      ...said,
    });
  }

  /** Leaves a note, once per id. Returns why it was not left. */
  async function leave(
    author: Pick<Actor, 'member' | 'how'>,
    ref: AccountRef,
    task: TaskId,
    note: { readonly id: string; readonly text: string },
  ): Promise<string | undefined> {
    if (note.text === '') return noteEmpty;
    if (lengthOf(note.text) > maxNoteLength) return noteLong;
    const outcome = await acts.leave(author, ref, task, note);
    return { left: undefined, same: undefined, full: notesFull, unknown: notesGone }[outcome];
  }

  const add = onForm(notesState, 'note', async (submission) => {
    const { ref, state } = submission;
    const { task, added } = state;
    const name = inputName(added);
    const text = typed(submission.values, name);
    // The same submission, delivered twice, leaves one note.
    const problem = await leave(submission, ref, task, { id: `form-${submission.id}-${added}`, text });
    if (problem !== undefined) return { errors: { [name]: problem } };
    return { update: await modalOf(ref, task, submission.member, { added: added + 1 }) };
  });

  const remove = onView(notesState, 'note', async (click) => {
    const { ref, state, view, value, workspace, member } = click;
    const { task, added } = state;
    const isRemoved = await acts.remove(click, ref, task, value);
    const outcome = isRemoved ? noteWasRemoved : noteGone;
    await slack
      .messengerOf(workspace)
      .updateModal(view.id, await modalOf(ref, task, member, { added, outcome }));
  });

  const feature: Feature = {
    clicks: {
      'task.more.notes': onCard(deps, 'note', async ({ ref, task, member, open }) =>
        open(await modalOf(ref, task.id, member)),
      ),
      'notes.remove': remove,
      'thread.note.remove': byReply.remove,
    },
    submissions: { 'notes.add': add },
    replies: byReply.replies,
    threadReply: byReply.threadReply,
  };

  return { feature, jobs: byReply.jobs, leave, modalOf };
}

type Author = Pick<Actor, 'member' | 'how'>;

/** A note's text, and the key that it is left under once, however often it is delivered. */
interface NewNote {
  readonly id: string;
  readonly text: string;
}

/** Creates the note actions; each re-renders the card. */
export function createNoteActs({ slack, tasks, clock }: Modules) {
  async function redraw(ref: AccountRef, id: TaskId): Promise<true> {
    const task = await tasks.get(ref, id);
    if (task !== undefined) await slack.cards.clicked(ref, task);
    return true;
  }

  return {
    async leave(
      { member: by, how }: Author,
      ref: AccountRef,
      id: TaskId,
      note: NewNote,
    ): Promise<NoteOutcome> {
      const outcome = await tasks.notes.leave(ref, id, { ...note, at: clock.now(), by, how });
      if (outcome === 'left' || outcome === 'same') await redraw(ref, id);
      return outcome;
    },

    /** Changes a note's text, unless it is gone, somebody else's, or unchanged. */
    async change({ member: by, how }: Author, ref: AccountRef, id: TaskId, note: NewNote): Promise<void> {
      if (await tasks.notes.change(ref, id, note.id, note.text, { by, how })) await redraw(ref, id);
    },

    /** Removes a note. Resolves false if it is already gone, or somebody else's. */
    async remove({ member: by, how }: Author, ref: AccountRef, id: TaskId, note: string): Promise<boolean> {
      return (await tasks.notes.remove(ref, id, note, { by, how })) && redraw(ref, id);
    },
  };
}
