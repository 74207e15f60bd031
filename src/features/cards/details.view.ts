import type { ModalView } from '@slack/types';
import { templateRow } from '../../domain/brief.ts';
import { maskIp } from '../../domain/ip.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import type { Task } from '../../domain/task.ts';
import type { Rating } from '../../domain/terms.ts';
import { context, modal, section } from '../../slack/blocks.ts';
import { code, dateAtStart, inline } from '../../slack/mrkdwn.ts';
import type { StoredNote } from '../../store/notes.ts';
import { wholeNotes } from '../../ui/task.view.ts';

const ratingWords: Readonly<Record<Rating, string>> = {
  OK: 'OK',
  NOK: 'NOK',
  REVISE: 'REVISE',
  NOTRATED: 'not rated yet',
  NOTREVIEWED: 'in review by the marketplace',
};

/** The worker's earnings from a task; `loading` while the marketplace is asked, else why they are unknown. */
export type Earned =
  | { readonly worker: Money; readonly bonus: Money }
  | 'loading'
  | { readonly sentence: string };

/** Returns the modal with details that a card has no room for. */
export function detailsModal(
  task: Task,
  campaignTitle: string,
  earned: Earned,
  notes: readonly StoredNote[] = [],
): ModalView {
  const { id, campaign, csvRow, round, worker, proof } = task;
  const finished = proof.finishedAt ?? task.submittedAt;
  const row = templateRow(csvRow);
  const facts = [
    `Task id: ${code(id)}`,
    `Campaign id: ${code(campaign)}`,
    row === undefined ? 'Row: the campaign has no template' : `Row of the template: ${code(row)}`,
    `Worker id: ${code(worker.id)}`,
    ...(worker.ip === '' ? [] : [`IP address: ${inline(maskIp(worker.ip))}`]),
    ...(finished === undefined ? [] : [`Submitted: ${dateAtStart(finished)}`]),
    ...(round > 1 ? [`Round: ${round}`] : []),
    `Rating: ${ratingWords[task.rating]}`,
    ...earnedLines(earned),
  ];
  return modal({
    callbackId: 'task.details',
    title: 'Details of this task',
    blocks: [
      section(`*${inline(campaignTitle)}*\n${facts.join('\n')}`),
      ...(typeof earned === 'object' && 'sentence' in earned ? [context(earned.sentence)] : []),
      ...wholeNotes(notes),
    ],
  });
}

function earnedLines(earned: Earned): string[] {
  if (earned === 'loading') return ['Earned: asking the marketplace…'];
  if ('sentence' in earned) return ['Earned: not known at the moment'];
  return [`Earned: ${formatMoney(earned.worker)}`, `Bonus: ${formatMoney(earned.bonus)}`];
}
