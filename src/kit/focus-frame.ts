import type { InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { AccountId, TaskId } from '../domain/terms.ts';
import { actions, button, limits, plainText } from '../slack/blocks.ts';
import type { Click, OpenView } from '../slack/feature.ts';
import { codec } from '../slack/form-values.ts';
import type { RateLimiter } from '../store/pauses.ts';

/** State of every view of a focus review: its step, and the task it shows. */
const FocusState = z.object({
  account: AccountId,
  session: z.string(),
  step: z.number(),
  /** Absent when no task is left. */
  task: TaskId.exactOptional(),
  round: z.number().exactOptional(),
});
export type FocusState = z.infer<typeof FocusState>;

const InView = z.object({ focus: FocusState });
const inView = codec('form', InView, 'Start the review again: `/review`.');

export function encodeFocus(focus: FocusState): string {
  return inView.encode({ focus });
}

/** Decodes the state of a view; throws a UserError if it has none. */
export function decodeFocus(text: string): FocusState {
  return inView.decode(text).focus;
}

export const closeLabel = 'End review';

export const backButton = actions('focus.back', [button('Back to the task', 'focus.back', 'back')]);

/**
 * Returns another feature's form in the frame of a focus review: it keeps its own state, closing it ends the review, and
 * a button returns to the task.
 */
export function framed(form: ModalView, callbackId: string, focus: FocusState): ModalView {
  const own = JSON.parse(form.private_metadata ?? '{}') as object;
  return {
    ...form,
    callback_id: callbackId,
    private_metadata: JSON.stringify({ ...own, focus }),
    close: plainText(closeLabel, limits.modalTitle),
    notify_on_close: true,
    blocks: [...(offersReasons(form) ? form.blocks.map(optionalComment) : form.blocks), backButton],
  };
}

function offersReasons({ blocks }: ModalView): boolean {
  return blocks.some(({ block_id: id }) => id?.startsWith('reason.'));
}

/** A chosen reason may not be in its input yet on submit, so the required check happens then. */
function optionalComment(block: ModalView['blocks'][number]): ModalView['blocks'][number] {
  if (block.type !== 'input' || !block.block_id?.startsWith('comment.')) return block;
  const comment = block as InputBlock;
  return comment.optional ? comment : { ...comment, optional: true, hint: plainText(reasonHint, 2_000) };
}

/** Slack labels the input optional. */
const reasonHint = 'Required unless you chose a saved reason above.';

interface ModalUpdates {
  replace(click: Click, open: OpenView, form: ModalView): Promise<void>;
}

/**
 * Returns form updates that keep an open form's frame. While Slack
 * limits updates, the choice is filled in only on submit, so that the next tasks of reviews come first.
 */
export function inFrame({ replace }: ModalUpdates, rateLimiter: Pick<RateLimiter, 'acquire'>): ModalUpdates {
  return {
    async replace(click, open, form) {
      const focus = frameOf(open.state);
      if (focus === undefined) return replace(click, open, form);
      const call = { workspace: click.workspace, method: 'views.update', isBackground: true };
      if ((await rateLimiter.acquire(call)) === 0)
        await replace(click, open, framed(form, open.callbackId, focus));
    },
  };
}

/** Returns the review state in a framed form; undefined for a form elsewhere. */
export function frameOf(state: string): FocusState | undefined {
  try {
    return InView.safeParse(JSON.parse(state)).data?.focus;
  } catch {
    return undefined;
  }
}
