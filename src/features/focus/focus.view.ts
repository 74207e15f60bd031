import type { Button, KnownBlock, ModalView, Overflow } from '@slack/types';
import { linksIn } from '../../domain/evidence/texts.ts';
import { decidedIn, type FocusDecision, type FocusSession } from '../../domain/focus.ts';
import { byIndex, filesOnCard, missingPictures, withoutPictures } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountId, verdicts } from '../../domain/terms.ts';
import {
  actions,
  button,
  context,
  type Message,
  menuValue,
  modal,
  notice,
  option,
  section,
} from '../../slack/blocks.ts';
import type { IsRefused } from '../../slack/files.ts';
import { isCut } from '../../slack/mrkdwn.ts';
import { evidenceBlocks } from '../../ui/evidence.view.ts';
import {
  filesLine,
  filesWarning,
  instructionsBlocks,
  pictureBlocks,
  wholeProofWithAsked,
} from '../../ui/proof.view.ts';
import {
  assignmentLine,
  beforeBlocks,
  headingText,
  stateLine,
  type TaskFacts,
  undoEnd,
  undoLabel,
  wholeNotes,
} from '../../ui/task.view.ts';
import { counted, number } from '../../ui/words.ts';
import { deskButtons } from '../desk/public.ts';
import { filesButton } from '../files/public.ts';
import { closeLabel, encodeFocus, type FocusState } from './public.ts';

/** A decision that is not sent yet, and whose task it is on. */
export interface UndoableDecision extends FocusDecision {
  /** The worker's name, or their id without one. */
  readonly worker: string;
  /** When it is sent (ms); absent while it is held. */
  readonly until?: number;
}

export function undoButton({ verdict, worker }: UndoableDecision): Button {
  return button(undoLabel(verdict, worker), 'focus.undo', 'last');
}

/** Returns until when the last decision can be undone: a button cannot show a time in the reader's zone. */
function undoUntil(last: UndoableDecision | undefined): string[] {
  return last?.until === undefined ? [] : [`${last.verdict} can be undone until ${undoEnd(last.until)}`];
}

/** Data of a focus review's view. */
export interface FocusData extends TaskFacts {
  readonly state: FocusState;
  readonly task: Task;
  /** Number of tasks left, including this one, and number of tasks already decided. */
  readonly left: number;
  readonly decided: number;
  /** The decision that Undo takes back; absent once it is sent. */
  readonly last?: UndoableDecision | undefined;
  /** The filter, as mrkdwn; '' for none. */
  readonly label: string;
  /** Notices shown before this task, such as that a colleague has decided the previous one. */
  readonly notices: readonly Message[];
  /** Whether there is a desk that can be opened at this task. */
  readonly hasDesk?: boolean;
  /** Whether files and the whole proof are still being loaded. */
  readonly isLoading?: boolean;
  /** Whether Slack has refused a picture. */
  readonly isRefused?: IsRefused;
}

/** Maximum characters of the instructions; a button shows them all. */
const instructionsShown = 1_000;

/**
 * Renders a task in a focus review. The buttons come first: they never move from task to task, and are reached without
 * scrolling, also on a phone. OK is the submit button as well, which stays in sight below a long proof. There is no input,
 * so that no key decides by mistake.
 */
