import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { chromiumPath, missing, openBrowser } from './chromium.ts';

export { openWorkspace } from './index.ts';

/**
 * One browser for all files of a worker, because starting Chromium costs as much as several tests. Each page has its own
 * context. The browser ends with the worker.
 */
let shared: Promise<Browser> | undefined;

/** Returns the worker's browser, or a new one if it is gone. */
async function openShared(): Promise<Browser> {
  const open = await shared?.catch(() => undefined);
  if (open?.isConnected()) return open;
  shared = openBrowser();
  return shared;
}

/** Describes tests that need a browser. Without one, they are reported as skipped, and the reason is printed. */
export function describeInBrowser(name: string, body: (browser: () => Browser) => void): void {
  const absent = chromiumPath() === undefined;
  if (absent) console.warn(`Skipped: ${name}. ${missing}`);
  describe.skipIf(absent)(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await openShared();
    });
    // Also closes pages that failed tests have left open.
    afterAll(async () => {
      for (const context of browser?.contexts() ?? []) await context.close();
    });
    body(() => {
      if (!browser) throw new Error('The browser is not open yet: use it inside a test.');
      return browser;
    });
  });
}
