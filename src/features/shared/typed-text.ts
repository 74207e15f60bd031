import type { AccountRef, Verdict } from '../../domain/terms.ts';
import { orderOf, type TypedText } from '../../domain/typed-text.ts';
import { cut, limits } from '../../slack/limits.ts';
import type { TypedTextName } from '../../store/typed-texts.ts';
import type { FeatureContext } from './context.ts';

/** Whose text it is, and about what. */
export type TypedAbout = Omit<TypedTextName, 'slot'>;

/** The form that something was typed into. */
export interface TypedForm {
  readonly verdict: Verdict;
  /** When it was opened (ms): it is carried in the form's state. */
  readonly form: number;
}

export type TypedTextKeeper = ReturnType<typeof createTypedText>;

/** Creates what keeps the text that is typed into a form about a task until it was sent, and offers it again. */
export function createTypedText({
  logger,
  now,
  typedTexts,
}: Pick<FeatureContext, 'logger' | 'now' | 'typedTexts'>) {
  const put = (
    ref: AccountRef,
    about: TypedAbout,
    typed: Omit<TypedText, 'at' | 'order'> & { readonly order?: string },
  ) =>
    typedTexts.put(ref, nameOf(about, typed.verdict), {
      order: '',
      ...typed,
      text: cut(typed.text, limits.inputText),
      at: now(),
    });

  return {
    /** Returns the text that a member has typed about a task and not sent, for a form that asks for it again. */
    offered: (ref: AccountRef, about: TypedAbout, verdict: Verdict): Promise<TypedText | undefined> =>
      typedTexts.get(ref, nameOf(about, verdict)),

    /**
     * Stores what stands in an input. One that arrives late does not overwrite a newer one.
     * @param ts Slack's time of it (`action_ts`)
     */
    async typed(
      ref: AccountRef,
      about: TypedAbout,
      { ts, ...typed }: TypedForm & { readonly ts: string; readonly text: string },
    ): Promise<void> {
      await put(ref, about, { ...typed, order: orderOf(ts), from: 'typed' });
    },

    /** Ends a form that was sent: what is still told of it is not offered. */
    sent: (ref: AccountRef, about: TypedAbout, form: TypedForm): Promise<void> =>
      put(ref, about, { ...form, text: '', isSent: true, from: 'typed' }),

    /** Stores what was sent in vain, because somebody else was first: it is offered if the task is open again. */
    late: (ref: AccountRef, about: TypedAbout, form: TypedForm & { readonly text: string }): Promise<void> =>
      put(ref, about, { ...form, isSent: true, from: 'late' }),

    /** Stores the reason of a decision that was undone, for whoever made it. */
    undone: (
      ref: AccountRef,
      about: TypedAbout,
      decision: { readonly verdict: Verdict; readonly text: string },
    ): Promise<void> => put(ref, about, { ...decision, form: now(), from: 'undone' }),

    /**
     * Runs what an input has told while somebody types. It fails silently: an answer for each letter would help nobody,
     * and what was typed still stands in the form.
     */
    async whileTyping(run: () => Promise<void>): Promise<void> {
      await run().catch((error: unknown) => logger.debug({ err: error }, 'typed text not stored'));
    },
  };
}

/** What explains a NOK explains a REVISE; the comment that goes with an OK is another matter. */
function nameOf(about: TypedAbout, verdict: Verdict): TypedTextName {
  return { ...about, slot: verdict === 'OK' ? 'comment' : 'reason' };
}
