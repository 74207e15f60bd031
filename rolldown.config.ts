import { readdirSync, readFileSync } from 'node:fs';
import type { BuildOptions } from 'rolldown';

const lua = 'src/store/lua';

/** What is built: the programs of the bot, the one that it starts beside itself, and the marketplace client for other projects. */
export default {
  input: Object.fromEntries(
    [
      'main',
      'doctor',
      'marketplace/index',
      // Found by its path: src/features/evidence/picture-reader.ts.
      'features/evidence/picture-decoder',
    ].map((program) => [program, `src/${program}.ts`]),
  ),
  platform: 'node',
  // Sharp is optional, and finds its libraries beside itself. Other packages are built in: one file is read in place of hundreds.
  external: ['sharp'],
  output: {
    dir: 'dist',
    chunkFileNames: '[name].js',
    sourcemap: true,
    // Node reads the maps at the start: without the sources, they are a third as large.
    sourcemapExcludeSources: true,
  },
  plugins: [
    {
      name: 'lua',
      // Read where they lie beside what is built: src/store/scripts.ts.
      generateBundle() {
        for (const file of readdirSync(lua))
          this.emitFile({
            type: 'asset',
            fileName: `lua/${file}`,
            source: readFileSync(`${lua}/${file}`, 'utf8'),
          });
      },
    },
  ],
} satisfies BuildOptions;
