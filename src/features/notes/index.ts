import type { ModalView } from '@slack/types';
import { maxNoteLength } from '../../domain/note.ts';
import { lengthOf } from '../../domain/reason.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { onCard, onForm, onView } from '../../kit/on.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { type ByReplyDeps, createNoteActs, createNotesByReply } from './by-reply.ts';
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
