import type { ModalView } from '@slack/types';
import type { Message } from '../../slack/blocks.ts';
import type { Click } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Asker, CampaignsDeps } from './deps.ts';

/** How a request ended: what its modal shows then, and the same in a sentence. */
export interface Outcome {
  readonly view: ModalView;
  readonly sentence: string;
}

/**
 * Carries out what a submitted form asks for, once however often it is delivered (`once` names it), and shows how it
 * ended in the form's modal; when that was closed meanwhile, says it where it was asked.
 */
export async function carryOut(
  { claimOnce, messengerOf }: CampaignsDeps,
  asker: Asker,
  form: { readonly viewId: string; readonly once: string },
  run: () => Promise<Outcome>,
): Promise<void> {
  if (!(await claimOnce(asker.workspace, form.once))) return;
  const { view, sentence } = await run();
  try {
    await messengerOf(asker.workspace).updateModal(form.viewId, view);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    await asker.answer(notice(sentence));
  }
}

/** Shows what a click did in the message that was clicked in; when that cannot be changed any more, says it anew. */
export async function replaceOrSay(
  { replace, answer }: Pick<Click, 'replace' | 'answer'>,
  message: Message,
): Promise<void> {
  try {
    await replace(message);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    await answer(message);
  }
}
