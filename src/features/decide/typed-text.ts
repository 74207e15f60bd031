import type { AccountRef, Verdict } from '../../domain/terms.ts';
import { orderOf, type TypedText } from '../../domain/typed-text.ts';
import type { Modules } from '../../kit/modules.ts';
import { limits } from '../../slack/blocks.ts';
import { cut } from '../../slack/mrkdwn.ts';
import type { TypedTextName } from '../../store/drafts.ts';

/** The author of a text, and its subject. */
export type TypedAbout = Omit<TypedTextName, 'slot'>;

/** The form in which text is typed. */
export interface TypedForm {
  readonly verdict: Verdict;
  /** When it was opened (ms); carried in the form's state. */
  readonly form: number;
}

export type TypedTextKeeper = ReturnType<typeof createTypedText>;

/** Creates the storage of text typed into a form about a task: saved while typing, kept until sent, and offered again. */
export function createTypedText({ log, clock, tasks }: Modules) {
  const put = (
    ref: AccountRef,
    about: TypedAbout,
    typed: Omit<TypedText, 'at' | 'order'> & { readonly order?: string },
  ) =>
    tasks.typedTexts.put(ref, nameOf(about, typed.verdict), {
      order: '',
      ...typed,
      text: cut(typed.text, limits.inputText),
      at: clock.now(),
    });

  return {
    /** Returns a member's unsent text about a task, for a form that asks for it again. */
    offered: (ref: AccountRef, about: TypedAbout, verdict: Verdict): Promise<TypedText | undefined> =>
      tasks.typedTexts.get(ref, nameOf(about, verdict)),

    /**
     * Stores an input's text. Late deliveries do not overwrite newer text.
     * @param ts Slack's time of it (`action_ts`)
     */
    async typed(
      ref: AccountRef,
      about: TypedAbout,
      { ts, ...typed }: TypedForm & { readonly ts: string; readonly text: string },
    ): Promise<void> {
      await put(ref, about, { ...typed, order: orderOf(ts), from: 'typed' });
    },

    /** Ends a submitted form: late updates are not offered. */
    sent: (ref: AccountRef, about: TypedAbout, form: TypedForm): Promise<void> =>
      put(ref, about, { ...form, text: '', isSent: true, from: 'typed' }),

    /** Stores text that came too late because somebody else was first: offered if the task reopens. */
    late: (ref: AccountRef, about: TypedAbout, form: TypedForm & { readonly text: string }): Promise<void> =>
      put(ref, about, { ...form, isSent: true, from: 'late' }),

    /** Stores the reason of an undone decision for its author. */
    undone: (
      ref: AccountRef,
      about: TypedAbout,
      decision: { readonly verdict: Verdict; readonly text: string },
    ): Promise<void> => put(ref, about, { ...decision, form: clock.now(), from: 'undone' }),

    /**
     * Saves text while somebody types. Failures are silent: an error per keystroke would help nobody, and the text
     * is still in the form.
     */
    async whileTyping(run: () => Promise<void>): Promise<void> {
      await run().catch((error: unknown) => log.debug({ err: error }, 'typed text not stored'));
    },
  };
}

/** NOK and REVISE share one text, because the same reason explains both; the comment of an OK is separate. */
function nameOf(about: TypedAbout, verdict: Verdict): TypedTextName {
  return { ...about, slot: verdict === 'OK' ? 'comment' : 'reason' };
}
