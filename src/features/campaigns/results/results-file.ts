import type { Campaign } from '../../../domain/campaign.ts';
import type { ResultRow } from '../../../marketplace/index.ts';
import { type FileContent, inChunks } from '../../../slack/uploads.ts';
import type { Spool } from './spool.ts';
import { createSpreadsheet, filenameOf } from './spreadsheet.ts';
import { createWorkbook } from './workbook.ts';

/** Download formats. `original` is the marketplace's own file, with the workers' IP addresses. */
export const resultsFormats = ['csv', 'xlsx', 'original'] as const;
export type ResultsFormat = (typeof resultsFormats)[number];

/** Writes a campaign's results while they are read. */
export interface ResultsWriter {
  onRow(row: ResultRow): void;
  /** Accepts bytes of the marketplace's CSV. */
  onCsv(csv: Buffer): Promise<void>;
  /** Flushes buffered rows. */
  flush(): Promise<void>;
  /** Returns the whole file. @param preamble about the campaign */
  file(preamble: Readonly<Record<string, string>>): FileContent;
}

/**
 * Creates the writer of a format.
 * @param spool buffers data outside of memory, because Slack needs a file's length up front
 */
export function createResultsWriter(format: ResultsFormat, spool: Spool): ResultsWriter {
  spool.clear();
  const nothing = { onRow: () => undefined, onCsv: async () => undefined, flush: async () => undefined };
  if (format === 'original')
    return { ...nothing, onCsv: (csv) => spool.write([csv]), file: () => spool.content('', []) };
  if (format === 'xlsx') {
    // A workbook is compressed while it is written, to a fraction of the results.
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

/** Returns the filename for a campaign. */
export function resultsFilename(campaign: Campaign, format: ResultsFormat): string {
  return filenameOf(campaign, { csv: '.csv', xlsx: '.xlsx', original: '-original.csv' }[format]);
}

/** Approximate memory per task while results are read and written (bytes); a workbook needs most. */
const bytesPerTask = 200;

/** Returns the approximate memory needed to read a campaign's results (bytes). */
export function resultsMemory({ tasksOk, tasksNok, tasksNotRated, tasksNotReviewed }: Campaign): number {
  return 4_000_000 + bytesPerTask * (tasksOk + tasksNok + tasksNotRated + tasksNotReviewed);
}
