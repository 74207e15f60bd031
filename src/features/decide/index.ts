import { taskSubject } from '../../domain/approval.ts';
import { deadlineOf, finishedAtOf, sendTime } from '../../domain/deadline.ts';
import type { NewDecision } from '../../domain/events.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountRef, needsComment, type Verdict } from '../../domain/terms.ts';
import type { Decisions } from '../../kit/decisions.ts';
import { inFrame } from '../../kit/focus-frame.ts';
import { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import { createReasonOptions } from '../../kit/reasons.ts';
import { queueApproval } from '../../kit/spending.ts';
import type { Message } from '../../slack/blocks.ts';
import { notice } from '../../slack/blocks.ts';
import type { Actor, Click, Feature, OpenView, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { messageModal } from '../../slack/message-modal.view.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { commentIn, reasonMissing } from '../../ui/comment-input.view.ts';
import { createBonus } from './bonus.ts';
import { aboutOf, createCommentForm, type OpenRequest, typedFormOf } from './comment-form.ts';
import { bonusRated, commentActions } from './decide.view.ts';
import { decodeIntent } from './intent.ts';
import { createLateAnswers } from './late-answers.ts';
import { createRequests, type DecisionRequest } from './requests.ts';
import { createTypedText } from './typed-text.ts';
import { createUndo } from './undo.ts';
import { createWhoHas } from './who-has.ts';
import { hadByOthers } from './who-has.view.ts';

/** Creates the decide feature: a card's buttons, the modals for reason and extras, and Undo. */
export function createDecide(deps: Modules) {
  const { tasks, jobs, clock } = deps;
  const typedText = createTypedText(deps);
  /** The key of the last send job this process queued, by workspace. */
  const lastSends = new Map<string, string>();
  const requests = createRequests({ ...deps, typedText });
  const whoHas = createWhoHas(deps);
  const answers = createLateAnswers(deps);
  const forms = createCommentForm({
    ...deps,
    ...createReasonOptions(deps),
    modals: inFrame(createModalUpdates(deps), deps.slack.rateLimiter),
    typedText,
    whoHas,
  });

  /**
   * Makes a decision if the task is still open: the first one wins, and later members read who made it. Returns whether
   * this decision stands.
   */
  async function decide(
    actor: Actor,
    { ref, intent, task: open }: Omit<OpenRequest, 'member'>,
    made: NewDecision,
    at = clock.now(),
  ): Promise<boolean> {
    const [sendAt, keySource] = await Promise.all([
      sendTimeOf(ref, open, at, intent.isOfMany),
      deps.people.accounts.keySourceOf(ref, made.by),
    ]);
    const decision = { ...made, ownKey: keySource === 'own' };
    const event = { type: 'decided', decision, round: intent.round, at, sendAt, how: actor.how } as const;
    const outcome = await tasks.apply(ref, open.id, event);
    const { task } = outcome;
    if (task === undefined || outcome.kind === 'rejected') {
      await requests.tellTooLate(actor, { ref, intent }, task, decision.comment);
      return false;
    }
    deps.slack.homes.own(ref.workspace, made.by);
    await Promise.all([
      queueJobs(ref, task, sendAt),
      endRequest(ref, task, decision.id),
      endForm(actor, { ref, intent }),
      outcome.kind === 'done' &&
        !intent.isOfMany &&
        tellOfOthers(actor, ref, open, { ...decision, at, sendAt }),
    ]);
    return task.decision?.id === decision.id;
  }

  /**
   * Notifies the decider that somebody else has the task. The decision counts at once: a confirmation each time would
   * slow down everybody although this is no lock, and it can be undone until it is sent.
   */
  async function tellOfOthers(
    actor: Actor,
    ref: AccountRef,
    open: Task,
    { at, sendAt, ...decision }: NewDecision & { readonly at: number; readonly sendAt: number },
  ): Promise<void> {
    const others = await whoHas.others(ref, open, actor.member);
    const title = others && (await deps.campaigns.titleOf(ref, open.campaign));
    if (others === undefined || title === undefined) return;
    const { account } = ref;
    const told = hadByOthers({ account, task: open, title, decision, others, canUndo: sendAt > at });
    await actor.answer(told).catch((error: unknown) => {
      // The decision stands regardless, and its card shows it.
      if (!(error instanceof SlackError)) throw error;
      deps.log.info({ task: open.id, code: error.code }, 'not told who else has the task');
    });
  }

  /** Ends the form of a decision: its text is no longer offered. */
  async function endForm({ member }: Pick<Actor, 'member'>, { ref, intent }: DecisionRequest): Promise<void> {
    const form = typedFormOf(intent);
    if (form !== undefined) await typedText.sent(ref, aboutOf(intent, member), form);
  }

  /** Returns the time at which a decision made at `at` is sent (ms). */
  async function sendTimeOf(ref: AccountRef, task: Task, at: number, isOfMany?: boolean): Promise<number> {
    const deadline = deadlineOf(finishedAtOf(task), await deps.tasks.timesToRate.get(ref, task.campaign));
    return sendTime(at, deps.clock.undoSeconds * 1_000, deadline, isOfMany);
  }

  /** Ends a colleague's pending approval request for a bonus on this task. */
  async function endRequest(ref: AccountRef, { id }: Task, decision: string): Promise<void> {
    const request = await deps.people.approvals.get(ref, taskSubject(id));
    if (request !== undefined) await queueApproval(deps, ref, request, `decided ${decision}`);
  }

  /** A click delivered twice queues the jobs twice; the second ones find nothing to do. */
  async function queueJobs(ref: AccountRef, task: Task, sendAt: number): Promise<void> {
    await deps.slack.cards.clicked(ref, task);
    const second = Math.ceil(sendAt / 1_000);
    const uniqueKey = `${ref.account} ${second}`;
    // In a burst, most decisions are sent by a job already queued; if it is lost, a poll requeues it.
    if (lastSends.get(ref.workspace) === uniqueKey && second * 1_000 - clock.now() > 500) return;
    await jobs.add('send', ref, { delayMs: second * 1_000 - clock.now(), uniqueKey });
    lastSends.set(ref.workspace, uniqueKey);
  }

  async function openModal(click: Click, verdict: Verdict, extras = false): Promise<void> {
    await answers.orLater(click, verdict, async () => {
      const request = await requests.clicked(click, verdict, extras);
      if (request === undefined) return;
      await click.open(await forms.opened(request));
    });
  }

  async function accept(click: Click): Promise<void> {
    const request = await requests.clicked(click, 'OK');
    if (request === undefined) return;
    const unchecked = request.unchecked ? ({ unchecked: true } as const) : {};
    const { id, member: by } = click;
    await decide(click, request, { id, by, verdict: 'OK', comment: '', ...unchecked });
  }

  async function submitReason(submission: Submission): Promise<SubmissionAnswer | undefined> {
    const { name, text, chosen } = commentIn(submission.values);
    if (text === '' && chosen === undefined) return { errors: { [name]: reasonMissing } };
    const request = await requests.submitted(submission);
    if (request === undefined || !needsComment(request.intent.verdict)) return undefined;
    const sent = await forms.sent(request, submission.values);
    if ('answer' in sent) return sent.answer;
    const decision = {
      id: submission.id,
      by: submission.member,
      verdict: request.intent.verdict,
      ...sent,
    };
    await decide(submission, request, decision);
    return undefined;
  }

  const bonus = createBonus({
    ...deps,
    forms,
    endForm,
    submittedRequest: requests.submitted,
    decide,
    queueJobs,
    sendTimeOf,
  });

  const extrasIn = (click: Click & { readonly view: OpenView }): Submission => ({
    ...click,
    ...click.view,
    how: 'form',
  });

  /** Rates OK with a confirmed bonus, and shows in the modal what became of it; privately if that was closed. */
  async function confirmBonus({ view, ...click }: Click): Promise<void> {
    if (view === undefined) return;
    const told: Message[] = [];
    const answer = async (message: Message) => void told.push(message);
    const submission = { ...extrasIn({ ...click, view }), answer };
    const outcome = await bonus.confirmed(submission);
    if (outcome === 'done' && told.length === 0) told.push(notice(bonusRated));
    const shown = messageModal('Bonus', { blocks: told.flatMap(({ blocks }) => blocks) });
    const next = typeof outcome === 'object' ? outcome : told.length > 0 ? shown : undefined;
    if (next && !(await click.replaceAt(click.origin, next)))
      for (const message of told) await click.answer(message);
  }

  async function changeBonus({ view, ...click }: Click): Promise<void> {
    const form = view && (await bonus.changed(extrasIn({ ...click, view })));
    if (form) await deps.slack.messengerOf(click.workspace).updateModal(view.id, form);
  }

  const undo = createUndo({ ...deps, typedText });

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
      'task.extras.confirm': { needs: 'rate', also: ['bonus'], run: confirmBonus },
      'task.extras.change': { needs: 'rate', also: ['bonus'], run: changeBonus },
      [commentActions.typed]: { needs: 'rate', run: forms.typed },
      [commentActions.choose]: { needs: 'rate', run: forms.choose },
    },
    submissions: {
      'task.reason': { needs: 'rate', run: (submission) => submitReason(requests.inItsChannel(submission)) },
      'task.extras': {
        needs: 'rate',
        also: ['bonus'],
        run: (submission) => bonus.submit(requests.inItsChannel(submission)),
      },
    },
  };

  const decisions: Decisions = {
    async decide(actor, { ref, task, round }, { isOfMany, ...made }, id) {
      const intent = {
        kind: 'decide',
        account: ref.account,
        task,
        round,
        verdict: made.verdict,
        isOfMany,
      } as const;
      const request = await requests.checkOpen(actor, { ref, intent }, id);
      if (request) await decide(actor, request, { id, by: actor.member, ...made });
    },
    async form(actor, { ref, task, round }, verdict, id) {
      const extras = verdict === 'OK' ? ({ extras: true } as const) : {};
      const intent = {
        kind: 'decide',
        account: ref.account,
        task,
        round,
        verdict,
        isOfMany: true,
        ...extras,
      } as const;
      const request = await requests.checkOpen(actor, { ref, intent }, id);
      return request && forms.opened(request);
    },
    submitReason,
    submitExtras: bonus.submit,
    confirmExtras: bonus.confirmed,
    changeExtras: bonus.changed,
    undo: undo.of,
  };

  return {
    feature,
    decisions,
    jobs: answers.jobs,

    /** Pays an approved bonus through the decision that includes it. */
    approved: bonus.approved,

    /**
     * Resumes a decision a member requested before connecting. Returns the modal that asks for the rest, `decided` when
     * the decision is made, or undefined when the member was told why not.
     */
    async resume(actor: Actor, text: string, id: string) {
      const intent = decodeIntent(text);
      if (intent === undefined) return undefined;
      const ref = await deps.people.access.authorize(actor, ['rate'], { account: intent.account });
      const answer = requests.inChannel(actor, intent);
      const request = await requests.checkOpen({ ...actor, answer }, { ref, intent }, id);
      if (request === undefined) return undefined;
      if (needsComment(intent.verdict) || intent.extras) return forms.opened(request);
      const done = await decide(actor, request, {
        id,
        by: actor.member,
        verdict: intent.verdict,
        comment: '',
      });
      return done ? ('decided' as const) : undefined;
    },

    /** Returns the account of an intent; undefined if the text is no intent. */
    accountOf: (text: string) => decodeIntent(text)?.account,
  };
}
