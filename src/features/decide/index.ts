import { Forbidden } from '../../domain/permissions.ts';
import { type AccountRef, needsComment, type Verdict } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import { cardOf, onForm, onView } from '../../kit/on.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import type { AccessRequest, Actor, Authorized, Click, Feature } from '../../slack/feature.ts';
import { withoutFiles, withoutRefusedPictures } from '../../slack/files.ts';
import { messageModal } from '../../slack/message-modal.view.ts';
import { link } from '../../slack/mrkdwn.ts';
import { isWorkspaceError, SlackError } from '../../slack/slack-error.ts';
import { createBonus } from './bonus.ts';
import {
  createCommentForm,
  type FormOutcome,
  type FormSubmission,
  submissionOf,
  targetOf,
} from './comment-form.ts';
import {
  answerOf,
  bonusRated,
  commentActions,
  type Intent,
  intents,
  lateAnswer,
  undoAnswer,
} from './decide.view.ts';
import { createDecisions } from './decisions.ts';

/** The forms about a task, for features that show it outside its card. */
export type DecisionForms = ReturnType<typeof createDecide>['forms'];

/** Creates the decide feature: a card's buttons, the modals for reason and extras, and Undo. */
export function createDecide(modules: Modules) {
  const { log, people, slack } = modules;
  const decisions = createDecisions(modules);
  const comments = createCommentForm(modules, decisions);
  const bonus = createBonus(modules, decisions, comments);

  /** Tells somebody about their decision, in the channel of its card: a modal has none. */
  async function tell({ member, workspace, answer }: Actor, outcome: FormOutcome, { channel }: Intent) {
    const told = answerOf(outcome);
    if (told === undefined) return;
    try {
      if (channel === undefined) await answer(told);
      else await slack.messengerOf(workspace).answer({ member, channel }, told);
    } catch (error) {
      // The decision stands regardless, and its card shows it.
      if (outcome.kind !== 'decided' || !(error instanceof SlackError)) throw error;
      log.info({ task: outcome.task.id, code: error.code }, 'not told who else has the task');
    }
  }

  /** Returns what a click on a card asks for. */
  function asked(click: Click, verdict: Verdict, extras = false): { request: AccessRequest; state: Intent } {
    const { account, task, round } = cardOf(click);
    const state = { account, task, round, verdict, ...(extras ? { extras } : {}), ...click.message };
    return { request: { account, intent: intents.encode(state) }, state };
  }

  async function accept(click: Click): Promise<void> {
    const { request, state } = asked(click, 'OK');
    const { ref, ...unchecked } = await authorizeOrLater(click, request);
    const made = { id: click.id, verdict: 'OK', comment: '', ...unchecked } as const;
    await tell(click, await decisions.rate(click, targetOf({ ref, state }), made), state);
  }

  /** Opens a form. */
  const opening =
    (verdict: Verdict, extras = false) =>
    async (click: Click) => {
      const { request, state } = asked(click, verdict, extras);
      const outcome = await comments.open({ ...click, state, ref: await click.authorize(request) });
      const { kind } = outcome;
      if (kind === 'form')
        await withoutRefusedPictures((isRefused) => withoutFiles(outcome.view, isRefused), click.open);
      else await tell(click, outcome, state);
    };

  const submitted = (run: (form: FormSubmission) => Promise<FormOutcome>, also?: 'bonus') =>
    onForm(intents, { needs: 'rate', ...(also && { also: [also] }) }, async (submission) => {
      const outcome = await run(submission);
      if (outcome.kind === 'errors') return { errors: outcome.errors };
      // Slack may have refused one of its pictures before.
      if (outcome.kind === 'form') return { update: withoutFiles(outcome.view, () => true) };
      await tell(submission, outcome, submission.state);
      return undefined;
    });

  /** A click in the confirmation of a bonus, which shows what became of it. */
  const confirming = (run: (form: FormSubmission) => Promise<FormOutcome>) =>
    onView(intents, { needs: 'rate', also: ['bonus'] }, async (click) => {
      const outcome = await run(submissionOf(click));
      if (outcome.kind === 'form')
        return click.replaceAt(
          click.origin,
          withoutFiles(outcome.view, () => true),
        );
      const said: Message | undefined =
        answerOf(outcome) ?? (outcome.kind === 'decided' ? notice(bonusRated) : undefined);
      return said && click.show(messageModal('Bonus', said), said);
    });

  /** Undoes the decision that a card shows. */
  async function undo(click: Click): Promise<void> {
    const { account, task, round, decision } = cardOf(click);
    // Their own decision is taken back by whoever made it, also while Slack cannot be asked who they are.
    const { ref } = await authorizeOrLater(click, { account });
    const told = undoAnswer(await decisions.undo(click, { ref, task, round, card: click.message }, decision));
    if (told) await click.answer(told);
  }

  const typed = onView(intents, { needs: 'rate', isPreparing: true }, comments.typed);
  const feature: Feature = {
    clicks: {
      'task.ok': { needs: 'rate', run: accept },
      'task.revise': { needs: 'rate', run: opening('REVISE') },
      'task.nok': { needs: 'rate', run: opening('NOK') },
      'task.undo': { needs: 'rate', also: ['undo'], run: undo },
      'task.more.extras': { needs: 'rate', run: opening('OK', true) },
      'task.extras.confirm': confirming(bonus.confirm),
      'task.extras.change': confirming(bonus.change),
      [commentActions.typed]: {
        needs: 'rate',
        // An error per keystroke would help nobody: the text is still in the form.
        run: (click) =>
          typed.run(click).catch((error: unknown) => log.debug({ err: error }, 'text not stored')),
      },
      [commentActions.choose]: onView(intents, { needs: 'rate', isPreparing: true }, comments.choose),
    },
    submissions: {
      'task.reason': submitted(comments.submit),
      'task.extras': submitted(bonus.submit, 'bonus'),
    },
  };

  return {
    feature,
    decisions,
    forms: {
      open: comments.open,
      decide: comments.decide,
      submitReason: comments.submit,
      submitExtras: bonus.submit,
      confirmExtras: bonus.confirm,
      changeExtras: bonus.change,
    },
    jobs: { 'tell-click': createLateAnswer(modules) },

    /** Pays an approved bonus through the decision that includes it. */
    approved: bonus.approved,

    /**
     * Resumes a decision a member requested before connecting. Returns the modal that asks for the rest, `decided` when
     * the decision is made, or undefined when the member was told why not.
     */
    async resume(actor: Actor, text: string, id: string) {
      const state = intents.decode(text);
      const ref = await people.access.authorize(actor, ['rate'], { account: state.account });
      const { verdict } = state;
      const outcome =
        needsComment(verdict) || state.extras
          ? await comments.open({ ...actor, id, ref, state })
          : await decisions.rate(actor, targetOf({ ref, state }), { id, verdict, comment: '' });
      if (outcome.kind === 'form') return withoutFiles(outcome.view, () => true);
      await tell(actor, outcome, state);
      return outcome.kind === 'decided' ? ('decided' as const) : undefined;
    },

    /** Returns the account of a requested decision; undefined if the text is none. */
    accountOf: (text: string) => (text === '' ? undefined : intents.decode(text).account),
  };
}

