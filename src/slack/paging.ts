import type { KnownBlock } from '@slack/types';
import { actions, button, context } from './blocks.ts';
import type { Values } from './feature.ts';

/** Rows of a list that is shown a page at a time. */
export const rowsPerPage = 10;

/** The page (from 0) that is shown when `wanted` is asked for, its rows, and how many pages there are. */
export function pageOf<T>(
  rows: readonly T[],
  wanted: number,
): { readonly page: number; readonly pages: number; readonly here: readonly T[] } {
  const pages = Math.max(1, Math.ceil(rows.length / rowsPerPage));
  const page = Math.min(Math.max(0, wanted), pages - 1);
  return { page, pages, here: rows.slice(page * rowsPerPage, (page + 1) * rowsPerPage) };
}

/**
 * Buttons to the pages around this one; nothing when there is only one. Clicks: `<actionId>.previous` and
 * `<actionId>.next`, whose value is the page asked for, from 0.
 */
export function pageButtons(options: {
  readonly blockId: string;
  readonly actionId: string;
  readonly page: number;
  readonly pages: number;
}): KnownBlock[] {
  const { blockId, actionId, page, pages } = options;
  if (pages <= 1) return [];
  return [
    actions(blockId, [
      ...(page > 0 ? [button('Previous', `${actionId}.previous`, String(page - 1))] : []),
      ...(page < pages - 1 ? [button('Next', `${actionId}.next`, String(page + 1))] : []),
    ]),
    context(`Page ${page + 1} of ${pages}`),
  ];
}

/** The values chosen in a multi-select of a message, in the block whose id begins with `prefix`. */
export function chosenUnder(values: Values, prefix: string): string[] {
  return Object.entries(values)
    .filter(([block]) => block.startsWith(prefix))
    .flatMap(([, elements]) => Object.values(elements))
    .flatMap(({ selected_options: options }) => options ?? [])
    .flatMap(({ value }) => (value ? [value] : []));
}
