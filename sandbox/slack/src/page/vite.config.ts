import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { get as emojiNamed } from 'node-emoji';
import { defineConfig, type Plugin } from 'vite';

/** The maximum size of the page's compressed scripts. */
const mostScriptKilobytes = 250;

/** Builds for production even in a test, where React would be larger and slower. The environment is not read here. */
const production = {
  define: { [['process', 'env', 'NODE_ENV'].join('.')]: '"production"' },
  oxc: { jsx: { runtime: 'automatic' as const, development: false } },
  resolve: { conditions: ['module', 'browser', 'production'], preserveSymlinks: true },
};

/** The page is served at the root of the sandbox workspace; `build.ts` says where the files are, and where they go. */
export default defineConfig(({ command }) => ({
  base: '/',
  plugins: [react(), emojiNamesOnly(), libraryWithoutTables(), compress()],
  build: { target: 'es2023', chunkSizeWarningLimit: 2000 },
  ...(command === 'build' ? production : { resolve: { preserveSymlinks: true } }),
}));

/** Removes unused data from the list of emoji: keywords, categories, versions. */
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
 * Removes two unused tables from slack-blocks-to-jsx: HTML's named characters, for its mrkdwn parser (the page has its
 * own), and those emoji that node-emoji, which it asks first, has under the same name.
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

/** Compresses scripts and styles, prints the size of the scripts, and fails the build if they are too large. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    // After the bundle is written: before that, Vite may still change it, to load the other scripts.
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
        // Gzip as well, because browsers accept Brotli only from localhost or over https.
        const zipped = gzipSync(content, { level: 9 });
        writeFileSync(`${path}.gz`, zipped);
        if (!isScript) continue;
        all += compressed.length;
        // Counts the scripts needed before the first render, as compressed for servers without Brotli.
        if (!file.isDynamicEntry) first += zipped.length;
      }
      const kilobytes = (bytes: number): number => Math.ceil(bytes / 1000);
      const size =
        `${kilobytes(all)} KB of script, compressed by Brotli; ` +
        `${kilobytes(first)} KB before the page shows anything, compressed by gzip; ` +
        `of each at most ${mostScriptKilobytes} KB`;
      if (Math.max(all, first) > mostScriptKilobytes * 1000)
        this.error(`The page has too much script: ${size}.`);
      // Not through the logger, because the build prints nothing else.
      console.error(`The page is built: ${size}.`);
    },
  };
}
