import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, isProgram, lastLines, onPath, root, run } from './processes.mjs';
import { installSystemPackage } from './system.mjs';

/**
 * Makes sure that all is there to run the project: Node, the npm packages, redis-server and, when wanted, Chromium.
 * Installs what is missing where it may. Throws Failure that says what to do otherwise, except for Chromium: only the
 * browser tests need it.
 *
 * @param {{ chromium?: boolean }} wanted
 * @returns {Promise<{ chromium?: string, noChromium?: string }>} where Chromium is, or why there is none
 */
export async function setUp({ chromium = false } = {}) {
  checkNode();
  await ensurePackages();
  await ensureRedis();
  return chromium ? ensureChromium() : {};
}

/** Throws Failure when this Node is older than package.json allows. */
export function checkNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = /\d+(?:\.\d+)*/.exec(engines.node)?.[0] ?? '0';
  const parts = (version) => version.split('.').map(Number);
  const [have, need] = [parts(process.versions.node), parts(wanted)];
  const at = need.findIndex((part, index) => part !== have[index]);
  if (at !== -1 && have[at] < need[at]) {
    throw new Failure(
      `Proofdesk needs Node ${wanted} or newer; this is Node ${process.versions.node} (${process.execPath}). ` +
        'Install a newer one (https://nodejs.org), then run the command again.',
    );
  }
}

async function ensurePackages() {
  if (packagesAreInstalled()) {
    return;
  }
  console.log('Installing the npm packages …');
  // What package-lock.json says, like "npm ci"; but that one gives up on a lock file written where the registry did not
  // serve the optional packages of every platform, and throws away a folder that others may be using.
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const { code, output } = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args])
    : await run('npm', args);
  if (code !== 0) {
    throw new Failure(
      `npm could not install the packages:\n${lastLines(output, 20)}\n` +
        'Check the connection to the npm registry, then run "npm install".',
    );
  }
}

/** Compares what npm noted of its last install with package-lock.json: times of files say nothing after a checkout. */
function packagesAreInstalled() {
  try {
    const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
    const wanted = read('package-lock.json');
    const present = read('node_modules/.package-lock.json');
    return Object.entries(wanted).every(
      ([path, { version, optional, devOptional, peer }]) =>
        path === '' ||
        present[path]?.version === version ||
        ((optional || devOptional || peer) && !present[path]),
    );
  } catch {
    return false;
  }
}

async function ensureRedis() {
  if (onPath('redis-server') !== undefined) {
    return;
  }
  // Some systems start a service of their own with the package, on port 6379: ours always run on ports of their own.
  const problem = await installSystemPackage('redis');
  if (onPath('redis-server') === undefined) {
    throw new Failure(`redis-server is missing, and ${problem ?? 'the package brought none'}`);
  }
}

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const chromiumPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

async function ensureChromium() {
  const found = findChromium();
  if (found !== undefined) {
    return { chromium: found };
  }
  const problem = await installSystemPackage('chromium');
  const installed = findChromium();
  return installed === undefined
    ? { noChromium: `Chromium is missing, and ${problem ?? 'the package brought none'}` }
    : { chromium: installed };
}

function findChromium() {
  const chosen = process.env.CHROMIUM;
  return [...(chosen ? [chosen] : []), ...chromiumNames.map(onPath), ...chromiumPaths].find(
    (path) => path !== undefined && isProgram(path),
  );
}
