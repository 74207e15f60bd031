import type { InputBlock, ModalView } from '@slack/types';
import { campaignStatuses } from '../../../domain/terms.ts';
import { context, input, modal, option, plainText } from '../../../slack/blocks.ts';
import { inline } from '../../../slack/mrkdwn.ts';
import { folders, type ListFilter, occasions } from '../button-values.ts';
import { statusWords } from '../figures.ts';

export const filterForm = 'campaign.filter';
export const statusInput = 'status';
export const folderInput = 'folder';
/** A select cannot be emptied again: this choice stands for none. */
export const anyChoice = 'ANY';

type Occasion = (typeof occasions)[number];

/** The name of the date picker for the first or last day. */
export function dayInput(occasion: Occasion, end: 'from' | 'to'): string {
  return `${occasion}.${end}`;
}

const folderWords = { DEFAULT: 'Default', ARCHIVE: 'Archive' } as const satisfies Record<
  (typeof folders)[number],
  string
>;
const occasionWords: Readonly<Record<Occasion, string>> = {
  created: 'Created',
  restarted: 'Restarted',
  finished: 'Finished',
};

export const daysTurned = 'The last day lies before the first. Choose a later one.';

/** Which campaigns shall the list show? @param zone IANA zone in which days are meant */
export function filterView(filter: ListFilter, zone: string, state: string): ModalView {
  return modal({
    callbackId: filterForm,
    title: 'Filter the campaigns',
    submit: 'Show',
    state,
    blocks: [
      select(statusInput, 'Status', 'Every status', filter.status, campaignStatuses, statusWords),
      select(folderInput, 'Folder', 'Every folder', filter.folder, folders, folderWords),
      ...occasions.flatMap((occasion) => [
        day(dayInput(occasion, 'from'), `${occasionWords[occasion]} from`, filter[occasion]?.from),
        day(dayInput(occasion, 'to'), `${occasionWords[occasion]} to`, filter[occasion]?.to),
      ]),
      context(`Days are those of the marketplace’s zone, ${inline(zone, 60)}, and are included.`),
    ],
  });
}

function select<T extends string>(
  name: string,
  label: string,
  any: string,
  at: T | undefined,
  values: readonly T[],
  words: Readonly<Record<T, string>>,
): InputBlock {
  const none = option(any, anyChoice);
  const options = values.map((value) => option(words[value], value));
  return input(name, label, {
    type: 'static_select',
    options: [none, ...options],
    initial_option: options.find(({ value }) => value === at) ?? none,
  });
}

function day(name: string, label: string, at: string | undefined): InputBlock {
  return input(
    name,
    label,
    { type: 'datepicker', placeholder: plainText('Any day'), ...(at ? { initial_date: at } : {}) },
    { isOptional: true },
  );
}

/** Which filters are on, in words: `status Finished · folder Archive · created from 2026-01-01`; '' when none is. */
export function filterWords(filter: ListFilter): string {
  const spans = occasions.flatMap((occasion) => {
    const { from, to } = filter[occasion] ?? {};
    const days = [...(from ? [`from ${from}`] : []), ...(to ? [`to ${to}`] : [])];
    return days.length === 0 ? [] : [`${occasionWords[occasion].toLowerCase()} ${days.join(' ')}`];
  });
  return [
    ...(filter.status ? [`status “${statusWords[filter.status]}”`] : []),
    ...(filter.folder ? [`folder “${folderWords[filter.folder]}”`] : []),
    ...spans,
  ].join(' · ');
}
