import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkNode, setUp } from './lib/needs.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

const entry = join(root, 'dist/main.js');

// Prepares `npm start`, which runs dist/main.js: builds it where it is missing or old.
await main(async () => {
  checkNode();
  if (!existsSync(join(root, 'node_modules'))) {
    await setUp();
  }
  if (await isOutdated()) {
    await build();
  }
});

/** Returns whether a source of dist/, or a bundled package, has changed since dist/ was built. */
async function isOutdated() {
  const built = await changedAt(entry);
  if (built === 0) {
    return true;
  }
  const inFolder = async (folder) =>
    (await readdir(join(root, folder), { recursive: true })).map((file) => join(folder, file));
  const files = (await Promise.all(['src', 'desk/src'].map(inFolder))).flat();
  const inputs = [
    ...files.filter((file) => /\.(tsx?|lua|css|svg)$/.test(file)),
    'desk/build.ts',
    'desk/index.html',
    'tsconfig.json',
    'tsconfig.build.json',
    'rolldown.config.ts',
    'package-lock.json',
  ];
  const times = await Promise.all(inputs.map((file) => changedAt(join(root, file))));
  return times.some((time) => time > built);
}

/** Returns when a file was last changed, in milliseconds, or 0 if it does not exist. */
async function changedAt(path) {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function build() {
  console.error('Building dist/ …');
  const { code, output } = await run('npm', ['run', '--silent', 'build']);
  if (code !== 0) {
    throw new Failure(`The build failed:\n${output.trimEnd()}`);
  }
}
