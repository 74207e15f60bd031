import type { ModalView } from '@slack/types';
import { type Money, money } from '../../domain/money.ts';
import { isReasonUsed, withReason } from '../../domain/reason.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { frameOf } from '../../kit/focus-frame.ts';
import type { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import type { OfferedReason, ReasonOptions } from '../../kit/reasons.ts';
import type { Click, SubmissionAnswer } from '../../slack/feature.ts';
import type { Values } from '../../slack/form-values.ts';
import { commentIn, reasonGone, reasonMissing, tooLong } from '../../ui/comment-input.view.ts';
import { extrasModal, type FilledExtras, reasonModal, type ShownComment } from './decide.view.ts';
import { decodeIntent, type Intent } from './intent.ts';
import type { TypedAbout, TypedForm, TypedTextKeeper } from './typed-text.ts';
import type { createWhoHas } from './who-has.ts';

/** A requested decision on a task that is still open. */
export interface OpenRequest {
  readonly ref: AccountRef;
  readonly intent: Intent;
  readonly task: Task;
  /** The member who asked for it. */
  readonly member: MemberId;
  /** Slack could not be asked whether they may rate. */
  readonly unchecked?: true;
}

export type CommentFormDeps = ReasonOptions &
  Modules & {
    readonly modals: Pick<ReturnType<typeof createModalUpdates>, 'replace'>;
    readonly typedText: TypedTextKeeper;
    readonly whoHas: Pick<ReturnType<typeof createWhoHas>, 'others'>;
  };

/** A submitted comment. */
export interface SentComment {
  readonly comment: string;
  /** The saved reason it was based on. */
  readonly reason?: string;
}

/** Returns the form an intent was typed into; undefined for an intent that began without a form. */
export function typedFormOf({ verdict, form }: Intent): TypedForm | undefined {
  return form === undefined ? undefined : { verdict, form };
}

/** Creates a card's forms that ask for a comment: the reason of a NOK or REVISE, and an OK with extras. */
export function createCommentForm(deps: CommentFormDeps) {
  const { campaigns, clock, tasks, modals, reasonOptions, typedText } = deps;

  async function rendered(
    { ref, intent, task, member }: OpenRequest,
    comment: Omit<ShownComment, 'filled' | 'chosen'>,
    extras?: FilledExtras,
  ): Promise<ModalView> {
    const campaign = await campaigns.get(ref, task.campaign);
    const title = campaign?.title ?? 'A campaign';
    const shown: ShownComment = { ...comment, filled: intent.filled ?? 0, chosen: intent.reason };
    const others = intent.isOfMany ? undefined : await deps.whoHas.others(ref, task, member);
    const asked = await askedOfTask(deps, ref, task);
    if (!intent.extras) return reasonModal(intent, task, title, { ...shown, asked, others });
    const payment: Money | undefined = campaign && money(campaign.paymentPerTask);
    return extrasModal(intent, task, title, { payment, asked, comment: shown, filled: extras, others });
  }

  /** Returns a form filled with a text; `reason` is the saved reason it came from. */
  function filledForm(
    request: OpenRequest,
    reasons: readonly OfferedReason[],
    { text, reason, problem }: { text: string; reason: string | undefined; problem?: string | undefined },
  ): Promise<ModalView> {
    const { reason: _, shown: __, ...intent } = request.intent;
    const filled = {
      ...intent,
      filled: (intent.filled ?? 0) + 1,
      ...(reason === undefined ? {} : { reason }),
    };
    return rendered({ ...request, intent: filled }, { reasons, text, problem });
  }

  /** Returns the text after applying the chosen reason, or why it stays unchanged. */
  async function choice(
    { ref, task, intent: { reason: before } }: OpenRequest,
    reasons: readonly OfferedReason[],
    { text, chosen }: { text: string; chosen: string },
  ): Promise<{ text: string; reason: string | undefined; problem?: string | undefined }> {
    const reason = reasons.find(({ id }) => id === chosen);
    if (reason === undefined) return { text, reason: before, problem: reasonGone };
    const last = reasons.find(({ id }) => id === before)?.text;
    const next = withReason(text, await deps.savedTexts(ref, task), reason.text, last);
    const problem = tooLong(next);
    return problem === undefined ? { text: next, reason: reason.id } : { text, reason: before, problem };
  }

  /** Returns the request of a click in an open form; undefined for an unknown task. */
  async function requestIn({ view, member, authorize }: Click): Promise<OpenRequest | undefined> {
    const intent = view && decodeIntent(view.state);
    if (intent === undefined) return undefined;
    const ref = await authorize({ account: intent.account, isPreparing: true });
    const task = await tasks.get(ref, intent.task);
    return task && { ref, intent, task, member };
  }

  return {
    /** Returns the form a member asked for, with the text they typed for it before. */
    async opened({ ref, intent, task, member }: OpenRequest): Promise<ModalView> {
      const [reasons, again] = await Promise.all([
        reasonOptions(ref, task, intent.verdict),
        typedText.offered(ref, aboutOf(intent, member), intent.verdict),
      ]);
      // State of an earlier form does not apply to this one.
      const { filled: _, reason: __, ...rest } = intent;
      const own = { ...rest, form: clock.now() };
      return rendered({ ref, intent: own, task, member }, { reasons, text: again?.text ?? '', again });
    },

    /** Stores text while it is being typed. */
    typed: (click: Click): Promise<void> =>
      typedText.whileTyping(async () => {
        const intent = click.view && decodeIntent(click.view.state);
        const form = intent && typedFormOf(intent);
        if (intent === undefined || form === undefined) return;
        const ref = await click.authorize({ account: intent.account, isPreparing: true });
        const { ts, value: text } = click;
        await typedText.typed(ref, aboutOf(intent, click.member), { ...form, ts, text });
        await renewReview(deps, ref, click.view?.state ?? '');
      }),

    /** Fills in the saved reason that was chosen. */
    async choose(click: Click): Promise<void> {
      const { view, member, ts, value } = click;
      const request = await requestIn(click);
      if (view === undefined || request === undefined) return;
      const { ref, intent, task } = request;
      await renewReview(deps, ref, view.state);
      const reasons = await reasonOptions(ref, task, intent.verdict);
      const { text } = commentIn(view.values);
      const next = await choice(request, reasons, { text, chosen: value });
      const form = typedFormOf(intent);
      await Promise.all([
        filledForm(request, reasons, next).then((filled) => modals.replace(click, view, filled)),
        form && typedText.typed(ref, aboutOf(intent, member), { ...form, ts, text: next.text }),
      ]);
    },

    /**
     * Returns the comment in a submitted form, or an answer: errors, or the form with a chosen reason that is not
     * displayed yet.
     */
    async sent(request: OpenRequest, values: Values): Promise<SentComment | { answer: SubmissionAnswer }> {
      const { ref, intent, task } = request;
      const { name, text, chosen } = commentIn(values, intent.reason);
      const reasons = chosen === undefined ? [] : await reasonOptions(ref, task, intent.verdict);
      const isShown = chosen === undefined || chosen === intent.reason;
      // The form was submitted before Slack displayed the reason; with no other text, the intent is unambiguous.
      const next = isShown ? { text, reason: chosen } : await choice(request, reasons, { text, chosen });
      if (!isShown && text !== '') return { answer: { update: await filledForm(request, reasons, next) } };
      const problem = tooLong(next.text);
      if (problem !== undefined) return { answer: { errors: { [name]: problem } } };
      if (next.text === '' && !intent.extras) return { answer: { errors: { [name]: reasonMissing } } };
      const reason = reasons.find(({ id }) => id === next.reason);
      const isUsed = reason !== undefined && isReasonUsed(reason.text, next.text);
      return { comment: next.text, ...(isUsed ? { reason: reason.id } : {}) };
    },

    /** Returns the form for an OK again, as it was filled in. */
    async again(request: OpenRequest, text: string, extras: FilledExtras): Promise<ModalView> {
      const { ref, intent, task } = request;
      return rendered(request, { reasons: await reasonOptions(ref, task, intent.verdict), text }, extras);
    },
  };
}

/** Returns the key of the draft text that a member types into an intent's form. */
export function aboutOf({ task, round }: Pick<Intent, 'task' | 'round'>, member: MemberId): TypedAbout {
  return { task, round, member };
}

/**
 * Renews a review's leases when somebody types or chooses in one of its forms: a reviewer who takes long to write is not
 * away.
 * @param state of the form, which may be outside a review
 */
async function renewReview({ tasks }: Modules, ref: AccountRef, state: string): Promise<void> {
  const focus = frameOf(state);
  if (focus !== undefined) await tasks.leases.renew(ref, focus.session);
}
