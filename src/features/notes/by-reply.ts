import { maxNoteLength, noteIn } from '../../domain/note.ts';
import { Forbidden } from '../../domain/permissions.ts';
import { lengthOf } from '../../domain/reason.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { NotConnected, UserError } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Again, JobEnd } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard } from '../../kit/on.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import type { CallSlack } from '../../slack/client.ts';
import type { Actor, Entries, NoteReply, ThreadReply } from '../../slack/feature.ts';
import { runEntry } from '../../slack/listeners.ts';
import { cardOfTag } from '../../slack/message-tags.ts';
import { type FoundThread, replyTag } from '../../slack/messenger.ts';
import { writtenText } from '../../slack/mrkdwn.ts';
import { mayArriveLate, SlackError } from '../../slack/slack-error.ts';
import type { Lease } from '../../store/leases.ts';
import { noteGone, noteLeft, noteNotSaved, noteNotYours, noteProblems, noteRemoved } from './notes.view.ts';

export type ByReplyDeps = Modules & {
  /** Returns the text for an error that people can act on. */
  readonly explain: (error: unknown) => Message | undefined;
};

type Job = Payload<'thread-reply'>;

/** Retry delay while another job answers the same reply (ms). */
const otherJobMs = 1_000;

/** The card whose thread contains a reply. */
interface Card {
  readonly ref: AccountRef;
  readonly task: TaskId;
  readonly round: number;
}

/**
 * Creates notes by replies in card threads, in channels that allow them. A job reads the current reply, so that a deleted
 * one does nothing, and finds the bot's answer in the thread if it was handled: it acts once, however often it is
 * delivered. Only the holder of the reply's lease answers it, because two jobs that read the thread at once would not see
 * each other's answer.
 */
