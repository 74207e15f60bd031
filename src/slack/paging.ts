import type { KnownBlock } from '@slack/types';
import { actions, button, context } from './blocks.ts';
import type { Values } from './form-values.ts';

/** Rows per page of a list. */
export const rowsPerPage = 10;

/** Returns the page (from 0) nearest to `wanted`, its first row, and the number of pages. */
export function pageAt(count: number, wanted: number, perPage = rowsPerPage) {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const page = Math.min(Math.max(0, wanted), pages - 1);
  return { page, pages, from: page * perPage };
}

/** Returns the page (from 0) nearest to `wanted`, its rows, and the number of pages. */
export function pageOf<T>(rows: readonly T[], wanted: number, perPage = rowsPerPage) {
  const { from, ...at } = pageAt(rows.length, wanted, perPage);
  return { ...at, here: rows.slice(from, from + perPage) };
}

/**
 * Returns buttons to the adjacent pages; nothing when there is only one page. Clicks: `<actionId>.previous` and
 * `<actionId>.next`, whose value is the requested page, from 0.
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

/** Returns the values chosen in a message's multi-selects, in blocks whose id begins with `prefix`. */
export function chosenUnder(values: Values, prefix: string): string[] {
  return Object.entries(values)
    .filter(([block]) => block.startsWith(prefix))
    .flatMap(([, elements]) => Object.values(elements))
    .flatMap(({ selected_options: options }) => options ?? [])
    .flatMap(({ value }) => (value ? [value] : []));
}
