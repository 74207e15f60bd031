import type { ModalView } from '@slack/types';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { onCard, onForm, onView } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { type ByReplyDeps, createNoteActs, createNotesByReply } from './by-reply.ts';
import { inputName, noteGone, notesModal, notesState, noteWasRemoved } from './notes.view.ts';

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
    added = 0,
    outcome?: string,
  ): Promise<ModalView> {
    const notes = await tasks.notes.of(ref, task);
    return notesModal({ account: ref.account, task, added, notes, member, outcome });
  }

  const add = onForm(notesState, 'note', async (submission) => {
    const { ref, state } = submission;
    const { task, added } = state;
    const name = inputName(added);
    const text = typed(submission.values, name);
    // The same submission, delivered twice, leaves one note.
    const problem = await acts.leave(submission, ref, task, { id: `form-${submission.id}-${added}`, text });
    if (problem !== undefined) return { errors: { [name]: problem } };
    return { update: await modalOf(ref, task, submission.member, added + 1) };
  });

  const remove = onView(notesState, 'note', async (click) => {
    const { ref, state, view, value, workspace, member } = click;
    const { task, added } = state;
    const isRemoved = await acts.remove(click, ref, task, value);
    const outcome = isRemoved ? noteWasRemoved : noteGone;
    await slack.messengerOf(workspace).updateModal(view.id, await modalOf(ref, task, member, added, outcome));
  });

  const feature: Feature = {
    clicks: {
      'task.more.notes': onCard(deps, 'note', async ({ ref, task, member, open }) =>
        open(await modalOf(ref, task.id, member)),
      ),
      'notes.remove': remove,
    },
    submissions: { 'notes.add': add },
    replies: byReply.replies,
    threadReply: byReply.threadReply,
  };

  return { feature, jobs: byReply.jobs, leave: acts.leave, modalOf };
}
