import type { Campaign } from '../../../domain/campaign.ts';
import type { ResultRow } from '../../../marketplace/index.ts';
import { createSpreadsheet, filenameOf } from './spreadsheet.ts';
import { createWorkbook } from './workbook.ts';

/** As what results can be had. `original` is what the marketplace sent, with the workers' IP addresses. */
export const resultsFormats = ['csv', 'xlsx', 'original'] as const;
export type ResultsFormat = (typeof resultsFormats)[number];

/** Writes the results of a campaign as they are read. */
export interface ResultsWriter {
  readonly onRow: (row: ResultRow) => void;
  readonly onCsv: (csv: Buffer) => void;
  /** Returns the whole file in chunks. @param preamble about the campaign */
  file(preamble: Readonly<Record<string, string>>): Buffer[];
}

/** Creates what writes results in a format. */
export function createResultsWriter(format: ResultsFormat): ResultsWriter {
  if (format === 'original') {
    const chunks: Buffer[] = [];
    return { onRow: () => undefined, onCsv: (csv) => void chunks.push(csv), file: () => chunks };
  }
  const sheet = format === 'xlsx' ? createWorkbook() : createSpreadsheet();
  return { onRow: (row) => sheet.add(row), onCsv: () => undefined, file: (preamble) => sheet.file(preamble) };
}

/** Returns the name of a campaign's file. */
export function resultsFilename(campaign: Campaign, format: ResultsFormat): string {
  return filenameOf(campaign, { csv: '.csv', xlsx: '.xlsx', original: '-original.csv' }[format]);
}

/** What a task takes of the memory while its campaign's results are read and written (bytes), about. */
const bytesPerTask = 2_000;

/** Returns what reading the results of a campaign takes of the memory (bytes), about. */
export function resultsMemory({ tasksOk, tasksNok, tasksNotRated, tasksNotReviewed }: Campaign): number {
  return 500_000 + bytesPerTask * (tasksOk + tasksNok + tasksNotRated + tasksNotReviewed);
}
