import type { BuildOptions } from 'rolldown';

/** What is built: the programs of the bot, the one that it starts beside itself, and the marketplace client for other projects. */
export default {
  input: Object.fromEntries(
    [
      'main',
      'doctor',
      'marketplace/index',
      // Found by its path: src/features/shared/pictures/reader.ts.
      'features/shared/pictures/decoder',
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
} satisfies BuildOptions;
