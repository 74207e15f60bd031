import { taskSubject } from '../../domain/approval.ts';
import { deadlineOf, sendTime } from '../../domain/deadline.ts';
import type { NewDecision } from '../../domain/events.ts';
import type { Faults } from '../../domain/fault-points.ts';
import { formerOf, isSame } from '../../domain/live-message.ts';
import { money } from '../../domain/money.ts';
import type { Capability } from '../../domain/permissions.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import { type AccountRef, needsComment, TaskId, type Verdict, type WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Message } from '../../slack/blocks.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import {
  type Actor,
  type Click,
  type Feature,
  type Submission,
  type SubmissionAnswer,
  typed,
} from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { link } from '../../slack/mrkdwn.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Approvals } from '../../store/approvals.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Replication } from '../../store/replication.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { TimesToRate } from '../../store/times-to-rate.ts';
import type { Access } from '../shared/access.ts';
import type { DataRecovery } from '../shared/data-recovery.ts';
import { areReplicated } from '../shared/replicated.ts';
import { queueApproval, type Spend } from '../shared/spending.ts';
import { createBonus } from './bonus.ts';
import {
  cannotUndo,
  extrasModal,
  notSafeYet,
  oldRound,
  reasonMissing,
  reasonModal,
  tooLate,
  undoNotKnownYet,
  undoNotSafeYet,
  undoneByColleague,
  unknownTask,
} from './decide.view.ts';
import { decodeIntent, encodeIntent, type Intent } from './intent.ts';
import type { Recovery } from './rebuild-task.ts';

export interface DecideDeps {
  readonly access: Pick<Access, 'authorize'>;
  readonly accounts: Pick<Accounts, 'holding'>;
  readonly approvals: Pick<Approvals, 'get'>;
  readonly claimOnce: (workspace: WorkspaceId, name: string) => Promise<boolean>;
  readonly spend: Spend;
  readonly tasks: Tasks;
  readonly campaigns: Campaigns;
  readonly jobs: Jobs;
  readonly timesToRate: TimesToRate;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Rebuilds the record of an unknown task from its card and the marketplace. */
  readonly recover: Recovery;
  readonly replication: Replication;
  readonly recovery: Pick<DataRecovery, 'maySend'>;
  readonly undoSeconds: number;
  readonly faults: Faults;
  readonly now: () => number;
}

/** What somebody asked for, and for which account. */
interface DecisionRequest {
  readonly ref: AccountRef;
  readonly intent: Intent;
}

