import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  breaches,
  looksBehind,
  reachesInside,
  reachesIntoSandbox,
  reachesVitest,
  type SourceFile,
} from '../harness/boundaries.ts';

const root = join(import.meta.dirname, '../..');

function sources(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

test('the rules of imports in ARCHITECTURE.md hold', () => {
  const files = sources('src');
  expect(files.length).toBeGreaterThan(10);
  expect(breaches(files)).toEqual([]);
});

test('nothing reaches into the sandboxes', () => {
  const files = ['src', 'test', 'bench', 'scripts', 'gallery', 'examples'].flatMap(sources);
  expect(files.length).toBeGreaterThan(100);
  expect(reachesIntoSandbox(files)).toEqual([]);
  const inside = 'src/sandbox/slack/world.ts';
  const reaching = (path: string) =>
    reachesIntoSandbox([{ path, text: `import { x } from '../../${inside}';` }]);
  expect(reaching('test/harness/x.ts')).toHaveLength(1);
  expect(reaching('test/contract/sandbox-slack-x.test.ts')).toEqual([]);
});

test('flows see and press what people do', () => {
  const flows = sources('test/flows');
  expect(flows.length).toBeGreaterThan(50);
  expect(looksBehind(flows)).toEqual([]);
  const behind = (text: string) => looksBehind([{ path: 'test/flows/x.test.ts', text }]);
  for (const text of [
    `const form = await until(({ callback_id }) => callback_id === 'x');`,
    `const { task } = JSON.parse(view.private_metadata);`,
    `expect(JSON.stringify(card.raw.blocks)).toContain('x');`,
    `expect(JSON.stringify(form.view.state.values)).toContain('x');`,
  ])
    expect(behind(text), text).toHaveLength(1);
  expect(behind(`await ann.clicks(card, 'task.ok');`)).toEqual([]);
  expect(behind('const body = JSON.stringify(payload);')).toEqual([]);
});

test('no flow imports the store, the features, the domain, the jobs or Redis', () => {
  const flows = sources('test/flows');
  expect(flows.length).toBeGreaterThan(10);
  expect(reachesInside(flows)).toEqual([]);
  const reaching = (target: string) =>
    reachesInside([{ path: 'test/flows/x.test.ts', text: `import type { X } from '${target}';` }]);
  for (const folder of ['store', 'features', 'domain', 'jobs'])
    expect(reaching(`../../src/${folder}/x.ts`)).toHaveLength(1);
  expect(reaching('ioredis')).toHaveLength(1);
  expect(reaching('../harness/world.ts')).toEqual([]);
});

test('benchmarks, scripts and the chaos run need no test runner', () => {
  const files = ['src', 'test', 'bench', 'scripts'].flatMap(sources);
  const entries = files
    .map(({ path }) => path)
    .filter((path) => /^(bench|scripts)\//.test(path) || path === 'test/chaos/cli.ts');
  expect(entries.length).toBeGreaterThan(5);
  expect(reachesVitest(entries, files)).toEqual([]);
  const broken = [
    ...files,
    { path: 'bench/x.ts', text: `import { y } from '../test/harness/y.ts';` },
    { path: 'test/harness/y.ts', text: `import { z } from './browser.ts';` },
  ];
  expect(reachesVitest(['bench/x.ts'], broken)).toEqual([
    'bench/x.ts → test/harness/y.ts → test/harness/browser.ts → vitest',
  ]);
});

test('scripts start on a fresh clone, before any package is installed', () => {
  const files = readdirSync(join(root, 'scripts'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.mjs'))
    .map((path) => ({ path, text: readFileSync(join(root, 'scripts', path), 'utf8') }));
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['demo.mjs', 'test.mjs']));
  const packages = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:.* from|import) '((?!\.|node:)[^']+)';$/gm)].map(
      ([, name]) => `${path} needs ${name}`,
    ),
  );
  expect(packages).toEqual([]);
});

