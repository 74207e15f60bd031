import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';

export { openWorkspace } from './workspace-page.ts';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Where Chromium is on this machine: `CHROMIUM`, or the first of the usual places that exists. */
export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

/** Starts the system's Chromium. Throws when there is none. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error(missing);
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

const missing = `Chromium was not found: install it, or name it in CHROMIUM (looked at ${places.join(', ')}).`;

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
