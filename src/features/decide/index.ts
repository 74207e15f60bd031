import { needsComment, type Verdict } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { cardOf, onForm, onView } from '../../kit/on.ts';
import { messageModal, notice } from '../../slack/blocks.ts';
import type { AccessRequest, Actor, Click, Feature } from '../../slack/feature.ts';
import { withoutFiles, withoutRefusedPictures } from '../../slack/files.ts';
import { createBonus } from './bonus.ts';
import { createCommentForm, type FormOutcome, type FormSubmission, targetOf } from './comment-form.ts';
import { answerOf, commentActions, type Intent, intents, undoAnswer } from './decide.view.ts';
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
  async function tell({ member, workspace }: Actor, outcome: FormOutcome, { channel }: Intent) {
    const told = answerOf(outcome);
    if (told) await slack.messengerOf(workspace).answer({ member, channel }, told);
  }

  /** Returns what a click on a card asks for. */
  function asked(click: Click, verdict: Verdict, extras = false): { request: AccessRequest; state: Intent } {
    const { account, task, round } = cardOf(click);
    const state = { account, task, round, verdict, ...(extras ? { extras } : {}), ...click.message };
    return { request: { account, intent: intents.encode(state) }, state };
  }

  async function accept(click: Click): Promise<void> {
    const { request, state } = asked(click, 'OK');
    const ref = await click.authorize(request);
    const made = { id: click.id, verdict: 'OK', comment: '' } as const;
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
      if (outcome.kind === 'asked' || outcome.kind === 'refused')
        return { update: messageModal('Bonus', notice(outcome.sentence)) };
      await tell(submission, outcome, submission.state);
      return undefined;
    });

  /** Undoes the decision that a card shows. */
  async function undo(click: Click): Promise<void> {
    const { account, task, round, decision } = cardOf(click);
    const ref = await click.authorize({ account });
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
    },

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
