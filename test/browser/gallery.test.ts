import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { newPage } from '../harness/chromium.ts';
import { freePort } from '../harness/ports.ts';

describeInBrowser('the gallery', (browser) => {
  let server: ViteDevServer;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    server = await createServer({
      configFile: fileURLToPath(new URL('../../gallery/vite.config.ts', import.meta.url)),
      logLevel: 'error',
      server: { host: '127.0.0.1', port, strictPort: true },
    });
    await server.listen();
    address = `http://127.0.0.1:${port}/`;
  });

  afterAll(() => server.close());

  it('draws every entry without an error of the page, in light and dark, with texts that can be read', async () => {
    const { page, errors } = await open(browser(), `${address}?width=phone&theme=light`);
    expect(await page.locator('.entry').count()).toBe(entries.length);
    expect(await page.getByText('that this page cannot draw').count()).toBe(0);
    expect(await page.evaluate(tooFaint)).toEqual([]);
    await page.getByRole('button', { name: 'dark', exact: true }).click();
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).colorScheme)).toBe('dark');
    expect(await page.evaluate(tooFaint)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('finds entries by words of their titles and texts', async () => {
    const { page } = await open(browser(), `${address}?query=undo`);
    await page.getByLabel('Search').fill('waiting for undo revise with a reason');
    await expect.poll(() => page.locator('.entry').count()).toBeLessThan(4);
    const name = 'Cards: Waiting for undo: REVISE with a reason';
    expect(await page.getByRole('article', { name, exact: true }).count()).toBe(1);
    await page.close();
  });

  it('shows the JSON of an entry, and links to the Block Kit Builder with it', async () => {
    const { page } = await open(browser(), `${address}?query=disconnect`);
    const entry = page.locator('.entry').first();
    await entry.getByText('JSON').click();
    const json = JSON.parse((await entry.locator('pre').last().textContent()) ?? '') as { blocks: unknown };
    const builder = await entry.getByRole('link', { name: 'Block Kit Builder' }).getAttribute('href');
    const payload = JSON.parse(decodeURIComponent(builder?.split('#')[1] ?? '')) as { blocks: unknown };
    expect(payload.blocks).toEqual(json.blocks);
    await page.close();
  });
});

async function open(browser: Browser, address: string): Promise<{ page: Page; errors: string[] }> {
  const page = await newPage(browser, { viewport: { width: 1300, height: 900 } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(address);
  await page.locator('.entry').first().waitFor();
  return { page, errors };
}

/** Runs in the page: texts whose contrast is below WCAG's AA (4.5, large ones 3), one of each pair of colors. */
function tooFaint(): string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const found = new Map<string, string>();
  const paint = (colors: string[]): number[] => {
    if (!canvas) return [0, 0, 0];
    canvas.fillStyle = '#fff';
    canvas.fillRect(0, 0, 1, 1);
    for (const color of colors) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb: number[]): number =>
    rgb
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
  const known = new Map<Element, string[]>();
  const backgrounds = (element: Element | null): string[] => {
    if (!element) return [];
    const found = known.get(element) ?? [
      ...backgrounds(element.parentElement),
      getComputedStyle(element).backgroundColor,
    ];
    known.set(element, found);
    return found;
  };
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].find(
      (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim(),
    );
    if (!text || element.closest('svg')) continue;
    const style = getComputedStyle(element);
    if (style.color === 'rgba(0, 0, 0, 0)') continue;
    const layers = backgrounds(element);
    const key = [style.color, ...layers.filter((color) => color !== 'rgba(0, 0, 0, 0)'), style.fontSize].join(
      ' ',
    );
    if (found.has(key)) continue;
    const [a = 0, b = 0] = [luminance(paint(layers)), luminance(paint([...layers, style.color]))].sort(
      (x, y) => y - x,
    );
    const isLarge = Number.parseFloat(style.fontSize) >= 24;
    const ratio = (a + 0.05) / (b + 0.05);
    found.set(
      key,
      ratio < (isLarge ? 3 : 4.5) ? `${ratio.toFixed(1)} ${key} “${text.nodeValue?.slice(0, 40)}”` : '',
    );
  }
  return [...found.values()].filter((problem) => problem !== '');
}
