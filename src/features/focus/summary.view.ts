import type { KnownBlock, ModalView } from '@slack/types';
import type { Asked } from '../../domain/brief.ts';
import type { FocusDecision, FocusSession } from '../../domain/focus.ts';
import { decidedIn } from '../../domain/focus.ts';
import type { Task } from '../../domain/task.ts';
import { verdicts } from '../../domain/terms.ts';
import { backButton, closeLabel, encodeFocus, type FocusState } from '../../kit/focus-frame.ts';
import { actions, button, context, type Message, modal, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';
import { instructionsBlocks } from '../../ui/proof.view.ts';
import { type UndoableDecision, undoButton } from './focus.view.ts';

type Counted = Pick<FocusSession, 'counts' | 'skipped'>;

/** Returns a review's results, in mrkdwn. @param left number of tasks still waiting, if it is to be shown */
export function summaryText(session: Counted, left = 0): string {
  const { counts, skipped } = session;
  const decided = decidedIn(session);
  const each = verdicts.flatMap((verdict) =>
    (counts[verdict] ?? 0) > 0 ? [`${counts[verdict]} ${verdict}`] : [],
  );
  const what =
    decided === 0
      ? 'You decided on no task.'
      : `You decided on *${decided === 1 ? '1 task' : `${decided.toLocaleString('en')} tasks`}*: ${each.join(', ')}.`;
  const aside = skipped.length === 0 ? '' : ` You skipped ${skipped.length}.`;
  const more =
    left === 0 ? '' : ` ${left === 1 ? '1 task is' : `${left.toLocaleString('en')} tasks are`} left.`;
  return `${what}${aside}${more}`;
}

/** Returns the message for a review whose modal was closed before its queue was empty. */
export function summaryMessage(session: Counted, left: number): Message {
  return notice(`${summaryText(session, left)}${left > 0 ? ' Go on with `/review`.' : ''}`);
}

/** Renders the end of a review: nothing is left to decide. */
export function doneView(
  state: FocusState,
  session: Counted,
  {
    label,
    last,
    notices,
  }: { readonly label: string; readonly last?: UndoableDecision; readonly notices: readonly Message[] },
): ModalView {
  // Those that were skipped still wait.
  const other = session.skipped.length > 0 ? 'other ' : '';
  const isEmpty = decidedIn(session) === 0 && session.skipped.length === 0;
  const buttons = [
    ...(last ? [undoButton(last)] : []),
    ...(session.skipped.length > 0 ? [button('Review the skipped ones', 'focus.skipped', 'skipped')] : []),
    button('Look for new tasks', 'focus.again', 'new'),
  ];
  const said = notices.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'section'));
  return modal({
    callbackId: 'focus.done',
    title: 'Review',
    close: 'Close',
    state: encodeFocus(state),
    notifyOnClose: true,
    blocks: [
      ...said.map((block, index): KnownBlock => ({ ...block, block_id: `focus.notice/${index}` })),
      section(
        label === ''
          ? `:white_check_mark: No ${other}task is waiting for review.`
          : `No ${other}waiting task matches: ${label}. For all that wait, type \`/review\` alone.`,
      ),
      ...(isEmpty ? [] : [section(summaryText(session))]),
      actions(`focus/${state.step}`, buttons),
    ],
  });
}

/** Returns the view shown during an action that exceeds Slack's timeout. @param text mrkdwn */
export function waitingView(state: FocusState, text: string): ModalView {
  return modal({
    callbackId: 'focus.waiting',
    title: 'Review',
    close: closeLabel,
    state: encodeFocus(state),
    notifyOnClose: true,
    blocks: [section(text)],
  });
}

export const payingBonus = ':hourglass_flowing_sand: Rating OK with the bonus…';
export const excludingWorker = ':hourglass_flowing_sand: Excluding this worker…';

/** Returns the view of a review that is no longer known. */
export function expiredView(): ModalView {
  return modal({
    callbackId: 'focus.expired',
    title: 'Review',
    blocks: [
      section(
        'This review has timed out, so your last click did nothing. Tasks that you rated before keep their ratings.',
      ),
      context('Start it again with `/review`.'),
    ],
  });
}

/** Returns the view that asks whether to exclude a worker. */
export function excludeView(state: FocusState, { worker }: Pick<Task, 'worker'>): ModalView {
  return modal({
    callbackId: 'focus.exclude',
    title: 'Exclude this worker',
    submit: 'Exclude',
    close: closeLabel,
    state: encodeFocus(state),
    notifyOnClose: true,
    blocks: [
      section(
        `Exclude worker ${inline(worker.name ?? worker.id, 60)} (${inline(worker.id, 60)})? They can no longer take your campaigns. Their task still waits for your decision.`,
      ),
      backButton,
    ],
  });
}

/** Returns that a decision was undone. */
export function undoneText({ verdict }: FocusDecision): string {
  return `Your *${verdict}* for this task was undone. Decide again, or skip it.`;
}

/** For a decision that was undone elsewhere, and whose task has changed since. */
export const undoneBefore = 'That decision was undone already, and its task has changed since.';

/** For an undone task that is open again, but that a colleague has now. */
export const undoneElsewhere =
  'Your decision was undone. A colleague is reviewing that task already, so it is not shown here.';

/** For a task that left the queue before it was decided. */
export const leftQueue = 'The task before this one no longer waits for a decision.';

/** Why OK has decided nothing. */
export const pressedTwice =
  'That OK came together with the one before, so it was taken for a double click. This task is not rated yet.';

/** For files being loaded; they go to the thread of the card, which may have to be posted first. */
export const loadingFiles = ':hourglass_flowing_sand: Loading the list of files…';
export const cardForFiles =
  'Files are fetched into the thread of the task’s card, which is still being posted. Open them again in a moment.';

/** Returns the view with the full instructions above a task. */
export function instructionsView(asked: Asked | undefined): ModalView {
  return modal({
    callbackId: 'focus.instructions',
    title: 'Instructions',
    blocks: instructionsBlocks(asked),
  });
}
