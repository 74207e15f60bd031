import { Forbidden } from '../../domain/forbidden.ts';
import type { MessageRef } from '../../domain/live-message.ts';
import { parseReply, type Reply } from '../../domain/reply.ts';
import { type AccountRef, TaskId, verdicts } from '../../domain/terms.ts';
import { replyId, type ThreadAnswer } from '../../domain/thread-answer.ts';
import { NotConnected, UserError } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { type JobContext, Reschedule } from '../../jobs/runner.ts';
import type { Message } from '../../slack/blocks.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import { CardTag, cardTagType } from '../../slack/card-tag.ts';
import type { CardReply, Click, Feature, ReplyAnswer, ThreadReply } from '../../slack/feature.ts';
import { type FoundThread, replyTag } from '../../slack/history.ts';
import { runEntry } from '../../slack/listeners.ts';
import { notice } from '../../slack/notice.ts';
import { mayArriveLate, SlackError } from '../../slack/slack-error.ts';
import { writtenText } from '../../slack/written-text.ts';
import type { Lease } from '../../store/leases.ts';
import type { CallSlack } from '../../store/rate-limiter.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createThreadAnswerUpdates } from '../shared/thread-answers.ts';
import { createReplies, type ReplyDeps } from './replies.ts';
import { noteGone, noteNotYours, noteRemoved, threadActions } from './threads.view.ts';

