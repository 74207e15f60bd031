import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { main, root, run } from './lib/processes.mjs';

// Starts the chaos run: see test/chaos/cli.ts.
await main(async () => {
  await setUp();
  const cli = join(root, 'test/chaos/cli.ts');
  const { code } = await run(process.execPath, ['--import', 'tsx', cli, ...process.argv.slice(2)], {
    show: true,
  });
  return code;
});
