import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns what axe objects to on a page as it is now, at any level, one text each.
 * @param within a selector of what to look at; without it, the whole page
 * @param except rules that something else looks after
 */
export async function axeProblems(page: Page, within?: string, except: string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await source);
  return page.evaluate(violations, { within, except });
}

/** Runs in the page, where axe is loaded. */
async function violations(look: { within: string | undefined; except: string[] }): Promise<string[]> {
  type Found = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  const { axe } = globalThis as unknown as { axe: { run(at: unknown, options: object): Promise<Found> } };
  const rules = Object.fromEntries(look.except.map((rule) => [rule, { enabled: false }]));
  const at = look.within === undefined ? document : { include: [[look.within]] };
  const { violations: found } = await axe.run(at, { rules, resultTypes: ['violations'] });
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.replaceAll('\n', ' ')}`),
  );
}
