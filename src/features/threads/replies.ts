import { maxNoteLength } from '../../domain/note.ts';
import { lengthOf, maxComment } from '../../domain/reason.ts';
import type { Reply } from '../../domain/reply.ts';
import type { AccountRef, MemberId, TaskId, WorkspaceId } from '../../domain/terms.ts';
import { standingOf } from '../../domain/thread-answer.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, CardReply, Entries, ReplyAnswer } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { Decisions } from '../shared/decisions.ts';
import { createNoteActs } from '../shared/notes.ts';
import { createReasonOptions } from '../shared/reasons.ts';
import { threadAnswer } from '../shared/thread-answer.view.ts';
import {
  changedBeforeRead,
  mentionNotSent,
  noteLeft,
  noteNotChanged,
  noteNotLeft,
  questionNotSent,
  reasonMissingInReply,
  reasonTooLong,
} from './threads.view.ts';

export type ReplyDeps = Pick<
  FeatureContext,
  'briefs' | 'campaigns' | 'jobs' | 'messengerOf' | 'notes' | 'now' | 'reasons' | 'tasks' | 'timesToRate'
> & { readonly decisions: Decisions };

/** Creates the commands of replies: rate, or leave a note. */
export function createReplies(deps: ReplyDeps) {
  const { decisions, messengerOf, tasks } = deps;
  const notes = createNoteActs(deps);
  const { reasonOptions } = createReasonOptions(deps);

  /** Answers a command without its reason, for a task that can still be decided on. */
  async function withoutReason(
    { account, task: id, round, member: by }: CardReply,
    ref: AccountRef,
    { kind, verdict }: Extract<Reply, { kind: 'no reason' | 'question' }>,
  ): Promise<Message> {
    const about = { account, task: id, round };
    if (kind === 'question') return questionNotSent(about, { by, verdict });
    const task = await tasks.get(ref, id);
    const reasons = task === undefined ? [] : await reasonOptions(ref, task, verdict);
    return reasonMissingInReply(about, { by, verdict, reasons });
  }

  /** Returns why a reason cannot be sent; undefined if it can. */
  function problemOf({ member: by, written, isEdited }: CardReply, reason: string): Message | undefined {
    if (isEdited) return changedBeforeRead(by);
    if (written.mentioned.length > 0 || written.mentionsGroup) return mentionNotSent(by);
    const length = lengthOf(reason);
    return length > maxComment ? reasonTooLong(by, length, maxComment) : undefined;
  }

  async function rate(
    reply: CardReply,
    ref: AccountRef,
    { verdict, reason: comment }: Extract<Reply, { kind: 'rating' }>,
  ): Promise<ReplyAnswer | undefined> {
    const { member: by, task: id, round, id: decision } = reply;
    const problem = problemOf(reply, comment);
    if (problem !== undefined) return { message: problem };
    const said: Message[] = [];
    const listening = { ...reply, answer: async (message: Message) => void said.push(message) };
    const made = { verdict, comment, isOfMany: false };
    await decisions.decide(listening, { ref, task: id, round }, made, decision);
    const task = await tasks.get(ref, id);
    const shown = standingOf(task, decision);
    if (shown === 'over') return said[0] && { message: said[0] };
    const answer = threadAnswer({ account: ref.account, id, task, answer: { decision, by, verdict } });
    const more = said.flatMap((message) => message.blocks.filter(({ type }) => type === 'section'));
    const blocks = [...answer.blocks, ...more];
    return { message: { ...answer, blocks }, rated: { verdict, shown } };
  }

  /** Returns a note for display, with mentions replaced by names. */
  async function noteText(
    workspace: WorkspaceId,
    text: string,
    mentioned: readonly MemberId[],
  ): Promise<string> {
    const names = await Promise.all(
      mentioned.map(async (member) => [member, await messengerOf(workspace).memberName(member)] as const),
    );
    return names.reduce((named, [member, name]) => named.replaceAll(`@${member}`, `@${name}`), text);
  }

  async function leaveNote(reply: CardReply, ref: AccountRef, said: string): Promise<Message> {
    const { account, task, round, id, member: by, written } = reply;
    const text = await noteText(ref.workspace, said, written.mentioned);
    const length = lengthOf(text);
    if (length > maxNoteLength) return noteNotLeft(by, 'long', length);
    const outcome = await notes.leave(reply, ref, task, { id, text });
    if (outcome === 'full' || outcome === 'unknown') return noteNotLeft(by, outcome);
    return noteLeft({ account, task, round }, by, id);
  }

  async function run(reply: CardReply): Promise<ReplyAnswer | undefined> {
    const { asks, account, member } = reply;
    const ref = await reply.authorize({ account });
    switch (asks.kind) {
      case 'rating':
        return rate(reply, ref, asks);
      case 'no reason':
      case 'question':
        return { message: await withoutReason(reply, ref, asks) };
      case 'note':
        return { message: await leaveNote(reply, ref, asks.text) };
      case 'no text':
        return { message: noteNotLeft(member, 'empty') };
    }
  }

  return {
    /** Commands of replies, by their first word. */
    entries: {
      ok: { needs: 'rate', run },
      revise: { needs: 'rate', run },
      nok: { needs: 'rate', run },
      note: { needs: 'note', run },
    } satisfies Entries<CardReply, ReplyAnswer | undefined>,

    /**
     * Updates a reply's note to its current text; undefined if the reply was deleted, or is no note any more. Returns what to
     * tell its author if the text does not fit.
     */
    async noteFollows(
      actor: Pick<Actor, 'member' | 'how'>,
      ref: AccountRef,
      task: TaskId,
      {
        id,
        said,
        mentioned = [],
      }: {
        readonly id: string;
        readonly said?: string;
        readonly mentioned?: readonly MemberId[];
      },
    ): Promise<Message | undefined> {
      const text = said && (await noteText(ref.workspace, said, mentioned));
      if (text && lengthOf(text) > maxNoteLength) return noteNotChanged(actor.member, lengthOf(text));
      if (text) await notes.change(actor, ref, task, { id, text });
      else await notes.remove(actor, ref, task, id);
      return undefined;
    },

    removeNote: notes.remove,
  };
}
