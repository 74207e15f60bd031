import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { startMarketplaceProxy } from '../test/harness/marketplace-proxy.ts';
import { agent, idOf } from './results-rows.ts';

// A proxy before a sandbox marketplace that has one campaign, which makes it a large one: 100,000 tasks that were rated
// earlier, 29 MB, come before those of the sandbox.

const rated = 100_000;
const rowOf = (index: number) =>
  `${index + 1},0,${idOf(index)},w${index % 20_000},worker_${index % 20_000},OK,2026-11-20 10:15:00,203.0.113.${index % 256},US,"Order ${index * 31} was placed at the shop, in aisle ${index % 40},\nand the picture shows it with its price",,${agent}`;
const rows = Buffer.from(
  JSON.stringify(Array.from({ length: rated }, (_, index) => `${rowOf(index)}\n`).join('')).slice(1, -1),
);

const [sandbox = ''] = process.argv.slice(2);

/** Returns what the sandbox answers. */
async function ask(path: string): Promise<string> {
  const answer = await fetch(sandbox + path, { headers: { ServiceApiKey: 'employer-demo-key' } });
  return answer.text();
}

async function list(path: string, response: ServerResponse): Promise<void> {
  const more = (_: string, ok: string) => `"tasks_ok":"${Number(ok) + rated}"`;
  response.end((await ask(path)).replace(/"tasks_ok":"(\d+)"/, more));
}

async function results(path: string, response: ServerResponse): Promise<void> {
  const text = (await ask(path)).replace(
    /TASKS_SUBMITTED,(\d+)/,
    (_, count: string) => `TASKS_SUBMITTED,${Number(count) + rated}`,
  );
  const at = text.indexOf('\\nROW,');
  const rowsAt = text.indexOf('\\n', at + 2) + 2;
  response.write(text.slice(0, rowsAt));
  if (!response.write(rows)) await once(response, 'drain');
  response.end(text.slice(rowsAt));
}

const proxy = await startMarketplaceProxy(sandbox, (path, response) => {
  const answer = path.includes('results_csv') ? results : path.includes('list_extend') ? list : undefined;
  if (answer === undefined) return false;
  response.setHeader('content-type', 'application/json');
  void answer(path, response).catch(() => response.destroy());
  return true;
});
process.send?.(proxy.url);
process.on('disconnect', () => process.exit());
