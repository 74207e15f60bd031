import type { Campaign } from '../../../domain/campaign.ts';
import type { ResultRow } from '../../../marketplace/index.ts';
import type { FileContent } from '../../../slack/uploads.ts';
import type { Spool } from './spool.ts';
import { createSpreadsheet, filenameOf } from './spreadsheet.ts';

/** `csv` is for spreadsheets; `original` is the marketplace's own file, with the workers' IP addresses. */
type ResultsFormat = 'csv' | 'original';

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
  if (format === 'original')
    return {
      onRow: () => undefined,
      onCsv: (csv) => spool.write([csv]),
      flush: async () => undefined,
      file: () => spool.content('', []),
    };
  const sheet = createSpreadsheet();
  return {
    onRow: (row) => sheet.add(row),
    onCsv: async () => undefined,
    flush: () => spool.write(sheet.take()),
    file: (preamble) => spool.content(sheet.head(preamble), sheet.take()),
  };
}

/** Returns the filename for a campaign. */
export function resultsFilename(campaign: Campaign, format: ResultsFormat): string {
  return filenameOf(campaign, format === 'csv' ? '.csv' : '-original.csv');
}

/** Approximate memory per task while results are read and written (bytes). */
const bytesPerTask = 200;

/** Returns the approximate memory needed to read a campaign's results (bytes). */
export function resultsMemory({ tasksOk, tasksNok, tasksNotRated, tasksNotReviewed }: Campaign): number {
  return 4_000_000 + bytesPerTask * (tasksOk + tasksNok + tasksNotRated + tasksNotReviewed);
}
