import { z } from 'zod';
import { daysSpan } from '../../../domain/days.ts';
import { type CampaignStatus, campaignStatuses } from '../../../domain/terms.ts';
import { UserError } from '../../../errors.ts';
import type { CampaignFilter } from '../../../marketplace/index.ts';
import { nearest } from '../../../slack/commands.ts';
import { Origin } from '../../../slack/feature.ts';
import { chosen, pickedDay, type Values } from '../../../slack/form-values.ts';
import { inline } from '../../../slack/mrkdwn.ts';
import { campaignCodec } from '../button-values.ts';
import { statusWords } from '../figures.ts';

export const folders = ['DEFAULT', 'ARCHIVE'] as const;
/** Campaign dates available as filters. */
export const dateFields = ['created', 'restarted', 'finished'] as const;
export type DateField = (typeof dateFields)[number];

const day = z.iso.date().optional();
const filter = z.object({
  status: z.enum(campaignStatuses).optional(),
  folder: z.enum(folders).optional(),
  created: z.object({ from: day, to: day }).optional(),
  restarted: z.object({ from: day, to: day }).optional(),
  finished: z.object({ from: day, to: day }).optional(),
});

/** Filter of a campaign list. Days (YYYY-MM-DD) are in the marketplace's zone, inclusive. */
export type ListFilter = z.infer<typeof filter>;

/** A page of the list, from 0. */
export const listPageValue = campaignCodec('button', z.object({ filter, page: z.number().int().min(0) }));

/** State of the filter form: where the list is. */
export const filterFormState = campaignCodec('form', Origin);

/** The inputs of the filter form. */
export const statusInput = 'status';
export const folderInput = 'folder';

/** Returns the name of the date picker for the first or last day. */
export function dayInput(field: DateField, end: 'from' | 'to'): string {
  return `${field}.${end}`;
}

/** Returns the filter chosen in the form. */
export function filterIn(values: Values): ListFilter {
  const status = campaignStatuses.find((one) => one === chosen(values, statusInput));
  const folder = folders.find((one) => one === chosen(values, folderInput));
  const spans = dateFields.flatMap((field) => {
    const from = pickedDay(values, dayInput(field, 'from'));
    const to = pickedDay(values, dayInput(field, 'to'));
    return from || to ? [[field, { ...(from ? { from } : {}), ...(to ? { to } : {}) }] as const] : [];
  });
  return { ...(status ? { status } : {}), ...(folder ? { folder } : {}), ...Object.fromEntries(spans) };
}

/** Returns the fields whose last day is before their first. */
export function reversedFields(filter: ListFilter): DateField[] {
  return dateFields.filter((field) => {
    const { from = '', to = '' } = filter[field] ?? {};
    return from !== '' && to !== '' && to < from;
  });
}

/** Returns whether only the marketplace can apply the filter: stored campaigns have no folder and no complete dates. */
export function needsMarketplace({ folder, created, restarted, finished }: ListFilter): boolean {
  return [folder, created, restarted, finished].some((part) => part !== undefined);
}

/** Returns a filter in the format of list_extend (section 7 of the marketplace API). @param zone IANA zone of its days */
export function toCampaignFilter(filter: ListFilter, zone: string): CampaignFilter {
  const { status, folder } = filter;
  const created = daysSpan(filter.created?.from, filter.created?.to, zone);
  const restarted = daysSpan(filter.restarted?.from, filter.restarted?.to, zone);
  const finished = daysSpan(filter.finished?.from, filter.finished?.to, zone);
  return {
    ...(status ? { status } : {}),
    ...(folder ? { folder } : {}),
    ...(created.from ? { createdFrom: created.from } : {}),
    ...(created.to ? { createdTo: created.to } : {}),
    ...(restarted.from ? { restartedFrom: restarted.from } : {}),
    ...(restarted.to ? { restartedTo: restarted.to } : {}),
    ...(finished.from ? { finishedFrom: finished.from } : {}),
    ...(finished.to ? { finishedTo: finished.to } : {}),
  };
}

/**
 * Parses the status in `/campaign list [status]`: `running`, `PAUSED_ADMIN`, `paused admin`; undefined for all statuses
 * (empty, or `all`). Throws a UserError for anything else.
 */
export function parseStatus(text: string): CampaignStatus | undefined {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/gu, '_');
  if (word === '' || word === 'ALL') return undefined;
  const status = campaignStatuses.find(
    (one) => one === word || statusWords[one].toUpperCase().replaceAll(' ', '_') === word,
  );
  if (status !== undefined) return status;
  const near = nearest(word, campaignStatuses)?.toLowerCase();
  const all = campaignStatuses.map((one) => `\`${one.toLowerCase()}\``).join(', ');
  throw new UserError(
    `There is no status “${inline(text, 40)}”. ${near === undefined ? '' : `Did you mean \`/campaign list ${near}\`? `}The statuses are ${all}.`,
  );
}