describe('each breach is found', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  test.each([
    ['the domain importing the store', file('src/domain/a.ts', `import { x } from '../store/tasks.ts';`)],
    ['the domain importing errors', file('src/domain/a.ts', `import type { E } from '../errors.ts';`)],
    ['the domain reading files', file('src/domain/a.ts', `import { readFileSync } from 'node:fs';`)],
    ['the store importing a feature', file('src/store/a.ts', `import { x } from '../features/inbox/a.ts';`)],
    ['jobs importing slack', file('src/jobs/a.ts', `import type { X } from '../slack/messenger.ts';`)],
    ['a feature importing another', file('src/features/cards/a.ts', `import { x } from '../inbox/a.ts';`)],
    [
      'what features share importing a feature',
      file('src/features/shared/a.ts', `import { x } from '../inbox/a.ts';`),
    ],
    ['a feature importing compose', file('src/features/cards/a.ts', `import { x } from '../../compose.ts';`)],
    [
      'a feature importing what puts features together',
      file('src/features/cards/a.ts', `import { x } from '../../features.ts';`),
    ],
    ['the client importing Bolt', file('src/marketplace/a.ts', `import type { App } from '@slack/bolt';`)],
    ['the client importing ioredis', file('src/marketplace/a.ts', `import { Redis } from 'ioredis';`)],
    [
      'the bot importing the sandbox',
      file('src/compose.ts', `import { x } from './sandbox/slack/index.ts';`),
    ],
    [
      'the sandbox importing the bot',
      file('src/sandbox/slack/a.ts', `import { x } from '../../slack/limits.ts';`),
    ],
    [
      'the sandbox importing the domain',
      file('src/sandbox/marketplace/a.ts', `import type { Money } from '../../domain/money.ts';`),
    ],
    [
      'one sandbox importing the other',
      file('src/sandbox/slack/a.ts', `import { x } from '../marketplace/index.ts';`),
    ],
    ['the bot importing a tool', file('src/compose.ts', `import { x } from '../gallery/entry.ts';`)],
    ['a re-export', file('src/domain/a.ts', `export * from '../config.ts';`)],
    ['a dynamic import', file('src/domain/a.ts', `const x = await import('../config.ts');`)],
    ['an import for its effect', file('src/domain/a.ts', `import '../config.ts';`)],
    [
      'an import over several lines',
      file('src/domain/a.ts', `import {\n  a,\n  type B,\n} from '../config.ts';`),
    ],
    ['a view importing undici', file('src/features/cards/a.view.ts', `import { fetch } from 'undici';`)],
    [
      'a view importing the store',
      file('src/features/cards/a.view.ts', `import { x } from '../../store/tasks.ts';`),
    ],
    [
      'the environment read in a feature',
      file('src/features/cards/a.ts', 'const level = process.env.LOG_LEVEL;'),
    ],
    ['a file of 401 lines', file('src/domain/a.ts', 'const a = 1;\n'.repeat(401))],
  ])('%s', (_, bad) => {
    expect(breaches([bad])).toHaveLength(1);
  });

  test('a view reaching the client through a file that looks harmless, with the way there', () => {
    const found = breaches([
      file('src/features/cards/card.view.ts', `import { x } from './wording.ts';`),
      file('src/features/cards/wording.ts', `import { y } from '../../marketplace/client.ts';`),
      file('src/marketplace/client.ts', `import { Agent } from 'undici';`),
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(
      'card.view.ts → src/features/cards/wording.ts → src/marketplace/client.ts → undici',
    );
  });

  test('what is allowed is not a breach', () => {
    const fine = [
      file('src/features/cards/card.view.ts', `import type { Store } from '../../store/tasks.ts';`),
      file('src/features/cards/other.view.ts', `import { type App, type Ack } from '@slack/bolt';`),
      file(
        'src/features/cards/a.ts',
        `import { x } from '../../store/tasks.ts';\nimport { y } from './b.ts';\nimport { z } from '../shared/access.ts';`,
      ),
      file('src/domain/a.ts', `// import { x } from '../store/tasks.ts';\nimport Big from 'big.js';`),
      file('src/main.ts', 'start(process.env);'),
    ];
    expect(breaches(fine)).toEqual([]);
  });
});
