import type { Button, KnownBlock, ModalView, Overflow } from '@slack/types';
import type { Asked } from '../../domain/brief.ts';
import { countryName } from '../../domain/evidence/travel.ts';
import type { FocusDecision } from '../../domain/focus.ts';
import { formatMoney, money } from '../../domain/money.ts';
import { linksIn } from '../../domain/proof-links.ts';
import type { Task } from '../../domain/task.ts';
import type { ShownRecord } from '../../domain/worker.ts';
import { closeLabel, encodeFocus, type FocusState } from '../../kit/focus-frame.ts';
import {
  actions,
  button,
  context,
  type Message,
  menuValue,
  modal,
  option,
  section,
} from '../../slack/blocks.ts';
import { isCut } from '../../slack/limits.ts';
import { date, inline, preformatted, user } from '../../slack/mrkdwn.ts';
import type { IsRefused } from '../../slack/refused-pictures.ts';
import type { AlikeTask } from '../../store/evidence.ts';
import type { StoredNote } from '../../store/notes.ts';
import { evidenceBlocks, unchangedPicturesLine } from '../../ui/evidence.view.ts';
import { instructionsBlocks, wholeProofWithAsked } from '../../ui/proof.view.ts';
import { assignmentLine, wholeNotes } from '../../ui/task.view.ts';
import type { WorkerFacts } from '../../ui/worker.view.ts';
import { workerRecordLine } from '../../ui/worker.view.ts';
import { fileBlocks } from './files.view.ts';

/** A decision that is not sent yet, and whose task it is on. */
export interface UndoableDecision extends FocusDecision {
  /** The worker's name, or their id without one. */
  readonly worker: string;
}

export function undoButton({ verdict, worker, decision }: UndoableDecision): Button {
  return button(`Undo ${verdict} for ${worker}`, 'focus.undo', decision);
}

/** Data of a focus review's view. */
export interface FocusData {
  readonly state: FocusState;
  readonly task: Task;
  readonly campaignTitle: string;
  /** Decimal text; absent if the campaign is unknown. */
  readonly paymentPerTask?: string;
  /** When it is due (ms), if known. */
  readonly dueAt?: number;
  readonly record: ShownRecord;
  /** Colleagues' notes, newest first. */
  readonly notes?: readonly StoredNote[];
  /** Tasks with evidence in common. */
  readonly alike?: readonly AlikeTask[];
  /** Facts about the worker. */
  readonly worker?: WorkerFacts;
  /** What the task asked for; absent if unknown. */
  readonly asked?: Asked;
  /** Number of tasks left, including this one, and number of tasks already decided. */
  readonly left: number;
  readonly decided: number;
  /** The decision that Undo takes back; absent once it is sent. */
  readonly last?: UndoableDecision;
  /** The filter, as mrkdwn; '' for none. */
  readonly label: string;
  /** Notices shown before this task, such as that a colleague has decided the previous one. */
  readonly notices: readonly Message[];
  /** Whether files and the whole proof are still being loaded. */
  readonly isLoading?: boolean;
  /** Whether Slack has refused a picture. */
  readonly isRefused?: IsRefused;
}

/** Maximum characters of the instructions; a button shows them all. */
const instructionsShown = 1_000;

/**
 * Renders a task in a focus review: OK is the submit button, and everything else is at the top, reachable without
 * scrolling, also on a phone. There is no input, so that no key decides by mistake.
 */
