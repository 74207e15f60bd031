import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns what axe objects to on a page as it is now, at any level, one text each. */
export async function axeProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await source);
  return page.evaluate(violations);
}

/** Runs in the page, where axe is loaded. */
async function violations(): Promise<string[]> {
  type Found = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  const { axe } = globalThis as unknown as { axe: { run(): Promise<Found> } };
  const { violations: found } = await axe.run();
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.replaceAll('\n', ' ')}`),
  );
}
