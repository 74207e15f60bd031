import { z } from 'zod';

/** What a campaign asks of its workers, as the marketplace lists it. */
export const ListedBrief = z.object({ work: z.string(), proof: z.string() }).readonly();
export type ListedBrief = z.infer<typeof ListedBrief>;

/** What was sent when a campaign was created here: more is known of it than the marketplace lists. */
export const CreatedBrief = z
  .object({
    work: z.string(),
    /** One text per proof slot. */
    proofs: z.array(z.string()).readonly(),
    /** The columns of the template whose values the texts contain; absent: the same texts for all workers. */
    columns: z.array(z.string()).readonly().exactOptional(),
  })
  .readonly();
export type CreatedBrief = z.infer<typeof CreatedBrief>;

/** What is known of what a campaign asks. */
export interface Brief {
  readonly listed?: ListedBrief;
  readonly created?: CreatedBrief;
}

/** What was asked for one task. */
export interface Asked {
  /** The instructions. */
  readonly work: string;
  /** What the proof has to show: one text per slot if `isPerSlot`, else one text for all of them. */
  readonly proofs: readonly string[];
  readonly isPerSlot: boolean;
  /** The row of the campaign's template with the worker's own values; absent where the texts above have them. */
  readonly row?: string;
}

/** Puts the values of the worker's row into a text. */
export type Fill = (text: string) => string;

/**
 * Returns what was asked for a task; undefined when nothing is known of it.
 * @param csvRow the task's row in the campaign's template
 * @param fill absent when the values of that row are not known
 */
export function askedOf({ listed, created }: Brief, csvRow: string, fill?: Fill): Asked | undefined {
  const row = templateRow(csvRow);
  const unfilled = fill === undefined && row !== undefined ? { row } : {};
  if (created !== undefined) {
    const isSame = created.columns === undefined || created.columns.length === 0;
    const filled = isSame ? (text: string) => text : (fill ?? ((text: string) => text));
    return {
      work: filled(created.work),
      proofs: created.proofs.map(filled),
      isPerSlot: true,
      ...(isSame ? {} : unfilled),
    };
  }
  if (listed === undefined || (listed.work.trim() === '' && listed.proof.trim() === '')) return undefined;
  return {
    work: listed.work,
    proofs: listed.proof.trim() === '' ? [] : [listed.proof],
    isPerSlot: false,
    ...(row === undefined ? {} : { row }),
  };
}

/** Returns a task's row in the campaign's template; undefined where the campaign has none. */
export function templateRow(csvRow: string): string | undefined {
  const row = csvRow.trim();
  return row === '' || row === '0' ? undefined : row;
}
