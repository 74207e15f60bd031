import { z } from 'zod';

/** A campaign's instructions to workers, as listed by the marketplace. */
export const ListedBrief = z.object({ work: z.string(), proof: z.string() }).readonly();
export type ListedBrief = z.infer<typeof ListedBrief>;

/** Instructions of a campaign created here, more detailed than the marketplace lists them. */
export const CreatedBrief = z
  .object({
    work: z.string(),
    /** One text per proof slot. */
    proofs: z.array(z.string()).readonly(),
    /** The template columns referenced by the texts; absent: the same texts for all workers. */
    columns: z.array(z.string()).readonly().exactOptional(),
  })
  .readonly();
export type CreatedBrief = z.infer<typeof CreatedBrief>;

/** Everything known about a campaign's instructions. */
export interface Brief {
  readonly listed?: ListedBrief;
  readonly created?: CreatedBrief;
}

/** What one task asked for. */
export interface Asked {
  /** The instructions. */
  readonly work: string;
  /** The proof request: one text per slot if `isPerSlot`, else one text for all of them. */
  readonly proofs: readonly string[];
  readonly isPerSlot: boolean;
  /** The worker's row of the campaign's template; absent if the texts above contain its values. */
  readonly row?: string;
}

/** Fills the values of the worker's row into a text. */
export type Fill = (text: string) => string;

/**
 * Returns what a task asked for; undefined if unknown.
 * @param csvRow the task's row in the campaign's template
 * @param fill absent if the values of that row are unknown
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

/** Returns a task's row in the campaign's template; undefined if the campaign has none. */
export function templateRow(csvRow: string): string | undefined {
  const row = csvRow.trim();
  return row === '' || row === '0' ? undefined : row;
}
