import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { main, root, run } from './lib/processes.mjs';

// Serves the gallery until it is stopped: every message, modal and home tab of the bot on one page.
await main(async () => {
  await setUp();
  const server = ['--import', 'tsx', join(root, 'gallery/serve.ts'), ...process.argv.slice(2)];
  const { code } = await run(process.execPath, server, { show: true });
  return code;
});