/** Creates the feature of deciding: the buttons of a card, the modals for reason and extras, and Undo. */
export function createDecide(deps: DecideDeps) {
  const { tasks, campaigns, jobs, now } = deps;

  /**
   * Makes a decision if the task is still open: the first one wins, and later members read who made it.
   * Returns whether this decision stands.
   */
  async function decide(
    actor: Actor,
    { ref, intent, task: open }: DecisionRequest & { task: Task },
    made: NewDecision,
    at = now(),
  ): Promise<boolean> {
    const sendAt = await sendTimeOf(ref, open, at);
    const decision = { ...made, ownKey: (await deps.accounts.holding(ref, made.by)) === 'own' };
    const event = { type: 'decided', decision, round: intent.round, at, sendAt, how: actor.how } as const;
    const outcome = await tasks.apply(ref, intent.task, event);
    const { task } = outcome;
    if (task === undefined) {
      await actor.answer(unknownTask());
      return false;
    }
    if (outcome.kind === 'rejected') {
      if (task.round !== intent.round) await actor.answer(oldRound(await newerCard(ref, task)));
      else await actor.answer(tooLate(task, actor.member, decision.verdict));
      return false;
    }
    await deps.faults('decision stored, no job queued');
    await Promise.all([
      answerUnlessReplicated(actor, ref, task, notSafeYet(task, decision)),
      queueJobs(ref, task, sendAt),
      endRequest(ref, task),
    ]);
    return true;
  }

  /** Returns when a decision is sent that is made at `at` (ms). */
  async function sendTimeOf(ref: AccountRef, { campaign, proof }: Task, at: number): Promise<number> {
    const deadline = deadlineOf(proof.finishedAt, await deps.timesToRate.get(ref, campaign));
    return sendTime(at, deps.undoSeconds * 1_000, deadline);
  }

  /** A colleague may wait for an approval of a bonus on this task: that has ended. */
  async function endRequest(ref: AccountRef, { id, decision }: Task): Promise<void> {
    const request = await deps.approvals.get(ref, taskSubject(id));
    if (request !== undefined) await queueApproval(deps, ref, request, `decided ${decision?.id}`);
  }

  /** A click that is delivered twice queues the jobs twice: the second ones find nothing left to do. */
  async function queueJobs(ref: AccountRef, task: Task, sendAt: number): Promise<void> {
    await jobs.add('redraw', { ...ref, task: task.id });
    await deps.faults('redraw queued, send not');
    const second = Math.ceil(sendAt / 1_000);
    await jobs.add('send', ref, { delayMs: second * 1_000 - now(), uniqueKey: `${ref.account} ${second}` });
  }

  /** Tells a member that what the record holds could still be lost with Redis's primary, when that is so. */
  async function answerUnlessReplicated(
    actor: Actor,
    ref: AccountRef,
    task: Task,
    message: Message,
  ): Promise<void> {
    if (!(await areReplicated(deps, ref, [task]))) await actor.answer(message);
  }

  /** Returns what a click on a card asks for, after checking the member's access and that the task can be decided on. */
  async function requestFor(
    click: Click,
    verdict: Verdict,
    extras = false,
  ): Promise<(DecisionRequest & { task: Task }) | undefined> {
    const card = decodeCardBlock(click.blockId);
    // An old card names no account: it is that of whoever clicks.
    const account = card?.account ?? (await click.authorize()).account;
    const intent: Intent = {
      kind: 'decide',
      account,
      task: TaskId.parse(click.value),
      round: card?.round ?? 1,
      verdict,
      ...(extras ? { extras } : {}),
      ...(click.message ? click.message : {}),
    };
    const ref = await click.authorize({ account, intent: encodeIntent(intent) });
    return checkOpen(click, { ref, intent }, click.id);
  }

  /**
   * Adds its task to a request if the task can be decided on; otherwise tells the member why not.
   * @param id the decision's id: a click or submission that is delivered twice gets no second answer
   */
  async function checkOpen(
    actor: Actor,
    request: DecisionRequest,
    id: string,
  ): Promise<(DecisionRequest & { task: Task }) | undefined> {
    const { ref, intent } = request;
    let task = (await tasks.get(ref, intent.task)) ?? (await deps.recover(ref, intent));
    if (task === undefined) {
      await actor.answer(unknownTask());
      return undefined;
    }
    if (task.card.state === 'wanted' && intent.channel && intent.ts) {
      // A card that is clicked was posted, although the post could not be recorded.
      const messageRef = { channel: intent.channel, ts: intent.ts };
      const posted = { type: 'posted', messageRef, round: intent.round } as const;
      // A former card can still be clicked, where the bot was removed, but shows nothing from now on.
      if (!formerOf(task.card).some((place) => isSame(place, messageRef)))
        task = (await tasks.apply(ref, task.id, posted)).task ?? task;
    }
    if (task.round !== intent.round) {
      await actor.answer(oldRound(await newerCard(ref, task)));
      return undefined;
    }
    if (!isOpen(task)) {
      if (task.decision?.id !== id) await actor.answer(tooLate(task, actor.member, intent.verdict));
      await jobs.add('redraw', { ...ref, task: task.id });
      return undefined;
    }
    return { ...request, task };
  }

  async function newerCard(ref: AccountRef, task: Task): Promise<string | undefined> {
    if (task.card.state !== 'posted') return undefined;
    const address = await deps.messengerOf(ref.workspace).permalink(task.card);
    return address && link(address, 'its newer card');
  }

  async function modalFor({ ref, intent, task }: DecisionRequest & { task: Task }) {
    const campaign = await campaigns.get(ref, task.campaign);
    const title = campaign?.title ?? 'A campaign';
    if (!intent.extras) return reasonModal(intent, task, title);
    return extrasModal(intent, task, title, campaign && money(campaign.paymentPerTask));
  }

  async function openModal(click: Click, verdict: Verdict, extras = false): Promise<void> {
    const request = await requestFor(click, verdict, extras);
    if (request === undefined) return;
    await deps.messengerOf(click.workspace).openModal(click.triggerId, await modalFor(request));
  }

  /** Returns the request in a modal's submission, as long as it can still be carried out. */
  async function submittedRequest(
    submission: Submission,
    also?: Capability,
  ): Promise<(DecisionRequest & { task: Task }) | undefined> {
    const intent = decodeIntent(submission.state);
    if (intent === undefined) return undefined;
    const actor = { ...submission, answer: inChannel(submission, intent) };
    const { account } = intent;
    // A bonus that is not theirs to pay is asked for.
    const isAsking = also === 'bonus';
    const ref = await submission.authorize({ account, also, isAsking, intent: encodeIntent(intent) });
    return checkOpen(actor, { ref, intent }, submission.id);
  }

  /** Returns how to answer a submission in its card's channel, since a modal has none. */
  function inChannel({ workspace, member, answer }: Actor, { channel }: Intent): Actor['answer'] {
    if (channel === undefined) return answer;
    return (message) => deps.messengerOf(workspace).answer({ member, channel }, message);
  }

  async function accept(click: Click): Promise<void> {
    const request = await requestFor(click, 'OK');
    if (request) await decide(click, request, { id: click.id, by: click.member, verdict: 'OK', comment: '' });
  }

  async function undo(click: Click): Promise<void> {
    const card = decodeCardBlock(click.blockId);
    if (card === undefined) return;
    const { account } = card;
    const ref = await click.authorize({ account });
    const task = await tasks.get(ref, TaskId.parse(click.value));
    const decision = card.decision ?? task?.decision?.id;
    // Delivered twice: that decision is undone already, whatever was decided since.
    if (task === undefined || decision === undefined || task.undone?.includes(decision)) return;
    if (task.decision?.id === decision && task.decision.by !== click.member)
      await click.authorize({ account, also: 'undo' });
    // An older copy of Redis may show one that was sent since as one that waits.
    if (!(await deps.recovery.maySend(ref))) return click.answer(undoNotKnownYet());
    const by = { member: click.member, at: now() };
    const outcome = await tasks.apply(ref, task.id, { type: 'undone', decision, by });
    const { undoneBy } = outcome.kind === 'done' ? outcome.task : {};
    if (outcome.kind === 'done' && task.decision?.id === decision)
      await deps.spend.giveBackBonus(ref, task.decision);
    if (undoneBy?.at === by.at) await tellColleague(ref, task, undoneBy);
    await Promise.all([
      outcome.kind === 'done'
        ? answerUnlessReplicated(click, ref, outcome.task, undoNotSafeYet())
        : click.answer(cannotUndo(outcome.task ?? task)),
      jobs.add('redraw', { ...ref, task: task.id }),
    ]);
  }

  /** Tells whoever decided that somebody else has undone it. */
  async function tellColleague(
    ref: AccountRef,
    task: Task,
    { by, of, verdict }: NonNullable<Task['undoneBy']>,
  ): Promise<void> {
    const messenger = deps.messengerOf(ref.workspace);
    const address = task.card.state === 'posted' ? await messenger.permalink(task.card) : undefined;
    const title = (await campaigns.get(ref, task.campaign))?.title ?? 'A campaign';
    await messenger
      .direct(of, undoneByColleague({ by, verdict, title, card: address && link(address, 'its card') }))
      .catch((error: unknown) => {
        // The card says it too.
        if (!(error instanceof SlackError)) throw error;
      });
  }

  async function submitReason(submission: Submission): Promise<SubmissionAnswer | undefined> {
    const comment = typed(submission.values, 'comment');
    if (comment === '') return { errors: { comment: reasonMissing } };
    const request = await submittedRequest(submission);
    if (request === undefined || !needsComment(request.intent.verdict)) return undefined;
    const decision = {
      id: submission.id,
      by: submission.member,
      verdict: request.intent.verdict,
      comment,
    };
    await decide({ ...submission, answer: inChannel(submission, request.intent) }, request, decision);
    return undefined;
  }

  const bonus = createBonus({
    ...deps,
    submittedRequest,
    inChannel,
    decide,
    queueJobs,
    sendTimeOf,
  });

  const feature: Feature = {
    clicks: {
      'task.ok': { needs: 'rate', run: accept },
      'task.revise': { needs: 'rate', run: (click) => openModal(click, 'REVISE') },
      'task.nok': { needs: 'rate', run: (click) => openModal(click, 'NOK') },
      'task.undo': { needs: 'rate', also: ['undo'], run: undo },
      'task.more.extras': { needs: 'rate', run: (click) => openModal(click, 'OK', true) },
    },
    submissions: {
      'task.reason': { needs: 'rate', run: submitReason },
      'task.extras': { needs: 'rate', also: ['bonus'], run: bonus.submit },
    },
  };

  return {
    feature,

    /** How an approved bonus is paid: by the decision that has it. */
    approved: bonus.approved,

    /**
     * Carries out what a member asked for before they were connected. Returns the modal that asks for the rest, `decided`
     * when the decision is made, or undefined when the member was told why not.
     */
    async resume(actor: Actor, text: string, id: string) {
      const intent = decodeIntent(text);
      if (intent === undefined) return undefined;
      const ref = await deps.access.authorize(actor, ['rate'], { account: intent.account });
      const request = await checkOpen({ ...actor, answer: inChannel(actor, intent) }, { ref, intent }, id);
      if (request === undefined) return undefined;
      if (needsComment(intent.verdict) || intent.extras) return modalFor(request);
      const done = await decide(actor, request, {
        id,
        by: actor.member,
        verdict: intent.verdict,
        comment: '',
      });
      return done ? ('decided' as const) : undefined;
    },

    /** Returns the account that an intent is about; undefined when the text is no intent. */
    accountOf: (text: string) => decodeIntent(text)?.account,
  };
}
