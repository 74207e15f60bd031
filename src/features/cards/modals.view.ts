import type { KnownBlock, ModalView } from '@slack/types';
import { type Asked, type ShownTask, templateRow } from '../../domain/campaign.ts';
import { linksIn } from '../../domain/evidence/texts.ts';
import { finishedAtOf, isOpen, type Task } from '../../domain/task.ts';
import type { AccountId, MemberId } from '../../domain/terms.ts';
import { maskIp } from '../../domain/worker.ts';
import { actions, button, modal, section } from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/message-tags.ts';
import { code, dateAtStart, inline } from '../../slack/mrkdwn.ts';
import type { StoredNote } from '../../store/notes.ts';
import { wholeProofWithAsked } from '../../ui/proof.view.ts';
import { assignmentLine, wholeNotes } from '../../ui/task.view.ts';
import { nameWithId, ratingWords } from '../../ui/words.ts';
import { assignButtons } from '../assignments/public.ts';

/** Returns the modal with the whole proof: every slot in full, below what was asked for. */
export function wholeProof(task: ShownTask, campaignTitle: string, asked?: Asked): ModalView {
  return modal({
    callbackId: 'task.proof',
    title: 'Full proof',
    blocks: [section(`*${inline(campaignTitle)}*`), ...wholeProofWithAsked(asked, task)],
  });
}

/** Data of the modal of a task's details. */
export interface DetailsData {
  readonly account: AccountId;
  readonly task: Task;
  readonly campaignTitle: string;
  /** Who reads it. */
  readonly member: MemberId;
  readonly notes?: readonly StoredNote[];
  /** The outcome of the last action, in mrkdwn. */
  readonly outcome?: string | undefined;
}

/** Returns the modal with what a card and its menu have no room for: ids, its assignment, links, all notes. */
export function detailsModal(data: DetailsData): ModalView {
  const { task, campaignTitle, notes = [], outcome } = data;
  const { id, campaign, csvRow, round, worker } = task;
  const finished = finishedAtOf(task);
  const row = templateRow(csvRow);
  const facts = [
    `Task id: ${code(id)}`,
    `Campaign id: ${code(campaign)}`,
    ...(row === undefined ? [] : [`Row of the template: ${code(row)}`]),
    `Worker: ${nameWithId(worker.name ?? '', worker.id)}`,
    ...(worker.ip === '' ? [] : [`IP address: ${inline(maskIp(worker.ip))}`]),
    ...(finished === undefined ? [] : [`Submitted: ${dateAtStart(finished)}`]),
    ...(round > 1 ? [`Round: ${round}`] : []),
    `Rating: ${ratingWords[task.rating]}`,
  ];
  return modal({
    callbackId: 'task.details',
    title: 'Details of this task',
    blocks: [
      ...(outcome === undefined ? [] : [section(outcome)]),
      section(`*${inline(campaignTitle)}*\n${facts.join('\n')}`),
      ...actBlocks(data),
      ...wholeNotes(notes),
    ],
  });
}

function actBlocks({ account, task, member }: DetailsData): KnownBlock[] {
  const isWaiting = isOpen(task);
  const assign = isWaiting ? assignButtons(task, task.assignment?.to === member) : [];
  const mayHaveFiles = !task.detailed || task.proof.files.length > 0;
  const files =
    mayHaveFiles && task.card.state === 'posted' ? [button('Files…', 'task.more.files', task.id)] : [];
  const links = linksIn(task.proof.slots).length > 0 ? [button('Links…', 'task.more.links', task.id)] : [];
  // An open card offers it beside its evidence; a folded one shows none.
  const compare = isWaiting ? [] : [button('Compare…', 'evidence.open', task.id)];
  const buttons = [...assign, ...files, ...links, ...compare];
  return [
    ...(isWaiting && task.assignment ? [section(assignmentLine(task.assignment))] : []),
    actions(encodeCardBlock({ account, round: task.round }), buttons),
  ];
}