type Deps = ReplyDeps &
  Pick<
    FeatureContext,
    | 'access'
    | 'callSlackOf'
    | 'channelSettings'
    | 'faults'
    | 'logger'
    | 'memberLimits'
    | 'replication'
    | 'threadAnswers'
    | 'timeouts'
  > & {
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
 * Creates replies in card threads, in channels that enable them: `ok`, `revise …` and `nok …` rate like the card's
 * buttons, `note …` leaves a note. A job reads the current reply, so that a deleted one does nothing, and finds the
 * bot's answer in the thread if it was handled: it acts once, however often it is delivered. Only the holder of the
 * reply's lease answers it, because two jobs that read the thread at once would not see each other's answer.
 */
export function createThreads(deps: Deps) {
  const { callSlackOf, channelSettings, decisions, jobs, logger, messengerOf, notes, tasks, timeouts } = deps;
  const replies = createReplies(deps);
  const answers = createThreadAnswerUpdates(deps);

  /** Queues a reply that may be a command. Most are not, and cost no lookups. */
  async function threadReply({ change, texts, ...reply }: ThreadReply): Promise<void> {
    const asked = texts.flatMap((text) => parseReply(writtenText(text).text) ?? []);
    const isNew = change === 'new';
    // A rating stays, whatever becomes of its reply; Undo takes it back. Only notes follow their reply.
    if (!asked.some((asks) => isNew || asks.kind === 'note')) return;
    const { threads } = await channelSettings.get(reply.workspace, reply.channel);
    if (!threads) return;
    const uniqueKey = `${reply.channel} ${reply.ts} ${isNew ? 'new' : 'changed'}`;
    await jobs.add('thread-reply', { ...reply, isNew }, { uniqueKey });
  }

  /** Reads a reply, and the card of its thread; undefined if it cannot be read. */
  async function threadOf({ workspace, channel, thread, ts }: Job, callSlack: CallSlack) {
    try {
      return await callSlack({ method: 'conversations.replies', channel }, () =>
        messengerOf(workspace).threadOf(channel, thread, ts),
      );
    } catch (error) {
      if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
      // The card was deleted with its thread, or the bot was removed.
      logger.info({ channel, code: error.code }, 'reply not read');
      return undefined;
    }
  }

  function cardOf({ workspace }: Job, { tag }: FoundThread): Card | undefined {
    const found = tag?.type === cardTagType ? CardTag.safeParse(tag.payload).data : undefined;
    return found && { ref: { workspace, account: found.account }, task: found.task, round: found.round };
  }

  /**
   * Posts in the thread. Returns where; undefined if the channel does not accept it.
   * @param lease kept until the post is certainly visible in the thread
   */
  async function post(
    { workspace, channel, thread, ts }: Job,
    message: Message,
    callSlack: CallSlack,
    lease: Lease,
  ): Promise<MessageRef | undefined> {
    try {
      const posted = await callSlack({ method: 'chat.postMessage', channel }, async () => {
        // This job may have been suspended, and Redis may have a new primary that does not know the lease.
        const isHeld = (await lease.renew()) && (await deps.replication.confirm(lease.renew));
        if (!isHeld) throw new Reschedule(otherJobMs);
        return messengerOf(workspace).post(channel, message, { threadTs: thread, tag: replyTag(ts) });
      });
      await lease.releaseAfter(timeouts.lateArrivalMs);
      return posted;
    } catch (error) {
      // By the next attempt, a successful post is visible in the thread.
      if (mayArriveLate(error)) {
        await lease.releaseAfter(timeouts.lateArrivalMs);
        throw new Reschedule(timeouts.lateArrivalMs);
      }
      if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
      logger.warn({ channel, code: error.code }, 'reply not answered');
      return undefined;
    }
  }

  /** Keeps an answer in sync with its reply's decision until that is final. */
  async function follow(
    { ref, task: id }: Card,
    answer: MessageRef,
    made: Pick<ThreadAnswer, 'by' | 'decision' | 'shown' | 'verdict'>,
    callSlack: CallSlack,
  ): Promise<void> {
    const { channel, ts } = answer;
    await deps.threadAnswers.put(ref, id, { channel, ts, ...made });
    // Applies changes since it was rendered.
    await answers.update(ref, id, await tasks.get(ref, id), callSlack);
  }

  /** Executes a reply's command. A member without the right is told so privately; temporary errors are thrown. */
  async function answerTo(
    job: Job,
    card: Card,
    found: FoundThread,
    asks: Reply,
  ): Promise<ReplyAnswer | undefined> {
    const { workspace, team, member, channel, thread, ts } = job;
    const { reply } = found;
    if (reply === undefined) return undefined;
    const messenger = messengerOf(workspace);
    const answer = (message: Message) => messenger.answer({ member, channel, threadTs: thread }, message);
    const word = asks.kind === 'note' || asks.kind === 'no text' ? 'note' : asks.verdict.toLowerCase();
    const entry = replies.entries[word as keyof typeof replies.entries];
    try {
      return await runEntry<CardReply, ReplyAnswer | undefined>(deps.access, entry, {
        ...{ workspace, team, member, how: 'reply', answer },
        account: card.ref.account,
        task: card.task,
        round: card.round,
        id: replyId(channel, ts),
        asks,
        written: writtenText(reply.text),
        isEdited: reply.isEdited,
      });
    } catch (error) {
      const isTheirs = error instanceof Forbidden || error instanceof NotConnected;
      const message = error instanceof UserError ? notice(error.message) : isTheirs && deps.explain(error);
      if (!message) throw error;
      await answer(message);
      return undefined;
    }
  }

  async function run(job: Job, { slot }: JobContext): Promise<void> {
    const { workspace, channel, ts, member, isNew } = job;
    const wait = await deps.memberLimits.take(workspace, member, 'replies');
    if (wait > 0) throw new Reschedule(wait, slot);
    const callSlack = callSlackOf(workspace, slot);
    const readAt = performance.now();
    const found = await threadOf(job, callSlack);
    const card = found && cardOf(job, found);
    if (found === undefined || card === undefined) return;
    const written = found.reply && writtenText(found.reply.text);
    const asks = written && parseReply(written.text);
    const id = replyId(channel, ts);
    if (!isNew) {
      const said = asks?.kind === 'note' ? { said: asks.text, mentioned: written?.mentioned ?? [] } : {};
      const actor = { member, how: 'reply' } as const;
      const problem = await replies.noteFollows(actor, card.ref, card.task, { id, ...said });
      if (problem) await messengerOf(workspace).answer({ member, channel, threadTs: job.thread }, problem);
      return;
    }
    if (asks === undefined || found.reply?.member !== member) return;
    const verdict = asks.kind === 'rating' ? asks.verdict : undefined;
    const about = { by: member, decision: id };
    if (found.answer !== undefined) {
      // The process that answered died before recording it.
      if (verdict) await follow(card, found.answer, { ...about, verdict, shown: '' }, callSlack);
      return;
    }
    const lease = await deps.threadAnswers.lease(card.ref, id, timeouts.renderLeaseMs);
    if (lease === undefined) throw new Reschedule(otherJobMs, slot);
    try {
      // The previous lease holder may have answered since the thread was read, and keeps the lease for that long.
      if (performance.now() - readAt >= timeouts.lateArrivalMs) throw new Reschedule(1, slot);
      const answer = await answerTo(job, card, found, asks);
      if (answer === undefined) return;
      await deps.faults('reply carried out, not answered');
      const posted = await post(job, answer.message, callSlack, lease);
      await deps.faults('reply answered, not recorded');
      const { rated } = answer;
      if (posted && rated) await follow(card, posted, { ...about, ...rated }, callSlack);
    } finally {
      await lease.release();
    }
  }

  /** Opens the form for a reason missing from a reply. */
  async function openReason(click: Click): Promise<void> {
    const card = decodeCardBlock(click.blockId);
    const [word, task = ''] = click.value.split(' ');
    const verdict = verdicts.find((one) => one === word);
    if (card === undefined || verdict === undefined) return;
    const ref = await click.authorize({ account: card.account });
    const target = { ref, task: TaskId.parse(task), round: card.round };
    const form = await decisions.form(click, target, verdict, click.id);
    if (form) await messengerOf(click.workspace).openModal(click.triggerId, form);
  }

  async function removeNote(click: Click): Promise<void> {
    const card = decodeCardBlock(click.blockId);
    const { member, message, workspace } = click;
    if (card === undefined || message === undefined) return;
    const ref = await click.authorize({ account: card.account });
    const [first = '', id = ''] = click.value.split(' ');
    const task = TaskId.parse(first);
    const note = (await notes.of(ref, task)).find((one) => one.id === id);
    if (note !== undefined && note.by !== member) throw new UserError(noteNotYours);
    if (!(await replies.removeNote(click, ref, task, id)) && note === undefined)
      await click.answer(notice(noteGone));
    await messengerOf(workspace).update(message, noteRemoved(note?.by ?? member));
  }

  const feature: Feature = {
    replies: replies.entries,
    threadReply,
    clicks: {
      [threadActions.reason]: { needs: 'rate', run: openReason },
      [threadActions.removeNote]: { needs: 'note', run: removeNote },
    },
  };

  return { feature, jobs: { 'thread-reply': run } };
}
