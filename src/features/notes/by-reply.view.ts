import { maxNoteLength, maxNotes } from '../../domain/note.ts';
import type { AccountId, MemberId, TaskId } from '../../domain/terms.ts';
import { actions, button, type Message, notice, section } from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/message-tags.ts';
import { plain, user } from '../../slack/mrkdwn.ts';
import { number } from '../../ui/words.ts';

/** The action id of the button that removes a note of a reply. */
export const removeAction = 'thread.note.remove';

/** Returns the confirmation of a note, with the button that removes it. */
export function noteLeft(
  { account, task, round }: { readonly account: AccountId; readonly task: TaskId; readonly round: number },
  by: MemberId,
  id: string,
): Message {
  const text = `:memo: Note by ${user(by)} added to the card. The worker does not see it.`;
  const remove = button('Remove note', removeAction, `${task} ${id}`);
  return {
    text: plain(text),
    blocks: [section(text), actions(encodeCardBlock({ account, round }), [remove])],
  };
}

/** Returns that a note was removed from its card. */
export function noteRemoved(by: MemberId): Message {
  return notice(`:memo: ${user(by)} removed this note.`);
}

export const noteNotYours = 'Only whoever left a note can remove it.';
export const noteGone = 'This note was removed already.';

/** Returns that a note keeps its text, because the changed reply is too long. */
export function noteNotChanged(by: MemberId, length: number): Message {
  return notice(
    `${user(by)}, your note stays as it was: your reply now has ${number(length)} characters, and a note can have ${maxNoteLength} at most. Shorten the reply.`,
  );
}

/** Returns why a note was not left. */
export function noteNotLeft(by: MemberId, why: 'empty' | 'long' | 'full' | 'unknown', length = 0): Message {
  const reasons: Readonly<Record<typeof why, string>> = {
    empty: 'Reply `note` and the note.',
    long: `It has ${number(length)} characters, and can have ${maxNoteLength} at most. Reply again with a shorter one.`,
    full: `This task has ${maxNotes} notes already. Remove one of yours first: *More…* on the card.`,
    unknown: 'The details of this task are no longer stored.',
  };
  return notice(`${user(by)}, no note was left. ${reasons[why]}`);
}
