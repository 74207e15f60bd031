import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { UserError } from '../../errors.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** The forms of a file for browsers that accept them, the smallest first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly encoded: readonly (readonly [encoding: string, bytes: Buffer])[];
}

/**
 * Reads the built page into memory. Throws UserError if it is not built.
 * @param folder has index.html, and the rest of the page in assets/
 */
export function readPage(folder: string) {
  const read = (name: string): PageFile => {
    const path = join(folder, name);
    const encoded = encodings.flatMap(([encoding, end]) => {
      const bytes = readIfThere(path + end);
      return bytes === undefined ? [] : [[encoding, bytes] as const];
    });
    return { type: types[extname(name)] ?? 'application/octet-stream', bytes: readFileSync(path), encoded };
  };
  try {
    const index = read('index.html');
    const assets = readdirSync(join(folder, 'assets')).filter((name) => !/\.(?:br|gz|map)$/.test(name));
    const files = new Map(assets.map((name) => [`/desk/assets/${name}`, read(join('assets', name))]));
    files.set('/desk', index).set('/desk/', index);
    return {
      /** Sends a file of the page. Returns false if the path is none. */
      send(path: string, request: IncomingMessage, response: ServerResponse): boolean {
        const file = files.get(path);
        if (file === undefined) return false;
        const accepted = String(request.headers['accept-encoding'] ?? '');
        const [encoding, bytes] = file.encoded.find(([name]) => accepted.includes(name)) ?? [
          undefined,
          file.bytes,
        ];
        response.writeHead(200, {
          'content-type': file.type,
          vary: 'accept-encoding',
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
          // The names of assets change with their content.
          ...(file === index ? {} : { 'cache-control': 'public, max-age=31536000, immutable' }),
        });
        response.end(bytes);
        return true;
      },
    };
  } catch {
    throw new UserError(
      'PUBLIC_URL is set, but the page of the desk is not built. Run npm run build, or leave out PUBLIC_URL.',
    );
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
