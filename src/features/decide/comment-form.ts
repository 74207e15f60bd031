import type { ModalView } from '@slack/types';
import { campaignTitleOf } from '../../domain/campaign.ts';
import { type Money, money } from '../../domain/money.ts';
import { isReasonUsed } from '../../domain/reason.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountRef, needsComment } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import type { ViewClick } from '../../kit/on.ts';
import type { Actor, Submission } from '../../slack/feature.ts';
import { frameOf, inFrame } from '../focus/public.ts';
import { type ChosenComment, commentIn, reasonMissing, tooLong, withChosenReason } from './comment.view.ts';
import { createReasonOptions, keepText, type OfferedReason, textName } from './comment-texts.ts';
import {
  extrasModal,
  type FilledExtras,
  type Intent,
  reasonModal,
  type ShownComment,
} from './decide.view.ts';
import type { Decisions, DecisionTarget, MadeDecision, RateOutcome } from './decisions.ts';

/** A form about a task, or what somebody wants to do without one. */
export type FormInput = Pick<Actor, 'workspace' | 'team' | 'member' | 'how'> & {
  /** Idempotency key of the decision. */
  readonly id: string;
  readonly ref: AccountRef;
  readonly state: Intent;
};

/** A form that was submitted. */
export type FormSubmission = FormInput & Pick<Submission, 'values' | 'callbackId'>;

/** A form about a task that is still open. */
export type OpenForm<Input extends FormInput = FormInput> = Input & {
  readonly kind: 'open';
  readonly task: Task;
};

/**
 * What became of a form: that of its decision · `form`: it goes on with this one · `errors` beside its inputs · `asked`,
 * `refused`: a bonus that somebody has to approve, or that nobody can.
 */
export type FormOutcome =
  | RateOutcome
  | { readonly kind: 'form'; readonly view: ModalView }
  | { readonly kind: 'errors'; readonly errors: Readonly<Record<string, string>> }
  | { readonly kind: 'asked' | 'refused'; readonly sentence: string };

/** A submitted comment on a task that is open. */
interface SentComment {
  readonly kind: 'sent';
  readonly open: OpenForm<FormSubmission>;
  readonly reasons: readonly OfferedReason[];
  /** `reason`: the saved one that it was based on. */
  readonly made: { readonly comment: string; readonly reason?: string };
}

/** Returns the round of a task that a form is about. */
export function targetOf({ ref, state }: Pick<FormInput, 'ref' | 'state'>): DecisionTarget {
  const { task, round, channel, ts } = state;
  return { ref, task, round, card: channel && ts ? { channel, ts } : undefined };
}

export type CommentForm = ReturnType<typeof createCommentForm>;

