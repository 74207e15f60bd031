import { crc32, inflateRawSync } from 'node:zlib';

/** A cell of a workbook as a spreadsheet interprets it. */
export type SheetCell = string | number | Date | undefined;

/** Reads the files of a ZIP archive from its directory, and checks each against its entry. */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [compressed, size] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 24)];
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(from, from + compressed));
    if (bytes.length !== size) throw new Error(`${name} has ${bytes.length} bytes, not ${size}`);
    if (crc32(bytes) !== archive.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`);
    files.set(name, bytes);
    at += 46 + nameLength;
  }
  return files;
}

/** Returns the rows of each sheet of a workbook, by the sheet's name. */
export function sheetsOf(archive: Buffer): Map<string, SheetCell[][]> {
  const files = unzip(archive);
  const workbook = files.get('xl/workbook.xml')?.toString() ?? '';
  const names = [...workbook.matchAll(/<sheet name="([^"]*)"/gu)].map(([, name]) => name ?? '');
  return new Map(
    names.map((name, index) => [
      name,
      rowsOf(files.get(`xl/worksheets/sheet${index + 1}.xml`)?.toString() ?? ''),
    ]),
  );
}

function rowsOf(sheet: string): SheetCell[][] {
  return [...sheet.matchAll(/<row r="\d+">(.*?)<\/row>/gsu)].map(([, row = '']) => {
    const cells: SheetCell[] = [];
    for (const [, column = '', attributes = '', content = ''] of row.matchAll(
      /<c r="([A-Z]+)\d+"([^>]*)>(.*?)<\/c>/gsu,
    ))
      cells[columnIndex(column)] = cellOf(attributes, content);
    return cells;
  });
}

function columnIndex(letters: string): number {
  return [...letters].reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellOf(attributes: string, content: string): SheetCell {
  const text = /<t xml:space="preserve">(.*)<\/t>/su.exec(content)?.[1];
  if (text !== undefined) return decoded(text);
  const value = /<v>(.*)<\/v>/u.exec(content)?.[1];
  if (value === undefined) return undefined;
  return attributes.includes('s="2"')
    ? new Date(Math.round((Number(value) - 25_569) * 86_400) * 1000)
    : Number(value);
}

function decoded(text: string): string {
  return text
    .replace(/_x([\dA-F]{4})_/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