export function focusView(data: FocusData): ModalView {
  const { state, task } = data;
  return modal({
    callbackId: 'focus.task',
    title: 'Review',
    submit: 'OK',
    close: closeLabel,
    state: encodeFocus(state),
    notifyOnClose: true,
    blocks: [
      ...noticeBlocks(data.notices),
      section(heading(data)),
      context(place(data)),
      actions(`focus/${state.step}`, [
        button('REVISE', 'focus.revise', task.id),
        button('NOK', 'focus.nok', task.id, { style: 'danger' }),
        button('Skip', 'focus.skip', task.id),
        ...(data.last ? [undoButton(data.last)] : []),
        ...(linksIn(task.proof.slots).length > 0 ? [button('Open link…', 'focus.links', task.id)] : []),
        menuOf(data),
      ]),
      ...(task.assignment ? [context(assignmentLine(task.assignment))] : []),
      ...evidenceBlocks(state.account, task, data.alike ?? [], data.asked, data.worker),
      ...refusedBlocks(task),
      ...wholeNotes(data.notes ?? []),
      ...beforeBlocks(task),
      ...wholeProofWithAsked(data.asked, task),
      ...fileBlocks(task, {
        step: state.step,
        isLoading: data.isLoading ?? false,
        isRefused: data.isRefused ?? (() => false),
      }),
      ...(data.asked ? instructionsBlocks(data.asked, instructionsShown) : []),
      ...(data.asked && isCut(data.asked.work, instructionsShown)
        ? [
            actions(`focus.instructions/${state.step}`, [
              button('All of the instructions', 'focus.instructions', task.id),
            ]),
          ]
        : []),
    ],
  });
}

/** Returns the notices of the previous step. */
function noticeBlocks(notices: readonly Message[]): KnownBlock[] {
  return notices
    .slice(0, 3)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'section' || type === 'context'))
    .map((block, index) => ({ ...block, block_id: `focus.notice/${index}` }));
}

function heading({ task, campaignTitle, paymentPerTask, dueAt, record }: FocusData): string {
  const { worker, proof } = task;
  const name = worker.name ? `${inline(worker.name, 60)} (${inline(worker.id, 60)})` : inline(worker.id, 60);
  const when = [
    ...(proof.finishedAt === undefined
      ? []
      : [date(proof.finishedAt, 'Finished {date_short_pretty} at {time}')]),
    ...(dueAt === undefined ? [] : [`*${date(dueAt, 'Due {date_short_pretty} at {time}')}*`]),
    ...(paymentPerTask === undefined ? [] : [`Pays ${formatMoney(money(paymentPerTask))}`]),
  ];
  const who = [`Worker ${name}`, inline(countryName(worker.country), 60), workerRecordLine(record) ?? ''];
  return [`*${inline(campaignTitle)}*`, who.filter((part) => part !== '').join(' · '), when.join(' · ')]
    .filter((line) => line !== '')
    .join('\n');
}

function place({ left, decided, label }: FocusData): string {
  const others = left - 1;
  const after = others === 0 ? 'the last one' : `${others.toLocaleString('en')} more after this one`;
  return [
    `*${(decided + 1).toLocaleString('en')}* of this review, ${after}`,
    ...(label === '' ? [] : [label]),
  ].join(' · ');
}

/** Returns the note on a decision the marketplace has refused: the task is open again. */
function refusedBlocks({ decision }: Task): KnownBlock[] {
  if (decision?.state !== 'refused') return [];
  const why = inline(decision.problem?.text ?? '', 600);
  return [section(`:warning: *${decision.verdict}* by ${user(decision.by)} was not accepted. ${why}`)];
}

function beforeBlocks(task: Task): KnownBlock[] {
  const { before, round, proof } = task;
  if (before === undefined) return [];
  const asked = before.comment.trim() === '' ? '' : ` “${inline(before.comment, 300)}”`;
  const who = before.by ? `${user(before.by)} requested a revision:` : 'Comment on the round before:';
  const text = before.slots.join('\n');
  const isSame = text.trim() === proof.slots.join('\n').trim();
  const old = text.trim() === '' || isSame ? '' : `\nBefore:\n${preformatted(text, 300)}`;
  return [
    section(
      `:leftwards_arrow_with_hook: *Round ${round}*${asked === '' ? '' : `\n${who}${asked}`}${old}${unchangedPicturesLine(task)}`,
    ),
  ];
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
      option('Exclude this worker', menuValue('exclude', id)),
    ],
  };
}
