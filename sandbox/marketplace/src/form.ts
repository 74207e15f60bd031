import type { FastifyRequest } from 'fastify';
import type { ProofFile } from './model.ts';
import { proofFile } from './model.ts';

/** A form as the request log shows it. */
export type FormRecord = Record<
  string,
  string | string[] | { filename: string; content_type: string; size: number; sha256: string }
>;

/** The fields of a request, urlencoded or multipart. */
export interface Form {
  /** Returns the last value of a field; empty if it is absent. */
  one(name: string): string;
  /** Returns all values of a field, in order. */
  all(name: string): readonly string[];
  file(name: string): ProofFile | undefined;
  /** Whether a file was cut off at the size limit. */
  readonly truncated: boolean;
  record(): FormRecord;
}

function createForm(
  fields: ReadonlyMap<string, readonly string[]>,
  files: ReadonlyMap<string, ProofFile>,
  truncated: boolean,
): Form {
  return {
    one: (name) => fields.get(name)?.at(-1) ?? '',
    all: (name) => fields.get(name) ?? [],
    file: (name) => files.get(name),
    truncated,
    record() {
      const record: FormRecord = {};
      for (const [name, values] of fields) {
        record[name] = name.endsWith('[]') || values.length > 1 ? [...values] : (values[0] ?? '');
      }
      for (const [name, { filename, content_type, bytes, sha256 }] of files) {
        record[name] = { filename, content_type, size: bytes.length, sha256 };
      }
      return record;
    },
  };
}

function addTo(fields: Map<string, string[]>, name: string, value: string): void {
  const values = fields.get(name);
  if (values) values.push(value);
  else fields.set(name, [value]);
}

/**
 * Reads the body of a request: multipart as a stream of parts, anything else as urlencoded text. Resolves to undefined if it
 * is multipart without a boundary or an end, or with more than any form has.
 */
export async function readForm(request: FastifyRequest, maxFileBytes: number): Promise<Form | undefined> {
  if (request.isMultipart()) {
    try {
      return await readParts(request, maxFileBytes);
    } catch (error) {
      // The caller has gone away.
      if (request.raw.socket.destroyed) throw error;
      // The rest is read all the same: otherwise the client may see its upload fail instead of the answer.
      request.raw.resume();
      return undefined;
    }
  }
  const fields = new Map<string, string[]>();
  if (typeof request.body === 'string')
    for (const [name, value] of new URLSearchParams(request.body)) addTo(fields, name, value);
  return createForm(fields, new Map(), false);
}

async function readParts(request: FastifyRequest, maxFileBytes: number): Promise<Form> {
  const fields = new Map<string, string[]>();
  const files = new Map<string, ProofFile>();
  let truncated = false;
  const parts = request.parts({ limits: { fileSize: maxFileBytes, fieldSize: 50_000_000, files: 20 } });
  for await (const part of parts) {
    if (part.type === 'field') {
      addTo(fields, part.fieldname, String(part.value));
      continue;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of part.file) chunks.push(chunk);
    truncated ||= part.file.truncated;
    const bytes = Buffer.concat(chunks);
    // A browser sends an unfilled file field as a nameless empty file.
    if (part.filename !== '' || bytes.length > 0)
      files.set(part.fieldname, proofFile(part.filename, part.mimetype, bytes));
  }
  return createForm(fields, files, truncated);
}
