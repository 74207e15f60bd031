/** How fields are put on the wire ("Endpoints": form fields, an array as `name[]` once per value, multipart). */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Endpoint, FieldValues } from './endpoint.ts';
import type { UploadFile } from './types.ts';

export interface EncodedBody {
  readonly headers: Record<string, string>;
  readonly body: string | Readable | null;
}

/** One field on the wire. */
export type Part = readonly [name: string, value: string | UploadFile];

/** Fields in the endpoint's order, arrays taken apart, undefined ones left out. */
export function partsOf<Field extends string>(
  endpoint: Endpoint<string, Field>,
  fields: FieldValues<Field>,
): Part[] {
  const parts: Part[] = [];
  for (const name of endpoint.fields) {
    const value: string | UploadFile | readonly string[] | undefined = fields[name];
    if (value === undefined) continue;
    if (isList(value)) for (const one of value) parts.push([name, one]);
    else parts.push([name, value]);
  }
  return parts;
}

/** `name=value&…`, for queries and form bodies. */
export function urlEncode(parts: readonly Part[]): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of parts) {
    if (typeof value === 'string') encoded.append(name, value);
  }
  return encoded.toString();
}

/** Whether the same body can be made again: a stream that was given as such flows only once. */
export function canBeSentAgain(parts: readonly Part[]): boolean {
  return parts.every(([, value]) => typeof value === 'string' || typeof value.stream === 'function');
}

/** A form as the service wants it; a multipart body is made as it is sent, so that no file is held in memory. */
export function encodeBody(kind: 'form' | 'multipart', parts: readonly Part[]): EncodedBody {
  if (kind === 'form') {
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: urlEncode(parts),
    };
  }
  const boundary = `----proofdesk${randomBytes(18).toString('hex')}`;
  const length = lengthOf(parts, boundary);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...(length === undefined ? {} : { 'content-length': String(length) }),
    },
    body: Readable.from(multipart(parts, boundary), { objectMode: false }),
  };
}

async function* multipart(parts: readonly Part[], boundary: string): AsyncGenerator<Buffer> {
  for (const [name, value] of parts) {
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
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
  if (typeof value === 'string') return `${disposition}\r\n\r\n`;
  const type = (value.contentType ?? 'application/octet-stream').replace(/[\r\n]+/gu, ' ');
  return `${disposition}; filename="${quoted(value.filename)}"\r\nContent-Type: ${type}\r\n\r\n`;
}

const endOf = (boundary: string) => `--${boundary}--\r\n`;

/** As browsers write names in multipart headers: UTF-8, with what would end the line or the name escaped. */
function quoted(name: string): string {
  return name.replace(/\r\n|\r|\n/gu, '%0D%0A').replaceAll('"', '%22');
}

function lengthOf(parts: readonly Part[], boundary: string): number | undefined {
  let length = Buffer.byteLength(endOf(boundary));
  for (const [name, value] of parts) {
    const size = typeof value === 'string' ? Buffer.byteLength(value) : value.size;
    if (size === undefined) return undefined;
    length += Buffer.byteLength(headOf(name, value, boundary)) + size + 2;
  }
  return length;
}

function isList(value: string | UploadFile | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}