export function createNotesByReply(deps: ByReplyDeps) {
  const { slack, channels, jobs, log, tasks } = deps;
  const acts = createNoteActs(deps);

  /** Queues a reply that is or was a note. Most are not, and cost no lookups. */
  async function threadReply({ change, texts, ...reply }: ThreadReply): Promise<void> {
    if (texts.every((text) => noteIn(writtenText(text).text) === undefined)) return;
    const { threads } = await channels.settings.get(reply.workspace, reply.channel);
    if (!threads) return;
    const isNew = change === 'new';
    const uniqueKey = `${reply.channel} ${reply.ts} ${isNew ? 'new' : 'changed'}`;
    await jobs.add('thread-reply', { ...reply, isNew }, { uniqueKey });
  }

  /** Reads a reply, and the card of its thread; undefined if it cannot be read. */
  async function threadOf({ workspace, channel, thread, ts }: Job, callSlack: CallSlack) {
    try {
      return await callSlack({ method: 'conversations.replies', channel }, () =>
        slack.messengerOf(workspace).threadOf(channel, thread, ts),
      );
    } catch (error) {
      if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
      // The card was deleted with its thread, or the bot was removed.
      log.info({ channel, code: error.code }, 'reply not read');
      return undefined;
    }
  }

  function cardOf({ workspace }: Job, { tag }: FoundThread): Card | undefined {
    const found = cardOfTag(tag);
    return found && { ref: { workspace, account: found.account }, task: found.task, round: found.round };
  }

  /**
   * Posts in the thread, if the channel accepts it.
   * @param lease kept until the post is certainly visible in the thread
   */
  async function post(
    { workspace, channel, thread, ts }: Job,
    message: Message,
    callSlack: CallSlack,
    lease: Lease,
  ): Promise<Again | undefined> {
    try {
      const isHeld = await callSlack({ method: 'chat.postMessage', channel }, async () => {
        // This job may have been suspended, and Redis may have a new primary that does not know the lease.
        if (!(await lease.renew())) return false;
        await slack.messengerOf(workspace).post(channel, message, { threadTs: thread, tag: replyTag(ts) });
        return true;
      });
      if (!isHeld) return { again: otherJobMs };
      await lease.releaseAfter(jobs.timeouts.lateArrivalMs);
      return undefined;
    } catch (error) {
      // By the next attempt, a successful post is visible in the thread.
      if (mayArriveLate(error)) {
        await lease.releaseAfter(jobs.timeouts.lateArrivalMs);
        return { again: jobs.timeouts.lateArrivalMs };
      }
      if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
      log.warn({ channel, code: error.code }, 'reply not answered');
      return undefined;
    }
  }

  /** Returns a reply's note for display, with mentions replaced by names. */
  async function noteOf(
    { workspace }: Pick<Job, 'workspace'>,
    source: string | undefined,
  ): Promise<string | undefined> {
    const { text, mentioned } = writtenText(source ?? '');
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

  async function leave(reply: NoteReply): Promise<Message> {
    const { account, task, round, id, member: by, text } = reply;
    const ref = await reply.authorize({ account });
    const problem = await acts.leave(reply, ref, task, { id, text });
    return problem ? noteNotSaved(by, problem) : noteLeft({ account, task, round }, by, id);
  }

  const replies = { note: { needs: 'note', run: leave } } satisfies Entries<NoteReply, Message>;

  const answererOf =
    ({ workspace, member, channel, thread }: Job) =>
    (message: Message): Promise<void> =>
      slack.messengerOf(workspace).answer({ member, channel, threadTs: thread }, message);

  /** Leaves a note. A member without the right is told so privately; temporary errors are thrown. */
  async function leaveFor(job: Job, card: Card, id: string, text: string): Promise<Message | undefined> {
    const { workspace, team, member } = job;
    const { ref, task, round } = card;
    const answer = answererOf(job);
    try {
      return await runEntry<NoteReply, Message>(deps.people.access, replies.note, {
        ...{ workspace, team, member, how: 'reply', answer },
        ...{ account: ref.account, task, round, id, text },
      });
    } catch (error) {
      const isTheirs = error instanceof Forbidden || error instanceof NotConnected;
      const message = error instanceof UserError ? notice(error.message) : isTheirs && deps.explain(error);
      if (!message) throw error;
      await answer(message);
      return undefined;
    }
  }

  /** Updates a note to its reply's current text; removes it if the reply was deleted, or is no note any more. */
  async function follow(
    { ref, task }: Card,
    member: MemberId,
    id: string,
    text: string | undefined,
  ): Promise<Message | undefined> {
    const actor = { member, how: 'reply' } as const;
    if (text) {
      const problem = await acts.change(actor, ref, task, { id, text });
      return problem ? noteNotSaved(member, problem) : undefined;
    }
    await acts.remove(actor, ref, task, id);
    return undefined;
  }

  async function run(job: Job): Promise<JobEnd> {
    const { workspace, channel, ts, member, isNew } = job;
    const wait = await deps.people.limits.take(workspace, member, 'replies');
    if (wait > 0) return { again: wait };
    const callSlack = slack.callOf(workspace);
    const readAt = performance.now();
    const found = await threadOf(job, callSlack);
    const card = found && cardOf(job, found);
    if (found === undefined || card === undefined) return;
    const text = await noteOf(job, found.reply?.text);
    const id = `reply-${channel}-${ts}`;
    if (!isNew) {
      const problem = await follow(card, member, id, text);
      if (problem) await answererOf(job)(problem);
      return;
    }
    if (text === undefined || found.reply?.member !== member || found.isAnswered) return;
    const lease = await tasks.notes.answerLease(card.ref, id, jobs.timeouts.renderLeaseMs);
    if (lease === undefined) return { again: otherJobMs };
    try {
      // The previous lease holder may have answered since the thread was read, and keeps the lease for that long.
      if (performance.now() - readAt >= jobs.timeouts.lateArrivalMs) return { again: 1 };
      const message = await leaveFor(job, card, id, text);
      return message && (await post(job, message, callSlack, lease));
    } finally {
      await lease.release();
    }
  }

  /** Removes a note by the button of its answer. */
  const remove = onCard(deps, 'note', async (click) => {
    const { ref, member, message, workspace, value: id } = click;
    if (message === undefined) return;
    const task = click.task.id;
    const note = (await tasks.notes.of(ref, task)).find((one) => one.id === id);
    if (note !== undefined && note.by !== member) throw new UserError(noteNotYours);
    if (!(await acts.remove(click, ref, task, id)) && note === undefined)
      await click.answer(notice(noteGone));
    await slack.messengerOf(workspace).update(message, noteRemoved(note?.by ?? member));
  });

  return { remove, replies, threadReply, jobs: { 'thread-reply': run } };
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

  const isLong = (text: string) => lengthOf(text) > maxNoteLength;

  return {
    /** Leaves a note. Returns why it was not left. */
    async leave(
      { member: by, how }: Author,
      ref: AccountRef,
      id: TaskId,
      note: NewNote,
    ): Promise<string | undefined> {
      if (note.text === '') return noteProblems.empty;
      if (isLong(note.text)) return noteProblems.long;
      const outcome = await tasks.notes.leave(ref, id, { ...note, at: clock.now(), by, how });
      if (outcome === 'full' || outcome === 'unknown') return noteProblems[outcome];
      await redraw(ref, id);
      return undefined;
    },

    /** Changes a note's text, unless it is gone, somebody else's, or unchanged. Returns why it stays as it was. */
    async change(
      { member: by, how }: Author,
      ref: AccountRef,
      id: TaskId,
      note: NewNote,
    ): Promise<string | undefined> {
      if (isLong(note.text)) return noteProblems.long;
      if (await tasks.notes.change(ref, id, note.id, note.text, { by, how })) await redraw(ref, id);
      return undefined;
    },

    /** Removes a note. Resolves false if it is already gone, or somebody else's. */
    async remove({ member: by, how }: Author, ref: AccountRef, id: TaskId, note: string): Promise<boolean> {
      return (await tasks.notes.remove(ref, id, note, { by, how })) && redraw(ref, id);
    },
  };
}
