import type { ModalView } from '@slack/types';
import { context, input, modal, section } from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { type FormState, formState } from './values.ts';

export const workersForm = 'workers.form';

const formWords = {
  exclude: {
    title: 'Exclude workers',
    submit: 'Exclude',
    effect: 'Excluded workers cannot take your campaigns any more.',
  },
  include: {
    title: 'Take workers off',
    submit: 'Take off the list',
    effect:
      'Off the list, they can take your campaigns again. Those excluded on the website can be named too.',
  },
} as const;

/** The form that asks for the ids of workers to exclude, or to take off the list. */
export function idsForm(state: FormState): ModalView {
  const { title, submit, effect } = formWords[state.change];
  return modal({
    callbackId: workersForm,
    title,
    submit,
    state: formState.encode(state),
    blocks: [
      input(
        'ids',
        'Worker ids',
        { type: 'plain_text_input', multiline: true, max_length: limits.inputText, focus_on_load: true },
        { hint: 'Separate several by spaces, commas or lines. A card shows the id of its worker.' },
      ),
      context(effect),
    ],
  });
}

/** What became of workers that were to be changed, by id. */
export interface Changed {
  readonly change: 'exclude' | 'include';
  readonly done: readonly string[];
  /** It was so before. */
  readonly already: readonly string[];
  readonly unknown: readonly string[];
  /** Excluded by a call that was not answered, unless the marketplace does not know them. */
  readonly presumed: readonly string[];
  /** Nobody knows whether it was done. */
  readonly unsure: readonly string[];
  /** It certainly was not done. @param sentence mrkdwn */
  readonly failed: readonly { readonly id: string; readonly sentence: string }[];
}

/** While workers are being changed. */
export function changingView(done: number, all: number): ModalView {
  return noteView(`Telling the marketplace: ${done} of ${all} done…`);
}

/** A modal that only says something. @param text mrkdwn */
export function noteView(text: string): ModalView {
  return modal({ callbackId: 'workers.note', title: 'Excluded workers', blocks: [section(text)] });
}

/** What became of workers that were to be changed, in mrkdwn. */
export function changedSentence(changed: Changed): string {
  const { change, done, already, unknown, presumed, unsure, failed } = changed;
  const words = changedWords[change];
  const lines = [
    ...(done.length > 0 ? [`:white_check_mark: ${words.done}: ${names(done)}.`] : []),
    ...(already.length > 0 ? [`${words.already}: ${names(already)}.`] : []),
    ...(presumed.length > 0
      ? [
          `:warning: On the exclude list now, unless the marketplace does not know them: ${names(presumed)}. Its first answer was lost. Check the ids.`,
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `:warning: The marketplace added nobody for ${names(unknown)}: they are unknown there, or on the list already. Check the ids.`,
        ]
      : []),
    ...(unsure.length > 0
      ? [
          `:warning: ${words.unsure}: ${names(unsure)}. The marketplace gave no clear answer. Try again: ${words.harmless}.`,
        ]
      : []),
    ...failed.slice(0, 10).map(({ id, sentence }) => `:warning: Not changed: ${inline(id, 60)}. ${sentence}`),
    ...(failed.length > 10 ? [`and ${failed.length - 10} more that were not changed.`] : []),
  ];
  return cut(lines.join('\n'), limits.sectionText);
}

const changedWords = {
  exclude: {
    done: 'Excluded',
    already: 'On the exclude list already',
    unsure: 'Not known whether excluded',
    harmless: 'whoever is on the list by now stays on it',
  },
  include: {
    done: 'Taken off the exclude list',
    already: 'Not on the exclude list, so there was nothing to take off',
    unsure: 'Not known whether taken off the exclude list',
    harmless: 'whoever is off the list by now stays off it',
  },
} as const;

function names(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).map((id) => inline(id, 60));
  return shown.join(', ') + (ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '');
}

/** The whole list was cleared. @param count how many the marketplace took off; undefined: it did not say */
export function clearedSentence(count: number | undefined): string {
  if (count === 0) return 'There was nobody on the exclude list.';
  if (count === undefined) return ':white_check_mark: The exclude list is empty now.';
  return `:white_check_mark: ${count === 1 ? '1 worker was' : `${count} workers were`} taken off. The exclude list is empty now.`;
}

export const nobodyChosen = 'Choose the workers first, then take them off the list.';
