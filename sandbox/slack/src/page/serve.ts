/** Serves the sandbox workspace's page from its source files; the workspace itself serves everything else. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createServer } from 'vite';
import { folderForVite } from './folder-for-vite.ts';

const project = folderForVite(fileURLToPath(new URL('../../../../', import.meta.url)));

const { port, workspace } = parseArgs({
  options: { port: { type: 'string', default: '4000' }, workspace: { type: 'string' } },
}).values;
if (workspace === undefined) throw new Error('--workspace must be the address of a sandbox workspace');

const server = await createServer({
  configFile: join(project, 'sandbox/slack/src/page/vite.config.ts'),
  root: join(project, 'sandbox/slack/src/page'),
  cacheDir: join(project, '.cache/vite'),
  server: {
    host: '127.0.0.1',
    port: Number(port),
    strictPort: true,
    proxy: { '^/(_sandbox|api|files-pri|signin)(/|$)': { target: workspace, ws: true } },
  },
});
await server.listen();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void server.close().finally(() => process.exit());
  });
}
