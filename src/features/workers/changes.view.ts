import type { ModalView } from '@slack/types';
import { context, input, limits, modal, section } from '../../slack/blocks.ts';
import { cut, inline } from '../../slack/mrkdwn.ts';
import { idList } from '../../ui/words.ts';
import { type FormState, formStateCodec } from './list-state.ts';

export const workersForm = 'workers.form';

const formWords = {
  exclude: {
    title: 'Exclude workers',
    submit: 'Exclude',
    effect: 'Excluded workers can no longer take your campaigns.',
  },
  include: {
    title: 'Remove from exclude list',
    submit: 'Remove',
    effect:
      'Once removed, workers can take your campaigns again. This works for workers excluded on the website, too.',
  },
} as const;

/** Returns the form for ids of workers to exclude, or to remove from the exclude list. */
export function idsModal(state: FormState): ModalView {
  const { title, submit, effect } = formWords[state.change];
  return modal({
    callbackId: workersForm,
    title,
    submit,
    state: formStateCodec.encode(state),
    blocks: [
      input(
        'ids',
        'Worker ids',
        { type: 'plain_text_input', multiline: true, max_length: limits.inputText, focus_on_load: true },
        { hint: 'Separate ids with spaces, commas or new lines. A card shows its worker’s id.' },
      ),
      context(effect),
    ],
  });
}

/** Outcome of changing the exclude list, by worker id. */
export interface ChangeResult {
  readonly change: 'exclude' | 'include';
  readonly done: readonly string[];
  /** Nothing had to be changed. */
  readonly already: readonly string[];
  readonly unknown: readonly string[];
  /** Excluded by an unanswered call, unless the marketplace does not know them. */
  readonly presumed: readonly string[];
  /** Unknown whether it was applied. */
  readonly unsure: readonly string[];
  /** Certainly not applied. @param sentence mrkdwn */
  readonly failed: readonly { readonly id: string; readonly sentence: string }[];
}

/** Returns the modal with the progress of changing workers. */
export function progressModal(done: number, all: number): ModalView {
  return statusModal(`Updating the exclude list: ${done} of ${all} done…`);
}

/** Returns the modal that replaces a submitted form. @param text mrkdwn */
export function statusModal(text: string): ModalView {
  return modal({ callbackId: 'workers.note', title: 'Excluded workers', blocks: [section(text)] });
}

/** Returns the outcome of changing the exclude list, in mrkdwn. */
export function changeResultText(result: ChangeResult): string {
  const { change, done, already, unknown, presumed, unsure, failed } = result;
  const words = resultWords[change];
  const lines = [
    ...(done.length > 0 ? [`:white_check_mark: ${words.done}: ${idList(done)}.`] : []),
    ...(already.length > 0 ? [`${words.already}: ${idList(already)}.`] : []),
    ...(presumed.length > 0
      ? [
          `:warning: Excluded, unless the marketplace does not know these ids: ${idList(presumed)}. Its first answer was lost, so check the ids.`,
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `:warning: The marketplace added nobody for ${idList(unknown)}: they are unknown there, or already on the list. Check the ids.`,
        ]
      : []),
    ...(unsure.length > 0
      ? [
          `:warning: ${words.unsure}: ${idList(unsure)}. The marketplace gave no clear answer. Try again: ${words.harmless}.`,
        ]
      : []),
    ...failed.slice(0, 10).map(({ id, sentence }) => `:warning: Not changed: ${inline(id, 60)}. ${sentence}`),
    ...(failed.length > 10 ? [`and ${failed.length - 10} more were not changed.`] : []),
  ];
  return cut(lines.join('\n'), limits.sectionText);
}

const resultWords = {
  exclude: {
    done: 'Excluded',
    already: 'Already on the exclude list',
    unsure: 'It is unclear whether these were excluded',
    harmless: 'whoever is already on the list stays on it',
  },
  include: {
    done: 'Removed from the exclude list',
    already: 'Not on the exclude list, so there was nothing to remove',
    unsure: 'It is unclear whether these were removed from the exclude list',
    harmless: 'whoever is already off the list stays off it',
  },
} as const;

/** Returns the outcome of clearing the list. @param count number removed; undefined: the marketplace did not say */
export function clearedText(count: number | undefined): string {
  if (count === 0) return 'There was nobody on the exclude list.';
  const removed = count === 1 ? '1 worker was removed. ' : `${count} workers were removed. `;
  return `:white_check_mark: ${count === undefined ? '' : removed}The exclude list is empty now.`;
}

export const nobodyChosen = 'Choose the workers first, then remove them from the list.';
