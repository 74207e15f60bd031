import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { AccountId, TaskId } from '../../domain/terms.ts';
import { plainText } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { limits } from '../../slack/limits.ts';

/** What every view of a focus review remembers: the step that it is, and the task that it shows. */
const FocusState = z.object({
  account: AccountId,
  session: z.string(),
  step: z.number(),
  /** Absent when no task is left. */
  task: TaskId.exactOptional(),
  round: z.number().exactOptional(),
});
export type FocusState = z.infer<typeof FocusState>;

const inView = codec(z.object({ focus: FocusState }), 'Start the review again: `/review`.');

/** Encodes the state of a view of its own. */
export function encodeFocus(focus: FocusState): string {
  return inView.encode({ focus });
}

/** Decodes the state of a view; throws a UserError when it has none. */
export function decodeFocus(text: string): FocusState {
  return inView.decode(text).focus;
}

/** Words of the button that closes the modal, and with it ends the review. */
export const closeLabel = 'End review';

/** Returns a form of another feature as a view of the review: its own state stays, and closing it ends the review. */
export function asFocusView(form: ModalView, callbackId: string, focus: FocusState): ModalView {
  const own = JSON.parse(form.private_metadata ?? '{}') as object;
  return {
    ...form,
    callback_id: callbackId,
    private_metadata: JSON.stringify({ ...own, focus }),
    close: plainText(closeLabel, limits.modalTitle),
    notify_on_close: true,
  };
}
