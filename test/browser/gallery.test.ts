import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockTypes, elementTypes } from '@proofdesk/slack-sandbox/blockkit';
import { describeInBrowser } from '@proofdesk/slack-sandbox/testing/browser';
import {
  axeProblems,
  blockSamples,
  type Expected,
  expectedOf,
  newPage,
  squeezed,
  withoutSpaces,
} from '@proofdesk/slack-sandbox/testing/page';
import type { Browser, Page } from 'playwright-core';
import { build, createServer, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DrawnEntry, drawAll } from '../../gallery/drawn.ts';
import { entries } from '../../gallery/entries/index.ts';
import { workspace } from '../../gallery/page/workspace.ts';
import gallery from '../../gallery/vite.config.ts';
import { gate } from '../harness/eventually.ts';
import { freePort } from '../harness/ports.ts';
import { readDrawn, type Shown, type ToOpen } from './drawn-reading.ts';

it('what is compared has every block and every element that Slack documents', () => {
  const seen = new Set<unknown>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value) seen.add(value.type);
    for (const part of Object.values(value)) look(part);
  };
  look([...drawAll(entries), ...blockSamples()].map(({ drawn }) => drawn));
  expect([...blockTypes, ...elementTypes].filter((type) => !seen.has(type))).toEqual([]);
});

it('serves its entries as the current code draws them, and its page', async () => {
  const server = await createServer({
    ...gallery,
    logLevel: 'error',
    server: { ...gallery.server, host: '127.0.0.1', port: await freePort(), strictPort: true },
  });
  try {
    await server.listen();
    const address = server.resolvedUrls?.local[0] ?? '';
    const served = (await (await fetch(`${address}entries.json`)).json()) as DrawnEntry[];
    expect(served.map(nameOf)).toEqual(drawAll(entries).map(nameOf));
    expect(await (await fetch(address)).text()).toContain('main.tsx"></script>');
    expect((await fetch(`${address}main.tsx`)).status).toBe(200);
  } finally {
    await server.close();
  }
});

describeInBrowser('the gallery', (browser) => {
  let folder: string;
  let server: PreviewServer;
  let address: string;

  // The built page: that of `npm run gallery` compiles each module when a browser asks for it, which a busy machine has no
  // time for.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proofdesk-gallery-'));
    const port = await freePort();
    const config = { ...gallery, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } } as const;
    await build(config);
    server = await preview({ ...config, preview: { host: '127.0.0.1', port, strictPort: true } });
    address = `http://127.0.0.1:${port}/`;
  });

  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('draws of every message, modal and home what its payload says, in light and dark, so that it can be read', async () => {
    const all = [...drawAll(entries), ...blockSamples()];
    const expected = new Map(all.map((entry) => [nameOf(entry), expectedOf(entry.drawn, workspace)]));
    // What is compared is drawn once: entries have times of the moment in them.
    const { page, errors } = await open(browser(), `${address}?width=desktop&theme=light`, all);
    expect(await page.locator('.entry').count()).toBe(all.length);
    // The block that nobody knows is named, and no other.
    expect(await page.getByText('that this page cannot draw').allInnerTexts()).toEqual([
      '(a block of type hologram that this page cannot draw)',
    ]);
    expect(await page.evaluate(tooFaint)).toEqual([]);
    // Its own reading of contrast stands above, in both themes; the rest is about pages, which the entries are parts of.
    expect(await axeProblems(page, '.frame', ['color-contrast', 'heading-order', 'region'])).toEqual([]);
    const toOpen = openOnceEach(expected);
    const shown = await page.evaluate(readDrawn, toOpen);
    const problems = [...expected].flatMap(([name, wanted]) =>
      differences(wanted, shown[name], toOpen[name]).map((problem) => `${name}: ${problem.slice(0, 300)}`),
    );
    expect(problems).toEqual([]);
    await page.getByRole('button', { name: 'dark', exact: true }).click();
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).colorScheme)).toBe('dark');
    expect(await page.evaluate(tooFaint)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  }, 480_000);

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

/** Returns what to open of each entry: every list, menu and confirmation, of those that say the same only the first. */
function openOnceEach(expected: ReadonlyMap<string, Expected>): ToOpen {
  const seen = new Set<string>();
  const fresh = (items: ReadonlyMap<number, string[]>) =>
    [...items].flatMap(([number, texts]) => {
      const key = texts.join('\n');
      if (seen.has(key)) return [];
      seen.add(key);
      return [number];
    });
  return Object.fromEntries(
    [...expected].map(([name, { options, menus, confirmations }]) => [
      name,
      { options: fresh(options), menus: fresh(menus), confirmations: fresh(confirmations) },
    ]),
  );
}

