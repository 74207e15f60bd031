import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { UserError } from '../../errors.ts';
import { templateRowNumber } from '../../marketplace/api-assumptions.ts';
import { cut } from '../../slack/mrkdwn.ts';
import type { Template } from './create-fields.ts';

/** Rows shown before sending, and the limit of their stored size. */
const rowsShown = 3;
const columnsStored = 100;
const cellStored = 1_000;
const longestRow = 1_000_000;

/** Maximum characters of stored rows; beyond it, only the row count is stored. */
const rowsRoom = 5_000_000;

/**
 * Reads the start of a CSV template and counts its rows. The first row names the columns.
 * @param stored receives the rows by number, to be stored with the campaign
 * @throws UserError if it is not CSV text or has no rows
 */
export async function readTemplate(
  stream: Readable,
  stored = new Map<string, readonly string[]>(),
): Promise<Template> {
  const parser = stream.pipe(
    parse({
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: longestRow,
    }),
  );
  // Otherwise the parser would wait forever after a broken download.
  stream.once('error', (error) => parser.destroy(error));
  let columns: string[] | undefined;
  const rows: string[][] = [];
  let count = 0;
  let room = rowsRoom;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      if (columns === undefined) {
        columns = record.slice(0, columnsStored).map((name) => cut(name.trim(), 200));
        if (columns.some((name) => /[\0\uFFFD]/u.test(name))) throw new UserError(notText);
        continue;
      }
      count += 1;
      const values = record.slice(0, columnsStored).map((cell) => cut(cell, cellStored));
      if (rows.length < rowsShown) rows.push(values);
      room -= values.join().length + 30;
      if (room > 0) stored.set(templateRowNumber(count), values);
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UserError(notReadable(error));
    if (error instanceof UserError) throw error;
    throw new UserError(
      'The template did not arrive from Slack. Try again; if it happens again, attach it once more.',
    );
  } finally {
    stream.destroy();
  }
  if (columns === undefined || count === 0) throw new UserError(noRows);
  return { columns, rows, count };
}

const notText = 'The template is not a text file in UTF-8. Save it as CSV (UTF-8) and attach it again.';

const noRows =
  'The template has no rows below its first line, which names the columns. Add rows and attach it again.';

function notReadable({ lines }: CsvError & { lines?: unknown }): string {
  const place = typeof lines === 'number' ? ` at line ${lines}` : '';
  return `The template cannot be read as CSV${place}. Check its quotes, and attach it again.`;
}
