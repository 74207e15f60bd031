import type { Campaign } from '../../../domain/campaign.ts';
import type { ResultRow } from '../../../marketplace/index.ts';
import { type FileContent, inChunks } from '../../../slack/uploads.ts';
import type { Spool } from './spool.ts';
import { createSpreadsheet, filenameOf } from './spreadsheet.ts';
import { createWorkbook } from './workbook.ts';

/** As what results can be had. `original` is what the marketplace sent, with the workers' IP addresses. */
export const resultsFormats = ['csv', 'xlsx', 'original'] as const;
export type ResultsFormat = (typeof resultsFormats)[number];

/** Writes the results of a campaign as they are read. */
export interface ResultsWriter {
  onRow(row: ResultRow): void;
  /** Takes bytes of what the marketplace sent. */
  onCsv(csv: Buffer): Promise<void>;
  /** Makes room for further rows. */
  flush(): Promise<void>;
  /** Returns the whole file. @param preamble about the campaign */
  file(preamble: Readonly<Record<string, string>>): FileContent;
}

/**
 * Creates what writes results in a format.
 * @param spool takes what cannot be held: Slack wants to know the length of a file before it comes
 */
export function createResultsWriter(format: ResultsFormat, spool: Spool): ResultsWriter {
  spool.clear();
  const nothing = { onRow: () => undefined, onCsv: async () => undefined, flush: async () => undefined };
  if (format === 'original')
    return { ...nothing, onCsv: (csv) => spool.write([csv]), file: () => spool.content('', []) };
  if (format === 'xlsx') {
    // Compressed as it is written, a workbook is a fraction of the results.
    const workbook = createWorkbook();
    return {
      ...nothing,
      onRow: (row) => workbook.add(row),
      file: (preamble) => inChunks(workbook.file(preamble)),
    };
  }
  const sheet = createSpreadsheet();
  return {
    ...nothing,
    onRow: (row) => sheet.add(row),
    flush: () => spool.write(sheet.take()),
    file: (preamble) => spool.content(sheet.head(preamble), sheet.take()),
  };
}

/** Returns the name of a campaign's file. */
export function resultsFilename(campaign: Campaign, format: ResultsFormat): string {
  return filenameOf(campaign, { csv: '.csv', xlsx: '.xlsx', original: '-original.csv' }[format]);
}

/** What a task takes of the memory while its campaign's results are read and written (bytes), about: most in a workbook. */
const bytesPerTask = 200;

/** Returns what reading the results of a campaign takes of the memory (bytes), about. */
export function resultsMemory({ tasksOk, tasksNok, tasksNotRated, tasksNotReviewed }: Campaign): number {
  return 4_000_000 + bytesPerTask * (tasksOk + tasksNok + tasksNotRated + tasksNotReviewed);
}
