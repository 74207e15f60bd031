import type { ResultRow } from '../../../marketplace/index.ts';
import { type Cell, cellsOf, columnNames, preambleCells } from './results-columns.ts';
import { createZip, type ZipEntry } from './zip.ts';

/** Limits of a cell and a sheet. */
const maxCellCharacters = 32_767;
const maxRows = 1_048_576;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelationships = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** Indexes of the formats in {@link styles}. Cells in the text format stay text when edited. */
const format = { text: 1, date: 2, heading: 3 } as const;
const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf fontId="1" numFmtId="49" applyFont="1" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/**
 * Creates the XLSX workbook of a campaign's results, row by row: the table, and a sheet with the lines about the
 * campaign. Numbers and times (UTC) have their own types; ids and workers' input are text, which no spreadsheet executes
 * or converts, unchanged except for line endings. Text is truncated only if it exceeds a cell's limit.
 */
export function createWorkbook() {
  const zip = createZip();
  const sheets: { readonly name: string; readonly entry: ZipEntry }[] = [];
  let rowsInSheet = 0;
  let slots = 1;

  function beginSheet(name: string): ZipEntry {
    const entry = zip.entry(`xl/worksheets/sheet${sheets.length + 1}.xml`);
    entry.write(
      `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`,
    );
    sheets.push({ name, entry });
    rowsInSheet = 0;
    return entry;
  }

  function endSheet({ entry }: { readonly entry: ZipEntry }): void {
    entry.write('</sheetData></worksheet>');
  }

  /** Writes a row. The format allows cells and rows without references, but some programs cannot read those. */
  function writeRow(entry: ZipEntry, cells: readonly Written[]): void {
    rowsInSheet += 1;
    const named = cells.map(({ attributes, content }, index) =>
      content === '' ? '' : `<c r="${columnLetters(index)}${rowsInSheet}"${attributes}>${content}</c>`,
    );
    entry.write(`<row r="${rowsInSheet}">${named.join('')}</row>`);
  }

  function resultsSheet(): ZipEntry {
    const last = sheets.at(-1);
    if (last !== undefined && rowsInSheet < maxRows) return last.entry;
    if (last !== undefined) endSheet(last);
    const entry = beginSheet(sheets.length === 0 ? 'Results' : `Results ${sheets.length + 1}`);
    writeRow(
      entry,
      columnNames(slots).map((name) => textCell(name, format.heading)),
    );
    return entry;
  }

  return {
    /** All rows of one file have as many proof slots. */
    add(row: ResultRow): void {
      slots = row.proof.length;
      writeRow(resultsSheet(), cellsOf(row).map(written));
    },

    /** Returns the whole file in chunks. @param preamble about the campaign */
    file(preamble: Readonly<Record<string, string>>): Buffer[] {
      endSheet({ entry: resultsSheet() });
      const about = beginSheet('Campaign');
      writeRow(
        about,
        ['FIELD', 'VALUE'].map((name) => textCell(name, format.heading)),
      );
      for (const cells of preambleCells(preamble)) writeRow(about, cells.map(written));
      endSheet({ entry: about });
      const names = sheets.map(({ name }) => name);
      zip.entry('[Content_Types].xml').write(contentTypes(names.length));
      zip
        .entry('_rels/.rels')
        .write(
          `${declaration}<Relationships xmlns="${packageRelationships}"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
        );
      zip.entry('xl/workbook.xml').write(workbook(names));
      zip.entry('xl/_rels/workbook.xml.rels').write(workbookRelationships(names.length));
      zip.entry('xl/styles.xml').write(styles);
      return zip.end();
    },
  };
}

function contentTypes(sheets: number): string {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const parts = numbered(
    sheets,
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${type}.worksheet+xml"/>`,
  );
  return `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/>${parts}</Types>`;
}

function workbook(names: readonly string[]): string {
  const sheets = numbered(
    names.length,
    (number) => `<sheet name="${names[number - 1]}" sheetId="${number}" r:id="rId${number}"/>`,
  );
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${sheets}</sheets></workbook>`;
}

function workbookRelationships(sheets: number): string {
  const own = numbered(
    sheets,
    (number) =>
      `<Relationship Id="rId${number}" Type="${relationships}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  );
  return `${declaration}<Relationships xmlns="${packageRelationships}">${own}<Relationship Id="rId${sheets + 1}" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`;
}

function numbered(count: number, write: (number: number) => string): string {
  return Array.from({ length: count }, (_, index) => write(index + 1)).join('');
}

/** Days from the spreadsheet epoch to 1970. */
const epochDays = 25_569;
const dayMs = 86_400_000;

/** A cell without its reference; empty cells are omitted. */
interface Written {
  readonly attributes: string;
  readonly content: string;
}

function written(cell: Cell): Written {
  switch (cell.kind) {
    case 'number':
      return { attributes: '', content: `<v>${cell.text}</v>` };
    case 'date': {
      const days = cell.date && cell.date.getTime() / dayMs + epochDays;
      return { attributes: ` s="${format.date}"`, content: days === undefined ? '' : `<v>${days}</v>` };
    }
    default:
      return textCell(cell.text, format.text);
  }
}

function textCell(text: string, style: number): Written {
  const shown = encoded(fitting(text));
  const content = shown === '' ? '' : `<is><t xml:space="preserve">${shown}</t></is>`;
  return { attributes: ` s="${style}" t="inlineStr"`, content };
}

/** Truncates a text to a cell's limit, which is counted in UTF-16. */
function fitting(text: string): string {
  if (text.length <= maxCellCharacters) return text;
  const room = text.slice(0, maxCellCharacters - 1);
  return `${/[\ud800-\udbff]$/.test(room) ? room.slice(0, -1) : room}…`;
}

/** Returns the letters of a column: A to Z, AA and so on. @param index from 0 */
function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

/** Characters that XML cannot hold or would change, and text that looks like their escape in workbooks. */
const unsafe = /_(?=x[\da-f]{4}_)|(?![\t\n])[\p{Cc}\p{Cs}\ufffe\uffff]/giu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function encoded(text: string): string {
  return text
    .replace(/\r\n?/gu, '\n')
    .replace(/[&<>]/gu, (character) => entities[character] ?? character)
    .replace(
      unsafe,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
}
