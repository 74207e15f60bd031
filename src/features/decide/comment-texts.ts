import type { Asked } from '../../domain/campaign.ts';
import { fillReason, type PlaceholderValues, type SavedReason } from '../../domain/reason.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, Verdict } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Modules } from '../../kit/modules.ts';
import { limits } from '../../slack/blocks.ts';
import { cut, withHiddenShown } from '../../slack/mrkdwn.ts';
import type { TypedText, TypedTextName } from '../../store/drafts.ts';

/** A saved reason as offered in a form: `text` is what the worker reads, with placeholders filled in. */
export type OfferedReason = Pick<SavedReason, 'id' | 'name' | 'text'>;

export type FillReason = (ref: AccountRef, task: Task, text: string) => Promise<string>;

/** Creates the reason options for every form that comments on a task. */
export function createReasonOptions(context: Modules) {
  const { campaigns } = context;

  async function valuesFor(ref: AccountRef, task: Task): Promise<PlaceholderValues> {
    const [campaign, asked] = await Promise.all([
      campaigns.get(ref, task.campaign),
      askedOfTask(context, ref, task),
    ]);
    return {
      worker: onOneLine(task.worker.name ?? task.worker.id),
      campaign: onOneLine(campaign?.title ?? 'this campaign'),
      asked: askedInWords(asked),
    };
  }

  return {
    /** Returns the saved reasons for a verdict on a task, most used first, with placeholders filled in. */
    async reasonOptions(ref: AccountRef, task: Task, verdict: Verdict): Promise<OfferedReason[]> {
      const [offered, values] = await Promise.all([
        campaigns.reasons.offered(ref, { campaign: task.campaign, verdict }),
        valuesFor(ref, task),
      ]);
      return offered.map(({ id, name, text }) => ({ id, name, text: fillReason(text, values) }));
    },

    /** Returns the saved reasons for a verdict offered in all of these campaigns, with placeholders left in. */
    async commonReasons(
      ref: AccountRef,
      chosen: readonly CampaignId[],
      verdict: Verdict,
    ): Promise<OfferedReason[]> {
      const ofVerdict = (await campaigns.reasons.all(ref)).filter((reason) => reason.verdict === verdict);
      return ofVerdict
        .filter(({ campaign }) => campaign === undefined || chosen.every((one) => one === campaign))
        .map(({ id, name, text }) => ({ id, name, text }));
    },

    /** Returns the texts of all saved reasons, filled in for a task if there is one, to recognize them in a comment. */
    async savedTexts(ref: AccountRef, task?: Task): Promise<string[]> {
      const [all, values] = await Promise.all([campaigns.reasons.all(ref), task && valuesFor(ref, task)]);
      return all.map(({ text }) => (values ? fillReason(text, values) : text));
    },

    fill: (async (ref, task, text) => fillReason(text, await valuesFor(ref, task))) satisfies FillReason,
  };
}

/** The author of a text, and its subject. */
type TextAbout = Omit<TypedTextName, 'slot'>;

/** Returns the name of a text. NOK and REVISE share one, because the same reason explains both. */
export function textName(about: TextAbout, verdict: Verdict): TypedTextName {
  return { ...about, slot: verdict === 'OK' ? 'comment' : 'reason' };
}

/** Stores a text about a task, to be offered in the next form about it. */
export async function keepText(
  { clock, tasks }: Modules,
  ref: AccountRef,
  about: TextAbout,
  typed: Omit<TypedText, 'at' | 'order'> & { readonly order?: string },
): Promise<void> {
  const text = cut(typed.text, limits.inputText);
  const name = textName(about, typed.verdict);
  await tasks.typedTexts.put(ref, name, { order: '', ...typed, text, at: clock.now() });
}

/** Returns a name or title as plain text on one line, without hidden characters. */
function onOneLine(text: string): string {
  return withHiddenShown(text).replace(/\s+/gu, ' ').trim();
}

/** Returns what the proof had to show, one line per part. */
function askedInWords(asked: Asked | undefined): string {
  const proofs = (asked?.proofs ?? []).map((proof) => proof.trim()).filter((proof) => proof !== '');
  if (proofs.length === 0) return 'everything that the instructions list';
  return proofs.length === 1
    ? (proofs[0] ?? '')
    : proofs.map((proof, index) => `${index + 1}. ${proof}`).join('\n');
}
