import { maxNoteLength, maxNotes } from '../../domain/note.ts';
import type { AccountId, MemberId, TaskId, Verdict } from '../../domain/terms.ts';
import { actions, button, type Message, section } from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/card-block.ts';
import { inline, plain, user } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';
import type { OfferedReason } from '../shared/reasons.ts';

/** The action ids of the buttons in threads. */
export const threadActions = { reason: 'thread.reason', removeNote: 'thread.note.remove' } as const;

/** Maximum number of saved reasons named. */
const reasonsNamed = 5;

/** The task of an answer. */
export interface AboutTask {
  readonly account: AccountId;
  readonly task: TaskId;
  readonly round: number;
}

/** Returns the request for the missing reason of a NOK or REVISE, with the saved ones. */
export function reasonMissingInReply(
  { account, task, round }: AboutTask,
  {
    by,
    verdict,
    reasons,
  }: { readonly by: MemberId; readonly verdict: Verdict; readonly reasons: readonly OfferedReason[] },
): Message {
  const word = verdict.toLowerCase();
  const names = reasons.slice(0, reasonsNamed).map(({ name }) => inline(name, 75));
  const saved = names.length === 0 ? '' : ` Saved reasons: ${names.join(' · ')}.`;
  const text = `${user(by)}, nothing was rated yet: a *${verdict}* needs a reason, which the worker reads. Reply \`${word}:\` and the reason, or choose one.${saved}`;
  return withReasonButton(text, { account, task, round }, verdict);
}

/** Returns that a reply was not sent to the worker because it reads like a question to colleagues. */
export function questionNotSent(
  about: AboutTask,
  { by, verdict }: { readonly by: MemberId; readonly verdict: Verdict },
): Message {
  const text = `${user(by)}, nothing was rated: your reply ends with a question mark. If the worker is to read it, reply with a colon: \`${verdict.toLowerCase()}:\` and the question.`;
  return withReasonButton(text, about, verdict);
}

function withReasonButton(text: string, { account, task, round }: AboutTask, verdict: Verdict): Message {
  const choose = button(`Give a reason for ${verdict}`, threadActions.reason, `${verdict} ${task}`);
  return {
    text: plain(text),
    blocks: [section(text), actions(encodeCardBlock({ account, round }), [choose])],
  };
}

/** Returns the error for a reason that mentions somebody. */
export function mentionNotSent(by: MemberId): Message {
  return notice(
    `${user(by)}, nothing was rated: the worker reads the reason, and a mention of a colleague means nothing to them. Reply again without it.`,
  );
}

/** Returns the error for a reason that exceeds the limit. @param why what is too long about it */
export function reasonTooLong(by: MemberId, length: number, most: number): Message {
  const [is, can] = [length, most].map((count) => count.toLocaleString('en'));
  return notice(
    `${user(by)}, nothing was rated: the reason has ${is} characters, and can have ${can} at most. Reply again with a shorter one.`,
  );
}

/** Returns that a reply was changed before it was read. */
export function changedBeforeRead(by: MemberId): Message {
  return notice(
    `${user(by)}, nothing was rated: your reply was changed before Proofdesk read it. If it still holds, reply again.`,
  );
}

/** Returns the confirmation of a note, with the button that removes it. */
export function noteLeft({ account, task, round }: AboutTask, by: MemberId, id: string): Message {
  const text = `:memo: Note by ${user(by)} added to the card. The worker does not see it.`;
  const remove = button('Remove note', threadActions.removeNote, `${task} ${id}`);
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
    `${user(by)}, your note stays as it was: your reply now has ${length.toLocaleString('en')} characters, and a note can have ${maxNoteLength} at most. Shorten the reply.`,
  );
}

/** Returns why a note was not left. */
export function noteNotLeft(by: MemberId, why: 'empty' | 'long' | 'full' | 'unknown', length = 0): Message {
  const reasons: Readonly<Record<typeof why, string>> = {
    empty: 'Reply `note` and the note.',
    long: `It has ${length.toLocaleString('en')} characters, and can have ${maxNoteLength} at most. Reply again with a shorter one.`,
    full: `This task has ${maxNotes} notes already. Remove one of yours first: *More…* on the card.`,
    unknown: 'The details of this task are no longer stored.',
  };
  return notice(`${user(by)}, no note was left. ${reasons[why]}`);
}
