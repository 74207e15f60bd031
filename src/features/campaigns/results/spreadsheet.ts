import type { ResultRow } from '../../../marketplace/index.ts';

/** Lines that are held as text; all before them are bytes already. */
const mostLines = 200;

/** The columns before and after those of the proof. */
const firstColumns = 'ROW CSV_ROW TASK_ID USER_ID USERNAME TASK_RATING FINISHED IP COUNTRY_CODE'.split(' ');
const lastColumns = ['EMPLOYER_COMMENT', 'HTTP_USER_AGENT'];

/** What a spreadsheet takes for the beginning of a formula, in its usual and its full width. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/u;

/** `1:30`, `17:`, `1:30:05.5 pm`, `7a`. */
const time = '\\d{1,2} ?(?:[ap]m?|:(?:\\d{1,2}(?::\\d{1,2}(?:[.,]\\d+)?)?)?(?: ?[ap]m?)?)';
const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const between = '[-/., ]{0,2}';

/** What spreadsheets (Excel, LibreOffice, Google Sheets) make something else of when they open a file. */
const otherReadings = [
  // Another number: `12e5`, `00123`, `1,000`, `.5`, `50%`, `$5`, `(5)`.
  "\\(?[$€£¥]? ?[.,]?\\d[\\d., '’]*(?:e ?[-+]?\\d+)? ?[%$€£¥]?\\)?",
  // A date in digits, or a fraction: `3/4`, `1 3/4`, `2026-01-31 09:05`.
  `(?:\\d+ )?\\d+ ?[-/] ?\\d+(?: ?[-/] ?\\d+)?(?:[t ]+${time}(?:z| ?[-+][\\d:]+)?)?`,
  // A date with its month in letters, in any order: `dec2`, `1dec`, `12dec2021`, `2021-dec-12`, `Dec 1, 2021`.
  `(?=.*\\d)(?:\\d{1,4}${between})?${month}(?:${between}\\d{1,4}){0,2}(?: +${time})?`,
  time,
  'true|false',
  // What says that a formula has failed: `#N/A`, `#REF!`.
  '#(?:n/a|[a-z0-9/]+[!?])',
];
const readAsOther = new RegExp(`^(?:${otherReadings.join('|')})$`, 'iu');

/** A cell that no spreadsheet runs: the start of a formula gets an apostrophe before it. */
export function cell(text: string): string {
  return quoted(formulaStart.test(text) ? `'${text}` : text);
}

/** A cell with an id, which stays the text that it is: ids are often hexadecimal, and some of those look like a date. */
export function idCell(text: string): string {
  // Spreadsheets look past spaces at the ends and the width of characters.
  return readAsOther.test(text.normalize('NFKC').trim()) ? quoted(`'${text}`) : cell(text);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * A campaign's results as a file for spreadsheets, made row by row: the lines about the campaign, an empty line, then
 * the table, with the marketplace's own names of columns (section 9 of its API). Times are UTC. UTF-8 with a mark at
 * the start, by which spreadsheets know it. Of the workers' addresses the last part is hidden: they are personal data.
 */
export function createSpreadsheet() {
  const parts: Buffer[] = [];
  let lines: string[] = [];
  let slots = 1;
  const bytes = (some: readonly string[]) => Buffer.from(some.map((line) => `${line}\r\n`).join(''));

  return {
    /** All rows of one file have as many proof slots. */
    add(row: ResultRow): void {
      slots = row.proof.length;
      lines.push(lineOf(row));
      if (lines.length < mostLines) return;
      parts.push(bytes(lines));
      lines = [];
    },

    /** The whole file, in parts: together they would need its memory once more. @param preamble about the campaign */
    file(preamble: Readonly<Record<string, string>>): Buffer[] {
      const slotNames = Array.from({ length: slots }, (_, slot) => `PROOF_${slot + 1}`);
      const head = [
        ...Object.entries(preamble).map(([key, value]) =>
          [cell(key), key.endsWith('_ID') ? idCell(value) : cell(value)].join(','),
        ),
        '',
        [...firstColumns, ...slotNames, ...lastColumns].join(','),
      ];
      return [Buffer.from('\uFEFF'), bytes(head), ...parts, bytes(lines)];
    },
  };
}

function lineOf(row: ResultRow): string {
  const finished = row.finishedAt?.toISOString().slice(0, 19).replace('T', ' ') ?? '';
  return [
    cell(row.row),
    cell(row.csvRow),
    idCell(row.taskId),
    idCell(row.workerId),
    cell(row.username),
    cell(row.rating),
    cell(finished),
    cell(masked(row.ip)),
    cell(row.countryCode),
    ...row.proof.map(cell),
    cell(row.employerComment),
    cell(row.userAgent),
  ].join(',');
}

/** `203.0.113.7` → `203.0.113.…`, likewise with the colons of IPv6. */
function masked(ip: string): string {
  return ip === '' ? '' : ip.replace(/[^.:]*$/u, '…');
}

/** The name of the file: what the campaign is called, and its id. */
export function filenameOf({ id, title }: { readonly id: string; readonly title: string }): string {
  const part = (text: string, max: number) =>
    [...text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-')]
      .slice(0, max)
      .join('')
      .replace(/^-+|-+$/gu, '');
  return `${['results', part(title, 60), part(id, 60)].filter((text) => text !== '').join('-')}.csv`;
}
