/** Encodes fields for the wire ("Endpoints": form fields, an array as `name[]` once per value, multipart). */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { UploadFile } from './types.ts';

/** Values by the names of their fields: a name with `[]` is repeated once per value, and undefined is not sent. */
export type Fields = Readonly<Record<string, string | UploadFile | readonly string[] | undefined>>;

/** One field on the wire. */
export type WireField = readonly [name: string, value: string | UploadFile];

/** Returns the fields as they are sent. */
export function toWireFields(fields: Fields): WireField[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): WireField => [name, one]),
  );
}

/** Returns `name=value&…`, for queries and form bodies. */
export function urlEncode(fields: readonly WireField[]): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of fields) {
    if (typeof value === 'string') encoded.append(name, value);
  }
  return encoded.toString();
}

/** Returns whether the same body can be sent again: a field given as a stream can be read only once. */
export function isReplayable(fields: Fields = {}): boolean {
  return toWireFields(fields).every(
    ([, value]) => typeof value === 'string' || typeof value.stream === 'function',
  );
}

/** Encodes a form. A multipart body is generated during sending, so that no file is held in memory. */
export function encodeBody(
  fields: readonly WireField[],
  isMultipart = false,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string | Readable } {
  if (!isMultipart)
    return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: urlEncode(fields) };
  const boundary = `----proofdesk${randomBytes(18).toString('hex')}`;
  const length = lengthOf(fields, boundary);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...(length === undefined ? {} : { 'content-length': String(length) }),
    },
    body: Readable.from(multipart(fields, boundary), { objectMode: false }),
  };
}

async function* multipart(fields: readonly WireField[], boundary: string): AsyncGenerator<Buffer> {
  for (const [name, value] of fields) {
    yield Buffer.from(headOf(name, value, boundary));
    if (typeof value === 'string') {
      yield Buffer.from(value);
    } else {
      const stream = typeof value.stream === 'function' ? value.stream() : value.stream;
      for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    }
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(endOf(boundary));
}

function headOf(name: string, value: string | UploadFile, boundary: string): string {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
  if (typeof value === 'string') return `${disposition}\r\n\r\n`;
  const type = (value.contentType ?? 'application/octet-stream').replace(/[\r\n]+/gu, ' ');
  return `${disposition}; filename="${escapeName(value.filename)}"\r\nContent-Type: ${type}\r\n\r\n`;
}

const endOf = (boundary: string) => `--${boundary}--\r\n`;

/** Escapes a name as browsers do in multipart headers: UTF-8, escaping characters that would end the line or the name. */
function escapeName(name: string): string {
  return name.replace(/\r\n|\r|\n/gu, '%0D%0A').replaceAll('"', '%22');
}

function lengthOf(fields: readonly WireField[], boundary: string): number | undefined {
  let length = Buffer.byteLength(endOf(boundary));
  for (const [name, value] of fields) {
    const size = typeof value === 'string' ? Buffer.byteLength(value) : value.size;
    if (size === undefined) return undefined;
    length += Buffer.byteLength(headOf(name, value, boundary)) + size + 2;
  }
  return length;
}
