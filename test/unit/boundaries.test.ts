import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  breaches,
  breachesOfPackages,
  looksBehind,
  reachesInside,
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

test('nothing reaches into the packages of the sandboxes and the desk, nor they out of them', () => {
  const files = ['src', 'desk', 'sandbox', 'test', 'bench', 'scripts', 'gallery', 'examples'].flatMap(
    sources,
  );
  expect(files.length).toBeGreaterThan(100);
  expect(breachesOfPackages(files)).toEqual([]);
});

test('flows see and press what people do', () => {
  const flows = sources('test/flows');
  expect(flows.length).toBeGreaterThan(50);
  expect(looksBehind(flows)).toEqual([]);
});

test('no flow imports the store, the features, the domain, the jobs or Redis', () => {
  const flows = sources('test/flows');
  expect(flows.length).toBeGreaterThan(10);
  expect(reachesInside(flows)).toEqual([]);
});

test('benchmarks, scripts and the chaos run need no test runner', () => {
  const files = ['src', 'test', 'bench', 'scripts'].flatMap(sources);
  const entries = files
    .map(({ path }) => path)
    .filter((path) => /^(bench|scripts)\//.test(path) || path === 'test/chaos/cli.ts');
  expect(entries.length).toBeGreaterThan(5);
  expect(reachesVitest(entries, files)).toEqual([]);
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
