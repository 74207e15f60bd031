import { maskIp } from '../../../domain/ip.ts';
import type { ResultRow } from '../../../marketplace/index.ts';

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

/** The columns before the proof's. */
const firstColumns = 'ROW CSV_ROW TASK_ID USER_ID USERNAME TASK_RATING FINISHED IP COUNTRY_CODE'.split(' ');

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
        ...Object.entries(preamble).map(
          ([key, value]) => `${cell(key)},${key.endsWith('_ID') ? idCell(value) : cell(value)}`,
        ),
        '',
        columnNames(slots).join(','),
      ];
      return `\uFEFF${head.map((line) => `${line}\r\n`).join('')}`;
    },
  };
}

/** Returns the column names, the marketplace's own (section 9 of its API). @param slots of the proof */
function columnNames(slots: number): string[] {
  const slotNames = Array.from({ length: slots }, (_, slot) => `PROOF_${slot + 1}`);
  return [...firstColumns, ...slotNames, 'EMPLOYER_COMMENT', 'HTTP_USER_AGENT'];
}

/** Returns a row's line. Workers' IP addresses are masked, because they are personal data. */
function lineOf(row: ResultRow): string {
  return [
    cell(row.row),
    cell(row.csvRow),
    idCell(row.taskId),
    idCell(row.workerId),
    cell(row.username),
    cell(row.rating),
    cell(row.finishedAt?.toISOString().slice(0, 19).replace('T', ' ') ?? ''),
    cell(maskIp(row.ip)),
    cell(row.countryCode),
    ...row.proof.map(cell),
    cell(row.employerComment),
    cell(row.userAgent),
  ].join(',');
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