/**
 * Returns the account of an action. While Slack cannot be asked whether the person has the right, it is `unchecked`, and has
 * to be checked before anything is sent.
 */
async function authorizeOrLater(
  { authorize }: Authorized,
  asked: AccessRequest,
): Promise<{ readonly ref: AccountRef; readonly unchecked?: true }> {
  try {
    return { ref: await authorize(asked) };
  } catch (error) {
    const ref = error instanceof Forbidden && error.refused.refusal === 'unchecked' && error.refused.ref;
    if (!ref) throw error;
    return { ref, unchecked: true };
  }
}

/** Creates the answer to an OK that came while Slack did not answer, and that turns out not to be theirs to give. */
export function createLateAnswer({ campaigns, slack, tasks }: Modules) {
  return async ({ task: id, member, verdict, ...ref }: Payload<'tell-click'>): Promise<void> => {
    const task = await tasks.get(ref, id);
    if (task === undefined) return;
    const messenger = slack.messengerOf(ref.workspace);
    const address = await slack.cards.linkTo(ref, task);
    const title = await campaigns.titleOf(ref, task.campaign);
    const card = address && link(address, 'its card');
    try {
      await slack.callOf(ref.workspace)({ method: 'conversations.open' }, () =>
        messenger.direct(member, lateAnswer(verdict, title, card)),
      );
    } catch (error) {
      const isUnreachable =
        error instanceof SlackError && error.kind === 'refused' && !isWorkspaceError(error);
      // The card says it too.
      if (!isUnreachable) throw error;
    }
  };
}
