import type { InputBlock, ModalView } from '@slack/types';
import { campaignStatuses } from '../../../domain/terms.ts';
import { context, input, modal, option, plainText } from '../../../slack/blocks.ts';
import { inline } from '../../../slack/mrkdwn.ts';
import { statusWords } from '../figures.ts';
import {
  type DateField,
  dateFields,
  dayInput,
  folderInput,
  folders,
  type ListFilter,
  statusInput,
} from './list-filter.ts';

export const filterForm = 'campaign.filter';
/** Option for no filter, because a select cannot be cleared. */
const anyChoice = 'ANY';

const folderWords = { DEFAULT: 'Default', ARCHIVE: 'Archive' } as const satisfies Record<
  (typeof folders)[number],
  string
>;
const dateWords: Readonly<Record<DateField, string>> = {
  created: 'Created',
  restarted: 'Restarted',
  finished: 'Finished',
};

export const daysReversed = 'The last day is before the first. Choose a later one.';

/** Renders the filter form of the campaign list. @param zone IANA zone of its days */
export function filterView(filter: ListFilter, zone: string, state: string): ModalView {
  return modal({
    callbackId: filterForm,
    title: 'Filter campaigns',
    submit: 'Show',
    state,
    blocks: [
      select(statusInput, 'Status', 'Any status', filter.status, campaignStatuses, statusWords),
      select(folderInput, 'Folder', 'Any folder', filter.folder, folders, folderWords),
      ...dateFields.flatMap((field) => [
        dayPicker(dayInput(field, 'from'), `${dateWords[field]} from`, filter[field]?.from),
        dayPicker(dayInput(field, 'to'), `${dateWords[field]} to`, filter[field]?.to),
      ]),
      context(
        `Days are in the marketplace’s time zone, ${inline(zone, 60)}. The first and last day are included.`,
      ),
    ],
  });
}

function select<T extends string>(
  name: string,
  label: string,
  any: string,
  current: T | undefined,
  values: readonly T[],
  words: Readonly<Record<T, string>>,
): InputBlock {
  const none = option(any, anyChoice);
  const options = values.map((value) => option(words[value], value));
  return input(name, label, {
    type: 'static_select',
    options: [none, ...options],
    initial_option: options.find(({ value }) => value === current) ?? none,
  });
}

function dayPicker(name: string, label: string, current: string | undefined): InputBlock {
  return input(
    name,
    label,
    {
      type: 'datepicker',
      placeholder: plainText('Any day'),
      ...(current ? { initial_date: current } : {}),
    },
    { isOptional: true },
  );
}

/** Returns the active filters: `status “Finished” · folder “Archive” · created from 2026-01-01`; '' for none. */
export function filterText(filter: ListFilter): string {
  const spans = dateFields.flatMap((field) => {
    const { from, to } = filter[field] ?? {};
    const days = [...(from ? [`from ${from}`] : []), ...(to ? [`to ${to}`] : [])];
    return days.length === 0 ? [] : [`${dateWords[field].toLowerCase()} ${days.join(' ')}`];
  });
  return [
    ...(filter.status ? [`status “${statusWords[filter.status]}”`] : []),
    ...(filter.folder ? [`folder “${folderWords[filter.folder]}”`] : []),
    ...spans,
  ].join(' · ');
}
