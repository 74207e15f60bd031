import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { chromiumPath, missing, openBrowser } from './chromium.ts';

export { openWorkspace } from './workspace-page.ts';

/** Tests that need a browser. Where there is none they are reported as skipped, and the reason is printed. */
export function describeInBrowser(name: string, body: (browser: () => Browser) => void): void {
  const absent = chromiumPath() === undefined;
  if (absent) console.warn(`Skipped: ${name}. ${missing}`);
  describe.skipIf(absent)(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
    });
    body(() => {
      if (!browser) throw new Error('The browser is not open yet: use it inside a test.');
      return browser;
    });
  });
}