/** Creates a task's forms that ask for a comment: the reason of a NOK or REVISE, and an OK with extras. */
export function createCommentForm(modules: Modules, decisions: Decisions) {
  const { campaigns, clock, tasks } = modules;
  const { reasonOptions, savedTexts } = createReasonOptions(modules);
  const modals = inFrame(createModalUpdates(modules), modules.slack.rateLimiter);

  async function rendered(
    { ref, state: intent, task, member }: OpenForm,
    comment: Omit<ShownComment, 'filled' | 'chosen'>,
    extras?: FilledExtras,
  ): Promise<ModalView> {
    const campaign = await campaigns.get(ref, task.campaign);
    const title = campaignTitleOf(task.campaign, campaign?.title);
    const shown: ShownComment = { ...comment, filled: intent.filled ?? 0, chosen: intent.reason };
    const others = await decisions.othersOf(ref, task, member);
    const asked = await askedOfTask(modules, ref, task);
    if (!intent.extras) return reasonModal(intent, task, title, { ...shown, asked, others });
    const payment: Money | undefined = campaign && money(campaign.paymentPerTask);
    return extrasModal(intent, task, title, { payment, asked, comment: shown, filled: extras, others });
  }

  /** Returns a form filled with a comment. @param extras what else is filled in, with the cost that the form then says */
  function filledForm(
    form: OpenForm,
    reasons: readonly OfferedReason[],
    { text, reason, problem }: ChosenComment,
    extras?: FilledExtras,
  ): Promise<ModalView> {
    const filled = (form.state.filled ?? 0) + 1;
    const state = { ...form.state, filled, reason, shown: extras?.shown };
    return rendered({ ...form, state }, { reasons, text, problem }, extras);
  }

  /** Returns the comment after applying the chosen reason, or why it stays unchanged. */
  const choice = async (
    { ref, task, state: { reason } }: OpenForm,
    reasons: readonly OfferedReason[],
    { text, chosen }: { text: string; chosen: string },
  ) => withChosenReason({ text, reason }, chosen, reasons, await savedTexts(ref, task));

  /** Stores the text of a form, which is identified by when it was opened. */
  async function keep(
    { ref, state: { task, round, verdict, form }, member }: FormInput,
    typed: Pick<Parameters<typeof keepText>[3], 'text' | 'isSent' | 'order'>,
  ): Promise<void> {
    if (form !== undefined)
      await keepText(modules, ref, { task, round, member }, { verdict, form, ...typed });
  }

  /** Renews a review's leases while somebody types or chooses in one of its forms: who takes long to write is not away. */
  async function renewReview(ref: AccountRef, view: { readonly state: string }): Promise<void> {
    const focus = frameOf(view.state);
    if (focus !== undefined) await tasks.leases.renew(ref, focus.session);
  }

  /** Ends a form: its text is no longer offered, or again if somebody else was first. */
  async function ended<Outcome extends FormOutcome>(
    form: FormInput,
    text: string,
    outcome: Outcome,
  ): Promise<Outcome> {
    if (outcome.kind === 'decided' || outcome.kind === 'asked') await keep(form, { text: '', isSent: true });
    if (outcome.kind !== 'missed') return outcome;
    await keep(form, { text, isSent: true });
    return { ...outcome, text };
  }

  /** Returns a form whose task can be decided on. @param text what the member wrote */
  async function whenOpen<Input extends FormInput>(
    form: Input,
    text: string,
  ): Promise<OpenForm<Input> | RateOutcome> {
    const { id, member, state } = form;
    const open = await decisions.openTask(targetOf(form), { id, member, verdict: state.verdict });
    return open.kind === 'open' ? { ...form, ...open } : ended(form, text, open);
  }

  /** Returns the comment in a submitted form; or errors, or the form with a chosen reason that is not displayed yet. */
  async function sent(form: FormSubmission): Promise<SentComment | FormOutcome> {
    const { state: intent, values } = form;
    const { name, text, chosen } = commentIn(values);
    const open = await whenOpen(form, text);
    if (open.kind !== 'open') return open;
    const reasons = await reasonOptions(open.ref, open.task, intent.verdict);
    const isShown = chosen === undefined || chosen === intent.reason;
    // The form was submitted before Slack displayed the reason; with no other text, the intent is unambiguous.
    const next = isShown ? { text, reason: chosen } : await choice(open, reasons, { text, chosen });
    if (!isShown && text !== '') return { kind: 'form', view: await filledForm(open, reasons, next) };
    const problem = problemOf(next.text, intent);
    if (problem !== undefined) return { kind: 'errors', errors: { [name]: problem } };
    return { kind: 'sent', open, reasons, made: madeOf(next, reasons) };
  }

  /** Decides from a form. @param at when (ms) */
  async function decided(form: FormInput, made: MadeDecision, at = clock.now()): Promise<RateOutcome> {
    const { isOfMany } = form.state;
    return ended(form, made.comment, await decisions.rate(form, targetOf(form), made, { isOfMany, at }));
  }

  return {
    decided,
    ended,
    sent,
    whenOpen,

    /** Returns the form a member asked for, with the text they typed for it before. */
    async open(form: FormInput): Promise<FormOutcome> {
      const open = await whenOpen(form, '');
      if (open.kind !== 'open') return open;
      const { ref, member, task, state } = open;
      const about = { task: state.task, round: state.round, member };
      const [reasons, again] = await Promise.all([
        reasonOptions(ref, task, state.verdict),
        tasks.typedTexts.get(ref, textName(about, state.verdict)),
      ]);
      const own = { ...open, state: { ...state, form: clock.now() } };
      return { kind: 'form', view: await rendered(own, { reasons, text: again?.text ?? '', again }) };
    },

    /**
     * Decides with a comment that is shown as it will be sent, outside of a form of Slack.
     * @param chosen the saved reason that it began as
     */
    async decide(form: FormInput, { text, chosen }: { text: string; chosen?: string | undefined }) {
      const { id, ref, state } = form;
      const problem = problemOf(text, state);
      if (problem !== undefined) return { kind: 'refused', sentence: problem } as const;
      const open = await whenOpen(form, text);
      if (open.kind !== 'open') return open;
      const reasons = await reasonOptions(ref, open.task, state.verdict);
      return decided(form, { id, verdict: state.verdict, ...madeOf({ text, reason: chosen }, reasons) });
    },

    /** Decides from a submitted reason. */
    async submit(form: FormSubmission): Promise<FormOutcome> {
      const said = await sent(form);
      if (said.kind !== 'sent') return said;
      return decided(form, { id: form.id, verdict: form.state.verdict, ...said.made });
    },

    /** Stores text while it is being typed. */
    async typed({ ref, view, ts, value: text, ...form }: ViewClick<Intent>): Promise<void> {
      await keep({ ...form, ref }, { text, order: ts });
      await renewReview(ref, view);
    },

    /** Fills in the saved reason that was chosen. */
    async choose(click: ViewClick<Intent>): Promise<void> {
      const { ref, state, view, ts, value } = click;
      await renewReview(ref, view);
      const task = await tasks.get(ref, state.task);
      if (task === undefined) return;
      const form = { ...click, kind: 'open', task } as const;
      const reasons = await reasonOptions(ref, task, state.verdict);
      const { text } = commentIn(view.values);
      const next = await choice(form, reasons, { text, chosen: value });
      await Promise.all([
        filledForm(form, reasons, next).then((filled) => modals.replace(click, view, filled)),
        keep(form, { text: next.text, order: ts }),
      ]);
    },

    /** Returns the form for an OK again, as it was filled in, with what it costs. */
    withCost: ({ open, reasons, made: { comment: text, reason } }: SentComment, extras: FilledExtras) =>
      filledForm(open, reasons, { text, reason }, extras),
  };
}

/** Returns why a comment cannot be sent. */
function problemOf(text: string, { verdict }: Pick<Intent, 'verdict'>): string | undefined {
  return tooLong(text) ?? (text === '' && needsComment(verdict) ? reasonMissing : undefined);
}

/** Returns what of a decision its comment says: the text, and the saved reason if it is still used. */
function madeOf(
  { text, reason: chosen }: ChosenComment,
  reasons: readonly OfferedReason[],
): SentComment['made'] {
  const used = reasons.find(({ id, text: saved }) => id === chosen && isReasonUsed(saved, text));
  return { comment: text, ...(used ? { reason: used.id } : {}) };
}