export function focusView(data: FocusData): ModalView {
  const { state, task, isRefused = () => false } = data;
  return modal({
    callbackId: 'focus.task',
    title: 'Review',
    submit: 'OK',
    close: closeLabel,
    state: encodeFocus(state),
    notifyOnClose: true,
    blocks: [
      actions(`focus/${state.step}`, [
        button('OK', 'focus.ok', task.id, { style: 'primary' }),
        button('REVISE', 'focus.revise', task.id),
        button('NOK', 'focus.nok', task.id, { style: 'danger' }),
        button('Skip', 'focus.skip', task.id),
        ...(data.last ? [undoButton(data.last)] : []),
        ...(linksIn(task.proof.slots).length > 0 ? [button('Open link…', 'focus.links', task.id)] : []),
        menuOf(data),
      ]),
      ...noticeBlocks(data.notices),
      section(headingText(data)),
      context(place(data)),
      ...(task.assignment ? [context(assignmentLine(task.assignment))] : []),
      ...evidenceBlocks(state.account, task, data.alike ?? [], data.asked, data.worker),
      ...(task.decision?.state === 'refused' ? [section(stateLine(task) ?? '')] : []),
      ...wholeNotes(data.notes ?? []),
      ...beforeBlocks(withoutPictures(task, isRefused)),
      ...wholeProofWithAsked(data.asked, task),
      ...fileBlocks(data, isRefused),
      ...(data.asked ? instructionsBlocks(data.asked, instructionsShown) : []),
      ...(data.asked && isCut(data.asked.work, instructionsShown)
        ? [
            actions(`focus.instructions/${state.step}`, [
              button('Full instructions', 'focus.instructions', task.id),
            ]),
          ]
        : []),
      ...(data.hasDesk
        ? [actions(`focus.desk/${state.step}`, deskButtons(true, { account: state.account, task: task.id }))]
        : []),
    ],
  });
}

/** Returns the notices of the previous step. */
function noticeBlocks(notices: readonly Message[]): KnownBlock[] {
  return notices
    .flatMap(({ blocks }) => blocks)
    .map((block, index) => ({ ...block, block_id: `focus.notice/${index}` }));
}

function place({ left, decided, label, last }: FocusData): string {
  const others = left - 1;
  const after = others === 0 ? 'the last one' : `${number(others)} left`;
  return [`Task ${number(decided + 1)}`, after, ...undoUntil(last), ...(label === '' ? [] : [label])].join(
    ' · ',
  );
}

function menuOf({ task: { id, detailed, proof } }: FocusData): Overflow {
  const mayHaveFiles = !detailed || proof.files.length > 0;
  return {
    type: 'overflow',
    action_id: 'focus.more',
    options: [
      option('OK with bonus or favorite', menuValue('extras', id)),
      ...(mayHaveFiles ? [option('Files…', menuValue('files', id))] : []),
      option('Notes…', menuValue('notes', id)),
      option('Select several tasks…', menuValue('select', id)),
      option('Worker…', menuValue('worker', id)),
    ],
  };
}

type Files = Pick<Task, 'id' | 'proof' | 'pictures'>;

const filesListed = 10;
/** Pictures that fit into a modal, next to the other blocks. */
const maxPictures = 60;

/** Renders the files of a review's task: its first pictures, and buttons for the rest. */
function fileBlocks({ state, task, isLoading = false }: FocusData, isRefused: IsRefused): KnownBlock[] {
  const { files } = task.proof;
  const { shown, counted, named } = filesOnCard(withoutPictures(task, isLoading ? () => true : isRefused));
  const refused = byIndex(task.pictures ?? []).filter(({ file }) => isRefused(file)).length;
  const buttons = [
    ...(counted.length > 0 && !isLoading
      ? [button(filesButton(0, counted.length, shown.length), 'focus.pictures', task.id)]
      : []),
    ...(named.length > 0 ? [button(filesButton(named.length, 0, 0), 'focus.files', task.id)] : []),
  ];
  return [
    ...(isLoading ? [context(':hourglass_flowing_sand: Loading files and pictures…')] : []),
    ...(files.length > 0 ? [context(filesLine(files, filesListed))] : []),
    ...filesWarning(task.proof),
    ...(refused > 0 && !isLoading
      ? [context(notShown(refused, (them) => `Open ${them} with the button below, or choose`))]
      : []),
    ...(buttons.length > 0 ? [actions(`focus.files/${state.step}`, buttons)] : []),
    ...pictureBlocks(files, shown),
  ];
}

/** Returns the note that pictures were not shown. @param how to see them, up to *Files…* in the menu */
function notShown(count: number, how: (them: string) => string): string {
  const [pictures, them] = count === 1 ? ['1 picture', 'it'] : [`${count} pictures`, 'them'];
  return `:warning: ${pictures} can’t be shown here. ${how(them)} *Files…* in the menu to post ${them} in the card’s thread.`;
}

