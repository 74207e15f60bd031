import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { main, root, run } from './lib/processes.mjs';

// Sends generated cases to every entry point: by default 10,000 each. `npm run fuzz -- --help` lists the options.
await main(async () => {
  await setUp();
  const cli = join(root, 'test/fuzz/cli.ts');
  const { code } = await run(process.execPath, ['--import', 'tsx', cli, ...process.argv.slice(2)], {
    show: true,
  });
  return code;
});
