import { maxNoteLength, noteIn } from '../../domain/note.ts';
import { Forbidden } from '../../domain/permissions.ts';
import { lengthOf } from '../../domain/reason.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { NotConnected, UserError } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import type { Actor, Entries, NoteReply, ThreadReply } from '../../slack/feature.ts';
import { runEntry } from '../../slack/listeners.ts';
import { cardOfTag } from '../../slack/message-tags.ts';
import type { FoundThread } from '../../slack/messenger.ts';
import { writtenText } from '../../slack/mrkdwn.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { noteLeft, noteNotSaved, noteProblems } from './notes.view.ts';

export type ByReplyDeps = Modules & {
  /** Returns the text for an error that people can act on. */
  readonly explain: (error: unknown) => Message | undefined;
};

type Job = Payload<'thread-reply'>;

/**
 * Creates notes by replies in card threads, in channels that allow them. A job reads the current reply, and leaves, changes
 * or removes the note of its id: it acts once, however often the reply is delivered.
 */
export function createNotesByReply(deps: ByReplyDeps) {
  const { slack, channels, jobs, log, tasks } = deps;
  const acts = createNoteActs(deps);

  /** Queues a reply that is or was a note. Most are not, and cost no lookups. */
  async function threadReply({ texts, ...reply }: ThreadReply): Promise<void> {
    if (texts.every((text) => noteIn(writtenText(text).text) === undefined)) return;
    const { threads } = await channels.settings.get(reply.workspace, reply.channel);
    if (!threads) return;
    await jobs.add('thread-reply', reply, { uniqueKey: `${reply.channel} ${reply.ts}` });
  }

  /** Reads a reply, and the card of its thread; undefined if it cannot be read. */
  async function threadOf({ workspace, channel, thread, ts }: Job): Promise<FoundThread | undefined> {
    try {
      return await slack.callOf(workspace)({ method: 'conversations.replies', channel }, () =>
        slack.messengerOf(workspace).threadOf(channel, thread, ts),
      );
    } catch (error) {
      if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
      // The card was deleted with its thread, or the bot was removed.
      log.info({ channel, code: error.code }, 'reply not read');
      return undefined;
    }
  }

  /** Returns a reply's note for display, with mentions replaced by names. */
  async function noteOf({ workspace }: Job, source: string): Promise<string | undefined> {
    const { text, mentioned } = writtenText(source);
    const note = noteIn(text);
    if (!note) return note;
    const names = await Promise.all(
      mentioned.map(async (member) => {
        const person = await deps.people.slack.person(workspace, member, { isFresh: false });
        return [member, person?.name ?? member] as const;
      }),
    );
    return names.reduce((named, [member, name]) => named.replaceAll(`@${member}`, `@${name}`), note);
  }

  /** Leaves a note, or changes it to what its reply says now. Whoever wrote it is told unless it was there already. */
  async function leave(reply: NoteReply): Promise<void> {
    const { account, task, id, text } = reply;
    const ref = await reply.authorize({ account });
    const isThere = (await tasks.notes.of(ref, task)).some((note) => note.id === id);
    const problem = await acts.leave(reply, ref, task, { id, text });
    if (problem !== undefined) await reply.answer(noteNotSaved(problem));
    else if (!isThere) await reply.answer(noteLeft);
  }

  const replies = { note: { needs: 'note', run: leave } } satisfies Entries<NoteReply>;

  async function run(job: Job): Promise<JobEnd> {
    const { workspace, team, channel, thread, ts, member } = job;
    const wait = await deps.people.limits.take(workspace, member, 'replies');
    if (wait > 0) return { again: wait };
    const found = await threadOf(job);
    const card = found && cardOfTag(found.tag);
    if (card === undefined) return;
    const text = found?.text === undefined ? undefined : await noteOf(job, found.text);
    const { account, task } = card;
    const id = `reply-${channel}-${ts}`;
    const how = 'reply' as const;
    if (text === undefined)
      return void (await acts.remove({ member, how }, { workspace, account }, task, id));
    const answer = (message: Message) =>
      slack.messengerOf(workspace).answer({ member, channel, threadTs: thread }, message);
    try {
      const reply = { workspace, team, member, how, answer, account, task, id, text };
      await runEntry<NoteReply, void>(deps.people.access, replies.note, reply);
    } catch (error) {
      // A member without the right is told so privately; temporary errors are thrown.
      const isTheirs = error instanceof Forbidden || error instanceof NotConnected;
      const message = error instanceof UserError ? notice(error.message) : isTheirs && deps.explain(error);
      if (!message) throw error;
      await answer(message);
    }
  }

  return { replies, threadReply, jobs: { 'thread-reply': run } };
}

type Author = Pick<Actor, 'member' | 'how'>;

/** A note's text, and the key that it is left under once, however often it is delivered. */
interface NewNote {
  readonly id: string;
  readonly text: string;
}

/** Creates the note actions; each re-renders the card. */
export function createNoteActs({ slack, tasks, clock }: Modules) {
  async function redraw(ref: AccountRef, id: TaskId): Promise<void> {
    const task = await tasks.get(ref, id);
    if (task !== undefined) await slack.cards.clicked(ref, task);
  }

  return {
    /** Leaves a note, or changes their own one to this text. Returns why not. */
    async leave(
      { member: by, how }: Author,
      ref: AccountRef,
      task: TaskId,
      { id, text }: NewNote,
    ): Promise<string | undefined> {
      if (text === '') return noteProblems.empty;
      if (lengthOf(text) > maxNoteLength) return noteProblems.long;
      const outcome = await tasks.notes.leave(ref, task, { id, text, at: clock.now(), by, how });
      if (outcome === 'full' || outcome === 'unknown') return noteProblems[outcome];
      if (outcome === 'same') await tasks.notes.change(ref, task, id, text, { by, how });
      await redraw(ref, task);
      return undefined;
    },

    /** Removes a note. Resolves false if it is already gone, or somebody else's. */
    async remove({ member: by, how }: Author, ref: AccountRef, id: TaskId, note: string): Promise<boolean> {
      const isRemoved = await tasks.notes.remove(ref, id, note, { by, how });
      if (isRemoved) await redraw(ref, id);
      return isRemoved;
    },
  };
}
