import { fileURLToPath } from 'node:url';
import { folderForVite } from '@proofdesk/slack-sandbox';
import react from '@vitejs/plugin-react';
import type { InlineConfig, Plugin } from 'vite';
import type { drawAll } from './drawn.ts';
import type { entries } from './entries/index.ts';

const project = `${folderForVite(fileURLToPath(new URL('..', import.meta.url)).slice(0, -1))}/`;
const gallery = `${project}gallery/`;

/** Serves the page and its entries. Both follow the sources, so edits to a view show immediately. */
export default {
  // Whoever serves it imports this: Vite itself would not read TypeScript of other packages.
  configFile: false,
  root: `${gallery}page`,
  cacheDir: `${project}.cache/gallery`,
  plugins: [react(), drawnEntries()],
  resolve: {
    preserveSymlinks: true,
    // Read from the sources, as the rest of the page.
    alias: { '@proofdesk/slack-sandbox': `${project}sandbox/slack/src` },
  },
  server: { fs: { allow: [project] } },
} satisfies InlineConfig;

/** Serves `/entries.json`: every entry, rendered by the current code. */
function drawnEntries(): Plugin {
  return {
    name: 'gallery-entries',
    configureServer(server) {
      server.middlewares.use('/entries.json', (_request, response) => {
        drawnBy(server.ssrLoadModule).then(
          (json) => {
            response.setHeader('content-type', 'application/json');
            response.end(json);
          },
          (error: unknown) => {
            response.statusCode = 500;
            response.end(error instanceof Error ? (error.stack ?? error.message) : String(error));
          },
        );
      });
    },
    // The views run here, so the browser must be notified when they change.
    hotUpdate({ server, file }) {
      if (!file.endsWith('.css') && !file.startsWith(`${gallery}page/`))
        server.ws.send({ type: 'full-reload' });
    },
  };
}

type Load = (path: string) => Promise<Record<string, unknown>>;

async function drawnBy(load: Load): Promise<string> {
  const drawing = (await load(`${gallery}drawn.ts`)) as { drawAll: typeof drawAll };
  const all = (await load(`${gallery}entries/index.ts`)) as { entries: typeof entries };
  return JSON.stringify(drawing.drawAll(all.entries));
}