/** Returns where what is shown is not what the payload says. */
function differences(wanted: Expected, shown: Shown | undefined, toOpen: ToOpen[string] | undefined) {
  if (shown === undefined) return ['is not drawn'];
  const text = squeezed(shown.text);
  const problems = [
    ...missingIn(text, wanted.texts),
    ...wanted.anywhere.filter((part) => !text.includes(part)),
  ].map((part) => `“${part}” is not in its place in “${text.slice(0, 300)}”`);
  for (const field of ['fields', 'ticked', 'pictures', 'uploads'] as const) {
    const [a, b] = [wanted[field], shown[field]].map((items) =>
      JSON.stringify(items.map((item) => (typeof item === 'string' ? withoutSpaces(item) : item))),
    );
    if (a !== b) problems.push(`${field}: ${b} is drawn, ${a} was sent`);
  }
  if (wanted.buttons.length !== shown.buttons.length)
    problems.push(`buttons: ${shown.buttons.join()} are drawn, ${wanted.buttons.join()} were sent`);
  for (const kind of ['options', 'menus', 'confirmations'] as const) {
    for (const number of toOpen?.[kind] ?? []) {
      const opened = shown.opened[`${kind} ${number}`] ?? [];
      const texts = wanted[kind].get(number) ?? [];
      const isSame =
        kind === 'confirmations'
          ? missingIn(squeezed(opened.join(' ')), texts).length === 0
          : opened.length === texts.length &&
            texts.every((part, at) => squeezed(opened[at] ?? '').includes(part));
      if (!isSame) problems.push(`${kind} ${number}: ${opened.join(' | ')} for ${texts.join(' | ')}`);
    }
  }
  return problems;
}

/** Returns the parts that do not follow each other in a text. */
function missingIn(text: string, parts: readonly string[]): string[] {
  let at = 0;
  return parts.filter((part) => {
    const found = text.indexOf(part, at);
    if (found >= 0) at = found + part.length;
    return found < 0;
  });
}

function nameOf({ feature, title }: { feature: string; title: string }): string {
  return `${feature}: ${title}`;
}

/** Opens the gallery with entries, and waits until everything is drawn. */
async function open(
  browser: Browser,
  address: string,
  shown: readonly DrawnEntry[] = drawAll(entries),
): Promise<{ page: Page; errors: string[] }> {
  const page = await newPage(browser, { viewport: { width: 1300, height: 900 } });
  page.setDefaultTimeout(120_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  // The compiler names functions by a helper, which the page has not.
  await page.addInitScript('globalThis.__name = (of) => of');
  // Styled before there is anything to lay out: what is out of sight has no text otherwise, and each of the page's own
  // fonts, which sandbox/slack/test/page/states.test.ts looks at, would have the whole page laid out once more.
  const styled = gate();
  await page.route('**/entries.json', (route) => styled.wait().then(() => route.fulfill({ json: shown })));
  await page.goto(address);
  await page.addStyleTag({
    content: `.entry { content-visibility: visible !important; } * { font-family: sans-serif !important; }`,
  });
  styled.open();
  await page.locator('.entry').first().waitFor();
  await expect.poll(() => page.locator('.library-wait').count(), { timeout: 120_000 }).toBe(0);
  return { page, errors };
}

/** Runs in the page: texts whose contrast is below WCAG's AA (4.5, large ones 3), one of each pair of colors. */
function tooFaint(): string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!canvas) return ['nothing can be painted'];
  /** How light these colors are, painted over each other. */
  const luminance = (colors: readonly string[]): number => {
    for (const color of ['#fff', ...colors]) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data]
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const clear = 'rgba(0, 0, 0, 0)';
  const backgrounds = (element: Element | null): string[] =>
    element ? [...backgrounds(element.parentElement), getComputedStyle(element).backgroundColor] : [];
  const found = new Map<string, string>();
  for (const element of document.querySelectorAll('body *')) {
    const isText = (node: Node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim();
    const text = [...element.childNodes].find(isText)?.nodeValue;
    const { color, fontSize } = getComputedStyle(element);
    if (!text || element.closest('svg') || color === clear) continue;
    const layers = backgrounds(element).filter((layer) => layer !== clear);
    const key = [color, ...layers, fontSize].join(' ');
    if (found.has(key)) continue;
    const [dark = 0, light = 0] = [luminance(layers), luminance([...layers, color])].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    const least = Number.parseFloat(fontSize) >= 24 ? 3 : 4.5;
    found.set(key, ratio < least ? `${ratio.toFixed(1)} ${key} “${text.slice(0, 40)}”` : '');
  }
  return [...found.values()].filter((problem) => problem !== '');
}