/** Returns the view with all pictures of a task. @param isLoading some are still being loaded */
export function picturesView(task: Files, { isLoading = false } = {}): ModalView {
  const pictures = byIndex(task.pictures ?? []).slice(0, maxPictures);
  const missing = missingPictures({ ...task, pictures }).length;
  return modal({
    callbackId: 'focus.pictures',
    title: 'Pictures of this task',
    close: 'Back to the task',
    // Slack may refuse the whole view because of one picture, so the immediate view has none.
    blocks: isLoading
      ? [section(':hourglass_flowing_sand: Loading the pictures…')]
      : [
          ...pictureBlocks(task.proof.files, pictures),
          ...(missing > 0 ? [section(notShown(missing, () => 'Go back to the task and choose'))] : []),
          ...(pictures.length + missing === 0 ? [section('This task has no pictures.')] : []),
        ],
  });
}

type Counted = Pick<FocusSession, 'counts' | 'skipped'>;

/** Returns a review's results, in mrkdwn. @param left number of tasks still waiting, if it is to be shown */
export function summaryText(session: Counted, left = 0): string {
  const { counts, skipped } = session;
  const decided = decidedIn(session);
  const each = verdicts
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`);
  const what =
    decided === 0
      ? 'You didn’t rate any tasks.'
      : `You rated *${counted(decided, 'task')}*: ${each.join(', ')}.`;
  const aside = skipped.length === 0 ? '' : ` You skipped ${skipped.length}.`;
  const more = left === 0 ? '' : ` ${counted(left, 'task')} ${left === 1 ? 'is' : 'are'} left.`;
  return `${what}${aside}${more}`;
}

/** Returns the message for a review whose modal was closed before its queue was empty. */
export function summaryMessage(account: AccountId, session: Counted, left: number): Message {
  const said = notice(summaryText(session, left));
  if (left === 0) return said;
  return {
    ...said,
    blocks: [...said.blocks, actions('focus', [button('Continue', 'focus.continue', account)])],
  };
}

/** Renders the end of a review: nothing is left to decide. */
export function doneView(
  state: FocusState,
  session: Counted,
  { label, last, notices }: Pick<FocusData, 'label' | 'last' | 'notices'>,
): ModalView {
  // Those that were skipped still wait.
  const other = session.skipped.length > 0 ? 'other ' : '';
  const isEmpty = decidedIn(session) === 0 && session.skipped.length === 0;
  const buttons = [
    ...(last ? [undoButton(last)] : []),
    ...(session.skipped.length > 0 ? [button('Review skipped tasks', 'focus.skipped', 'skipped')] : []),
    button('Check for new tasks', 'focus.again', 'new'),
  ];
  return modal({
    callbackId: 'focus.done',
    title: 'Review',
    close: 'Close',
    state: encodeFocus(state),
    notifyOnClose: true,
    blocks: [
      ...noticeBlocks(notices),
      section(
        label === ''
          ? `:white_check_mark: No ${other}tasks are waiting for review.`
          : `No ${other}waiting tasks match: ${label}. To see all waiting tasks, type \`/review\`.`,
      ),
      ...(isEmpty ? [] : [section(summaryText(session))]),
      ...undoUntil(last).map((until) => context(until)),
      actions(`focus/${state.step}`, buttons),
    ],
  });
}

/** Returns the view of a review that is no longer known. */
export function expiredView(): ModalView {
  return modal({
    callbackId: 'focus.expired',
    title: 'Review',
    blocks: [
      section('This review has timed out, so your last click did nothing. Your earlier ratings still count.'),
      context('Start again with `/review`.'),
    ],
  });
}

/** Returns that a decision was undone. */
export function undoneText({ verdict }: FocusDecision): string {
  return `Your *${verdict}* for this task was undone. Rate it again or skip it.`;
}

/** For a decision that was undone elsewhere, and whose task has changed since. */
export const undoneBefore = 'That rating was already undone, and the task has changed since.';

/** For an undone task that is open again, but that a colleague has now. */
export const undoneElsewhere =
  'Your rating was undone. A colleague is already reviewing that task, so it is not shown here.';

/** Why OK has decided nothing. */
export const pressedTwice =
  'That OK came right after the previous one, so it was taken for a double click. This task is not rated yet.';

/** For files, which go to the thread of the card. */
export const cardForFiles =
  'Files go into the thread of the task’s card, which is still being posted. Open them again in a moment.';
