import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { get as emojiNamed } from 'node-emoji';
import { defineConfig, type Plugin } from 'vite';

/** Most that the scripts of the page may weigh, compressed. */
const mostScriptKilobytes = 250;

/** Builds as for production in a test too, whose React would be larger and slower. Nothing of the environment is read here. */
const production = {
  define: { [['process', 'env', 'NODE_ENV'].join('.')]: '"production"' },
  oxc: { jsx: { runtime: 'automatic' as const, development: false } },
  resolve: { conditions: ['module', 'browser', 'production'] },
};

/** The page is served at the root of the sandbox workspace; `build.ts` says where the files go. */
export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react(), emojiNamesOnly(), libraryWithoutTables(), compress()],
  build: { target: 'es2023', chunkSizeWarningLimit: 2000 },
  ...(command === 'build' ? production : {}),
}));

/** Leaves out of the list of emoji what the page does not use: keywords, categories, versions. */
function emojiNamesOnly(): Plugin {
  return {
    name: 'emoji-names-only',
    enforce: 'pre',
    transform(code, id) {
      if (id.endsWith('/emojilib/ordered.json')) return { code: '[]', map: null };
      if (!id.endsWith('/emojilib/emojis.json')) return undefined;
      const all = JSON.parse(code) as Record<string, { char: string }>;
      const names = Object.entries(all).map(([name, { char }]) => [name, { char }]);
      return { code: JSON.stringify(Object.fromEntries(names)), map: null };
    },
  };
}

/**
 * Leaves out of slack-blocks-to-jsx two tables that nothing here reads: HTML's named characters, for its parser of mrkdwn
 * (the page has its own), and those emoji that node-emoji, which it asks first, knows by the same name.
 */
function libraryWithoutTables(): Plugin {
  const character = /\{key:\[[\d,]+\],value:"(?:[^"\\]|\\.)*"\},?/g;
  const emojiTable = /(?<=\w=)\{100:"[^;]*?"\}(?=;function)/;
  const emoji = /(?:"([\w+-]+)"|(\w+)):"[^"]*",?/g;
  return {
    name: 'library-without-tables',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/slack-blocks-to-jsx/dist/index.mjs')) return undefined;
      const withoutKnown = (table: string) =>
        table.replace(emoji, (entry: string, quoted?: string, bare?: string) =>
          emojiNamed(quoted ?? bare ?? '') === undefined ? entry : '',
        );
      return { code: code.replaceAll(character, '').replace(emojiTable, withoutKnown), map: null };
    },
  };
}

/** Compresses scripts and styles, says how much the scripts weigh, and fails the build when that is too much. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    // Once it is written: until then Vite may change it, to load the other scripts.
    writeBundle({ dir = '' }, bundle) {
      let all = 0;
      let first = 0;
      for (const file of Object.values(bundle)) {
        const isScript = file.type === 'chunk';
        if (!isScript && !file.fileName.endsWith('.css')) continue;
        const path = join(dir, file.fileName);
        const content = readFileSync(path);
        const compressed = brotliCompressSync(content);
        writeFileSync(`${path}.br`, compressed);
        // For browsers that take Brotli from this machine or over https only.
        const zipped = gzipSync(content, { level: 9 });
        writeFileSync(`${path}.gz`, zipped);
        if (!isScript) continue;
        all += compressed.length;
        // What the page needs before it shows anything, as servers without Brotli would send it.
        if (!file.isDynamicEntry) first += zipped.length;
      }
      const kilobytes = (bytes: number): number => Math.ceil(bytes / 1000);
      const size =
        `${kilobytes(all)} KB of script, compressed by Brotli; ` +
        `${kilobytes(first)} KB before the page shows anything, compressed by gzip; ` +
        `of each at most ${mostScriptKilobytes} KB`;
      if (Math.max(all, first) > mostScriptKilobytes * 1000)
        this.error(`The page has too much script: ${size}.`);
      // Not through the logger: the build says nothing else.
      console.error(`The page is built: ${size}.`);
    },
  };
}
