import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slackHandle } from '@proofdesk/slack-sandbox/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyProject, type Demo, startDemo } from '../harness/demo.ts';

let folder: string;
let demo: Demo | undefined;
beforeEach(async () => {
  folder = await copyProject();
});
afterEach(async () => {
  await demo?.interrupt();
  demo = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** A failure with a message of many lines, of which the first has the cause. */
const longFailure = `throw new Error(['the cause', ...Array.from({ length: 60 }, (_, n) => 'line ' + n)].join('\\n'));\n`;

async function breakFile(path: string): Promise<void> {
  const file = join(folder, path);
  await writeFile(file, longFailure + (await readFile(file, 'utf8')));
}

test('the demo runs in a folder with #, %, a space and an umlaut in its path, and shows its metrics', async () => {
  demo = await startDemo('demo', folder);
  const page = await (await fetch(demo.url)).text();
  const [, style = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(page) ?? [];
  const styles = await (await fetch(demo.url + style)).text();
  const [, font = ''] = /url\((\/assets\/[^)]+\.woff2)\)/.exec(styles) ?? [];
  expect((await fetch(demo.url + font)).status).toBe(200);
  await slackHandle(demo.url)
    .person('U01ANN')
    .sees('C01REVIEW', /Nice to have you|OK/);
  const [metrics = ''] = /http:\S+\/metrics/.exec(demo.output.join('\n')) ?? [];
  expect(await (await fetch(metrics)).text()).toMatch(/^proofdesk_tasks\{state="open"\} \d/m);
});

test.each([
  ['the page cannot be built', 'sandbox/slack/src/page/build-now.ts'],
  ['a process does not start', 'src/main.ts'],
])('the demo says the whole cause when %s', async (_, path) => {
  await breakFile(path);
  const failure = await startDemo('demo', folder).catch((error: unknown) => String(error));
  expect(failure).toMatch(/the cause\n/);
  expect(failure).toMatch(/line 59\n/);
});
