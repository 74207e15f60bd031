import type { ResultRow } from '../../../marketplace/index.ts';
import { type Cell, cellsOf, columnNames, preambleCells } from './results-columns.ts';

/** Characters that start a formula in a spreadsheet, in normal and full width. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/u;
/**
 * The start of a cell if a file is read with another separator, as spreadsheets do in many locales: the quotes of our
 * cells then end at the first comma, so that a `;` or tab inside starts a new cell, and a line break a new row.
 */
const formulaInside = /([;\t\r\n][ "]*)(?=[=+\-@＝＋－＠])/gu;

/** `1:30`, `17:`, `1:30:05.5 pm`, `7a`. */
const time = '\\d{1,2} ?(?:[ap]m?|:(?:\\d{1,2}(?::\\d{1,2}(?:[.,]\\d+)?)?)?(?: ?[ap]m?)?)';
const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const separator = '[-/., ]{0,2}';

/** Text that spreadsheets (Excel, LibreOffice, Google Sheets) convert when they open a file. */
const convertedPatterns = [
  // Numbers: `12e5`, `00123`, `1,000`, `.5`, `50%`, `$5`, `(5)`.
  "\\(?[$€£¥]? ?[.,]?\\d[\\d., '’]*(?:e ?[-+]?\\d+)? ?[%$€£¥]?\\)?",
  // Dates in digits, and fractions: `3/4`, `1 3/4`, `2026-01-31 09:05`.
  `(?:\\d+ )?\\d+ ?[-/] ?\\d+(?: ?[-/] ?\\d+)?(?:[t ]+${time}(?:z| ?[-+][\\d:]+)?)?`,
  // Dates with the month in letters, in any order: `dec2`, `1dec`, `12dec2021`, `2021-dec-12`, `Dec 1, 2021`.
  `(?=.*\\d)(?:\\d{1,4}${separator})?${month}(?:${separator}\\d{1,4}){0,2}(?: +${time})?`,
  time,
  'true|false',
  // Errors of formulas: `#N/A`, `#REF!`.
  '#(?:n/a|[a-z0-9/]+[!?])',
];
const converted = new RegExp(`^(?:${convertedPatterns.join('|')})$`, 'iu');

/** Returns a cell that no spreadsheet executes: the start of a formula gets an apostrophe before it. */
export function cell(text: string): string {
  const defused = text.replace(formulaInside, "$1'");
  return quoted(formulaStart.test(defused) ? `'${defused}` : defused);
}

/** Returns a cell for an id that no spreadsheet converts: ids are often hexadecimal, and some look like a date. */
export function idCell(text: string): string {
  // Spreadsheets ignore spaces at both ends and the width of characters.
  return converted.test(text.normalize('NFKC').trim()) ? quoted(`'${text}`) : cell(text);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Creates the CSV file of a campaign's results for spreadsheets, row by row: the lines about the campaign, an empty
 * line, then the table with the marketplace's own column names (section 9 of its API). Times are UTC; the encoding is
 * UTF-8 with a byte order mark, by which spreadsheets recognize it.
 */
export function createSpreadsheet() {
  let lines: string[] = [];
  let slots = 1;

  return {
    /** All rows of one file have as many proof slots. */
    add(row: ResultRow): void {
      slots = row.proof.length;
      lines.push(`${lineOf(row)}\r\n`);
    },

    /** Returns the lines added since the last call. */
    take(): readonly string[] {
      const taken = lines;
      lines = [];
      return taken;
    },

    /** Returns the part before the rows. @param preamble about the campaign */
    head(preamble: Readonly<Record<string, string>>): string {
      const head = [
        ...preambleCells(preamble).map((cells) => cells.map(written).join(',')),
        '',
        columnNames(slots).join(','),
      ];
      return `\uFEFF${head.map((line) => `${line}\r\n`).join('')}`;
    },
  };
}

function lineOf(row: ResultRow): string {
  return cellsOf(row).map(written).join(',');
}

function written(of: Cell): string {
  switch (of.kind) {
    case 'date':
      return cell(of.date?.toISOString().slice(0, 19).replace('T', ' ') ?? '');
    case 'id':
      return idCell(of.text);
    default:
      return cell(of.text);
  }
}

/** Returns the filename, built from the campaign's title and id. */
export function filenameOf(
  { id, title }: { readonly id: string; readonly title: string },
  ending = '.csv',
): string {
  const part = (text: string, max: number) =>
    [...text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-')]
      .slice(0, max)
      .join('')
      .replace(/^-+|-+$/gu, '');
  return `${['results', part(title, 60), part(id, 60)].filter((text) => text !== '').join('-')}${ending}`;
}
