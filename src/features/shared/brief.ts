import { type Asked, askedOf, templateRow } from '../../domain/brief.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';
import { fillPlaceholders } from './placeholders.ts';

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
