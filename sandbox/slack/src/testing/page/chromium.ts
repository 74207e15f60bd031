import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Returns the path of Chromium: `CHROMIUM`, or the first of the usual places that exists. */
export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

/** Starts the system's Chromium. Throws if there is none. */
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

/** How long tests wait for a page, which is slow to render on a busy machine. */
export const patienceMs = 90_000;

/** Opens a page with timeouts long enough for a busy machine. */
export async function newPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(patienceMs);
  return page;
}

/** The message for a missing Chromium. */
export const missing = `Chromium was not found: install it, or name it in CHROMIUM (looked at ${places.join(', ')}).`;
