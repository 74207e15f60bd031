import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type SlackHandle, slackHandle } from '@proofdesk/slack-sandbox/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import { copyProject, type Demo, startDemo } from '../harness/demo.ts';
import { eventually } from '../harness/eventually.ts';
import { story } from '../harness/story.ts';

/** What `npm run dev` promises, on a copy of the project whose files the tests may change. */
let folder: string;
let dev: Demo;
let slack: SlackHandle;

beforeAll(async () => {
  folder = await copyProject();
  dev = await startDemo('dev', folder);
  slack = slackHandle(dev.url);
});
afterAll(async () => {
  await dev?.interrupt();
  await rm(folder, { recursive: true, force: true });
});

/** Replaces what the pattern matches in a file of the copy, and saves it in one step, as editors do. */
async function edit(path: string, pattern: RegExp, replacement: string): Promise<void> {
  const file = join(folder, path);
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(pattern);
  const written = join(folder, 'written');
  await writeFile(written, text.replace(pattern, replacement));
  await rename(written, file);
}

/** Longer than `npm run dev` waits for a process before it says why that does not run. */
const printedMs = 75_000;

/** Waits until a line printed after the first `from` lines matches. */
async function printed(pattern: RegExp, from: number): Promise<void> {
  const lines = () => dev.output.slice(from);
  const isThere = () => lines().some((line) => pattern.test(line));
  await eventually(`a line like ${pattern}`, isThere, printedMs).catch((error: Error) => {
    throw new Error(`${error.message}. Printed: ${lines().join(' | ') || 'nothing'}`);
  });
}

/** Asks for help until the reply matches. */
const helpShows = (pattern: RegExp) =>
  eventually(`help like ${pattern}`, async () => {
    await slack.person('U01ANN').types('C01REVIEW', '/proofdesk help');
    const messages = await slack.person('U01ANN').reads('C01REVIEW');
    return messages.some(({ text }) => pattern.test(text));
  });

const helpText = /help: '[^']+'/;

story('npm run dev shows each change at once, until Ctrl-C stops everything', {
  'a changed text is in the next reply of the bot, and the workspace keeps its messages': async () => {
    await slack.person('U01ANN').says('C03RANDOM', 'Written before the change');
    const from = dev.output.length;
    await edit('src/features/people/accounts.ts', helpText, "help: 'A text from the test.'");
    await printed(/Restarted/, from);
    await helpShows(/A text from the test\./);
    const messages = await slack.person('U01ANN').reads('C03RANDOM');
    expect(messages.map(({ text }) => text)).toContain('Written before the change');
  },

  'a bot that cannot start is reported, and runs again when the file is repaired': async () => {
    const from = dev.output.length;
    await edit('src/features/people/accounts.ts', helpText, "help: 'Not closed");
    await printed(/The bot ended by itself/, from);
    await printed(/Waiting for a change/, from);
    await edit('src/features/people/accounts.ts', /help: 'Not closed/, "help: 'Repaired.'");
    await printed(/Restarted/, from);
    await helpShows(/Repaired\./);
  },

  'the page serves a changed file without a restart': async () => {
    const from = dev.output.length;
    await edit('sandbox/slack/src/page/main.tsx', /Opening the workspace/, 'Opening what the test wrote');
    await eventually('the changed page', async () => {
      const module = await fetch(`${dev.url}/main.tsx`);
      return (await module.text()).includes('Opening what the test wrote');
    });
    expect(dev.output.slice(from)).toEqual([]);
  },

  'a change of a sandbox starts both sandboxes and the bot afresh': async () => {
    const from = dev.output.length;
    await edit('sandbox/slack/src/seed.ts', /name: 'random'/g, "name: 'leisure'");
    await printed(/restarting the sandboxes/, from);
    await printed(/Restarted/, from);
    const { channels } = await slack.state();
    expect(channels.map(({ name }) => name)).toContain('leisure');
    expect(await slack.person('U01ANN').reads('C03RANDOM')).toEqual([]);
    await helpShows(/Repaired\./);
  },

  'Ctrl-C stops everything': async () => {
    const { hostname, port: first } = new URL(dev.url);
    const redis = await readFile(join(folder, `data/dev-${first}/bot/redis/redis.conf`), 'utf8');
    const redisPort = Number(/^port (\d+)$/m.exec(redis)?.[1]);
    const ports = [redisPort, ...[0, 1, 2, 3].map((offset) => Number(first) + offset)];
    const open = () => Promise.all(ports.map((port) => isOpen(hostname, port)));
    expect(await open()).toEqual(ports.map(() => true));
    expect(await dev.interrupt()).toBe(0);
    expect(await open()).toEqual(ports.map(() => false));
  },
});

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
