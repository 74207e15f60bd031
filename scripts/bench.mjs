import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

// Runs the benchmarks one after another. Arguments choose those whose names contain one of them.
await main(async () => {
  await setUp();
  const words = process.argv.slice(2);
  const all = (await readdir(join(root, 'bench'))).filter((file) => file.endsWith('.bench.ts')).sort();
  const chosen = all.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (chosen.length === 0) {
    throw new Failure(`No benchmark has such a name. Choose from: ${all.join(', ')}`);
  }
  let failed = 0;
  for (const file of chosen) {
    console.log(`\n${file.replace('.bench.ts', '')}`);
    const { code } = await run(process.execPath, ['--import', 'tsx', join(root, 'bench', file)], {
      show: true,
    });
    failed += code === 0 ? 0 : 1;
  }
  return failed === 0 ? 0 : 1;
});
