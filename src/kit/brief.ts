import { type Asked, askedOf, templateRow } from '../domain/campaign.ts';
import type { Task } from '../domain/task.ts';
import type { AccountRef } from '../domain/terms.ts';
import { columnPlaceholder } from '../marketplace/api-assumptions.ts';
import type { Modules } from './modules.ts';

/** Returns what a task asked for; undefined if unknown. */
export async function askedOfTask(
  { campaigns }: Modules,
  ref: AccountRef,
  { campaign, csvRow }: Pick<Task, 'campaign' | 'csvRow'>,
): Promise<Asked | undefined> {
  const brief = await campaigns.briefs.get(ref, campaign);
  const columns = brief.created?.columns ?? [];
  const row = templateRow(csvRow);
  if (row === undefined || columns.length === 0) return askedOf(brief, csvRow);
  const values = await campaigns.briefs.row(ref, campaign, row);
  return askedOf(brief, csvRow, values && ((text) => fillPlaceholders(text, columns, values)));
}

/** Returns the text with placeholders filled in from one row; a placeholder without a column stays unchanged. */
export function fillPlaceholders(text: string, columns: readonly string[], row: readonly string[]): string {
  const names = columns.map(normalized);
  return text.replace(columnPlaceholder, (whole, name: string) => {
    const at = names.indexOf(normalized(name));
    return at === -1 ? whole : (row[at] ?? '');
  });
}

/** Returns the distinct placeholders of a text, and those without a column. */
export function placeholdersIn(
  text: string,
  columns: readonly string[],
): { readonly all: string[]; readonly unknown: string[] } {
  const names = new Set(columns.map(normalized));
  const all = [...new Set([...text.matchAll(columnPlaceholder)].map(([, name = '']) => name))];
  return { all, unknown: all.filter((name) => !names.has(normalized(name))) };
}

function normalized(name: string): string {
  return name.trim().toLowerCase();
}
