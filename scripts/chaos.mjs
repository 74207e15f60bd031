import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { main, root, run } from './lib/processes.mjs';

// Starts the long chaos run, which writes docs/chaos-report.md. test/chaos/long.ts describes the arguments.
await main(async () => {
  await setUp({ chromium: false });
  const long = join(root, 'test/chaos/long.ts');
  const { code } = await run(process.execPath, ['--import', 'tsx', long, ...process.argv.slice(2)], {
    show: true,
  });
  return code;
});
