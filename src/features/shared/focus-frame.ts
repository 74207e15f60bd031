import type { InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { AccountId, TaskId, type WorkspaceId } from '../../domain/terms.ts';
import { actions, button, plainText } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import type { Click, OpenView } from '../../slack/feature.ts';
import { limits } from '../../slack/limits.ts';

/** What every view of a focus review remembers: the step that it is, and the task that it shows. */
const FocusState = z.object({
  account: AccountId,
  session: z.string(),
  step: z.number(),
  /** Absent when no task is left. */
  task: TaskId.exactOptional(),
  round: z.number().exactOptional(),
  /** The second verdict that it shows, where two reviewers differ. */
  saw: z.string().exactOptional(),
});
export type FocusState = z.infer<typeof FocusState>;

const InView = z.object({ focus: FocusState });
const inView = codec(InView, 'Start the review again: `/review`.');

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

/** The button that leads from a form back to the task. */
export const backButton = actions('focus.back', [button('Back to the task', 'focus.back', 'back')]);

/**
 * Returns a form of another feature in the frame of a focus review: the form's own state stays, closing it ends the review,
 * and a button leads back to the task.
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

/** A reason that was chosen may not stand in its input yet when it is sent: whether one is missing is found out then. */
function optionalComment(block: ModalView['blocks'][number]): ModalView['blocks'][number] {
  if (block.type !== 'input' || !block.block_id?.startsWith('comment.')) return block;
  const comment = block as InputBlock;
  return comment.optional ? comment : { ...comment, optional: true, hint: plainText(reasonHint, 2_000) };
}

/** Slack calls the input optional. */
const reasonHint = 'Needed unless you chose a saved reason above.';

interface ModalUpdates {
  replace(click: Click, open: OpenView, form: ModalView): Promise<void>;
}

/** How many updates of views may be made that a person can do without. */
export interface ViewBudget {
  /** Resolves whether one more may be made now. */
  mayUpdate(workspace: WorkspaceId): Promise<boolean>;
}

/**
 * Returns updates of a feature's forms that keep the frame which an open form has. In focus review, many people open many
 * forms: when Slack's limit is near, what was chosen is not filled in before it is sent.
 */
export function inFrame({ replace }: ModalUpdates, budget: ViewBudget): ModalUpdates {
  return {
    async replace(click, open, form) {
      const focus = frameOf(open.state);
      if (focus === undefined) return replace(click, open, form);
      if (await budget.mayUpdate(click.workspace))
        await replace(click, open, framed(form, open.callbackId, focus));
    },
  };
}

/** Returns what a form in the frame of a review remembers of it; undefined for a form elsewhere. */
export function frameOf(state: string): FocusState | undefined {
  try {
    return InView.safeParse(JSON.parse(state)).data?.focus;
  } catch {
    return undefined;
  }
}
