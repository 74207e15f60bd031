import { taskSubject } from '../../domain/approval.ts';
import { deadlineOf, finishedAtOf, sendTime } from '../../domain/deadline.ts';
import type { NewDecision } from '../../domain/events.ts';
import { formerOf, isSame } from '../../domain/live-message.ts';
import type { Capability } from '../../domain/permissions.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import { type AccountRef, needsComment, TaskId, type Verdict } from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import type { Actor, Click, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { link } from '../../slack/mrkdwn.ts';
import { commentIn, reasonMissing } from '../shared/comment-input.view.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { Decisions, DecisionTarget } from '../shared/decisions.ts';
import { createModalUpdates } from '../shared/draft-form/modal-updates.ts';
import { inFrame } from '../shared/focus-frame.ts';
import { createReasonOptions } from '../shared/reasons.ts';
import { areReplicated } from '../shared/replicated.ts';
import { queueApproval } from '../shared/spending.ts';
import { createTypedText } from '../shared/typed-text.ts';
import { createBonus } from './bonus.ts';
import { aboutOf, createCommentForm, typedFormOf } from './comment-form.ts';
import { commentActions, notSafeYet, oldRound, tooLate, unknownTask, withOwnText } from './decide.view.ts';
import { decodeIntent, encodeIntent, type Intent } from './intent.ts';
import type { Recovery } from './rebuild-task.ts';
import { createUndo } from './undo.ts';

export interface DecideDeps
  extends Pick<
    FeatureContext,
    | 'access'
    | 'accounts'
    | 'approvals'
    | 'briefs'
    | 'campaigns'
    | 'claimOnce'
    | 'expiringTexts'
    | 'faults'
    | 'jobs'
    | 'logger'
    | 'messengerOf'
    | 'now'
    | 'reasons'
    | 'recovery'
    | 'replication'
    | 'spend'
    | 'tasks'
    | 'timesToRate'
    | 'typedTexts'
    | 'undoSeconds'
    | 'viewBudget'
  > {
  /** Rebuilds the record of an unknown task from its card and the marketplace. */
  readonly recover: Recovery;
}

/** What somebody asked for, and for which account. */
interface DecisionRequest {
  readonly ref: AccountRef;
  readonly intent: Intent;
}

/** Creates the feature of deciding: the buttons of a card, the modals for reason and extras, and Undo. */
export function createDecide(deps: DecideDeps) {
  const { tasks, jobs, now } = deps;
  const typedText = createTypedText(deps);
  const forms = createCommentForm({
    ...deps,
    ...createReasonOptions(deps),
    modals: inFrame(createModalUpdates(deps), deps.viewBudget),
    typedText,
  });

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
    const sendAt = await sendTimeOf(ref, open, at, intent.isOfMany);
    const decision = { ...made, ownKey: (await deps.accounts.holding(ref, made.by)) === 'own' };
    const event = { type: 'decided', decision, round: intent.round, at, sendAt, how: actor.how } as const;
    const outcome = await tasks.apply(ref, intent.task, event);
    const { task } = outcome;
    if (task === undefined || outcome.kind === 'rejected') {
      await tellTooLate(actor, { ref, intent }, task, decision.comment);
      return false;
    }
    await deps.faults('decision stored, no job queued');
    await Promise.all([
      answerUnlessReplicated(actor, ref, task, notSafeYet(task, decision)),
      queueJobs(ref, task, sendAt),
      endRequest(ref, task),
      endForm(actor, { ref, intent }),
    ]);
    return true;
  }

  /** Ends the form of a decision: what was typed into it need not be offered again. */
  async function endForm({ member }: Pick<Actor, 'member'>, { ref, intent }: DecisionRequest): Promise<void> {
    const form = typedFormOf(intent);
    if (form !== undefined) await typedText.sent(ref, aboutOf(intent, member), form);
  }

  /** Tells a member why nothing was decided, and gives them back what they have written. */
  async function tellTooLate(
    actor: Actor,
    { ref, intent }: DecisionRequest,
    task: Task | undefined,
    text: string,
  ): Promise<void> {
    const { member } = actor;
    const form = typedFormOf(intent);
    if (form !== undefined && text !== '')
      await typedText.late(ref, aboutOf(intent, member), { ...form, text });
    const why =
      task === undefined
        ? unknownTask()
        : task.round === intent.round
          ? tooLate(task, member, intent.verdict)
          : oldRound(await newerCard(ref, task));
    await actor.answer(withOwnText(why, text));
  }

  /** Returns when a decision is sent that is made at `at` (ms). */
  async function sendTimeOf(ref: AccountRef, task: Task, at: number, isOfMany?: boolean): Promise<number> {
    const deadline = deadlineOf(finishedAtOf(task), await deps.timesToRate.get(ref, task.campaign));
    return sendTime(at, deps.undoSeconds * 1_000, deadline, isOfMany);
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
   * @param text what they have written, to be given back
   */
  async function checkOpen(
    actor: Actor,
    request: DecisionRequest,
    id: string,
    text = '',
  ): Promise<(DecisionRequest & { task: Task }) | undefined> {
    const { ref, intent } = request;
    let task = (await tasks.get(ref, intent.task)) ?? (await deps.recover(ref, intent));
    if (task === undefined) {
      await tellTooLate(actor, request, task, text);
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
      await tellTooLate(actor, request, task, text);
      return undefined;
    }
    if (!isOpen(task)) {
      if (task.decision?.id !== id) await tellTooLate(actor, request, task, text);
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

  async function openModal(click: Click, verdict: Verdict, extras = false): Promise<void> {
    const request = await requestFor(click, verdict, extras);
    if (request === undefined) return;
    await deps
      .messengerOf(click.workspace)
      .openModal(click.triggerId, await forms.opened(click.member, request));
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
    return checkOpen(actor, { ref, intent }, submission.id, commentIn(submission.values).text);
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

  async function submitReason(submission: Submission): Promise<SubmissionAnswer | undefined> {
    const { name, text, chosen } = commentIn(submission.values);
    if (text === '' && chosen === undefined) return { errors: { [name]: reasonMissing } };
    const request = await submittedRequest(submission);
    if (request === undefined || !needsComment(request.intent.verdict)) return undefined;
    const sent = await forms.sent(request, submission.values);
    if ('answer' in sent) return sent.answer;
    const decision = {
      id: submission.id,
      by: submission.member,
      verdict: request.intent.verdict,
      ...sent,
    };
    await decide({ ...submission, answer: inChannel(submission, request.intent) }, request, decision);
    return undefined;
  }

  const bonus = createBonus({
    ...deps,
    forms,
    endForm,
    submittedRequest,
    inChannel,
    decide,
    queueJobs,
    sendTimeOf,
  });

  const undo = createUndo({ ...deps, typedText, answerUnlessReplicated });

  const feature: Feature = {
    clicks: {
      'task.ok': { needs: 'rate', run: accept },
      'task.revise': { needs: 'rate', run: (click) => openModal(click, 'REVISE') },
      'task.nok': { needs: 'rate', run: (click) => openModal(click, 'NOK') },
      'task.undo': {
        needs: 'rate',
        also: ['undo'],
        run: undo.clicked,
      },
      'task.more.extras': { needs: 'rate', run: (click) => openModal(click, 'OK', true) },
      [commentActions.typed]: { needs: 'rate', run: forms.typed },
      [commentActions.choose]: { needs: 'rate', run: forms.choose },
    },
    submissions: {
      'task.reason': { needs: 'rate', run: submitReason },
      'task.extras': { needs: 'rate', also: ['bonus'], run: bonus.submit },
    },
  };

  /** What somebody asks for who goes through many tasks. */
  const intentOf = ({ ref, task, round }: DecisionTarget, verdict: Verdict, extras = false): Intent => ({
    kind: 'decide',
    account: ref.account,
    task,
    round,
    verdict,
    isOfMany: true,
    ...(extras ? { extras } : {}),
  });

  const decisions: Decisions = {
    async accept(actor, target, id) {
      const request = await checkOpen(actor, { ref: target.ref, intent: intentOf(target, 'OK') }, id);
      if (request) await decide(actor, request, { id, by: actor.member, verdict: 'OK', comment: '' });
    },
    async decide(actor, target, made, id) {
      const intent = intentOf(target, made.verdict);
      const request = await checkOpen(actor, { ref: target.ref, intent }, id);
      if (request) await decide(actor, request, { id, by: actor.member, ...made });
    },
    async form(actor, target, wanted, id) {
      const intent = intentOf(target, wanted, wanted === 'OK');
      const request = await checkOpen(actor, { ref: target.ref, intent }, id);
      return request && forms.opened(actor.member, request);
    },
    submitReason,
    submitExtras: bonus.submit,
    undo: undo.of,
  };

  return {
    feature,
    decisions,

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
      if (needsComment(intent.verdict) || intent.extras) return forms.opened(actor.member, request);
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
