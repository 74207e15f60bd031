import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, isProgram, onPath, root, run } from './processes.mjs';
import { installSystemPackage } from './system.mjs';

/**
 * Checks the project's requirements: Node, the npm packages, redis-server and, on request, Chromium. Installs missing ones
 * if it may, otherwise throws a Failure that says what to do. A missing Chromium is not a failure, because only the
 * browser tests need it; nor is a missing libfaketime, with which tests shift Redis's clock.
 *
 * @param {{ chromium?: boolean, faketime?: boolean }} options
 * @returns {Promise<{ chromium?: string, noChromium?: string }>} the path of Chromium, or the reason why it is missing
 */
export async function setUp({ chromium = false, faketime = false } = {}) {
  checkNode();
  await ensurePackages();
  await ensureRedis();
  if (faketime) await ensureFaketime();
  return chromium ? ensureChromium() : {};
}

/** Throws Failure if Node is older than package.json allows. */
export function checkNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const oldest = /\d+(?:\.\d+)*/.exec(engines.node)?.[0] ?? '0';
  const parts = (version) => version.split('.').map(Number);
  const [have, need] = [parts(process.versions.node), parts(oldest)];
  const at = need.findIndex((part, index) => part !== have[index]);
  if (at !== -1 && have[at] < need[at]) {
    throw new Failure(
      `Proofdesk needs Node ${oldest} or newer; this is Node ${process.versions.node} (${process.execPath}). ` +
        'Install a newer one (https://nodejs.org), then run the command again.',
    );
  }
}

/** Installs the npm packages if some are missing. Says so on stderr: the output may be a program's input. */
export async function ensurePackages() {
  if (packagesAreInstalled()) {
    return;
  }
  console.error('Installing the npm packages …');
  // Installs the versions in package-lock.json, as "npm ci" does. But "npm ci" refuses a lock file written where the
  // registry did not serve every platform's optional packages, and deletes a folder that other processes may be using.
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const { code, output } = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args])
    : await run('npm', args);
  if (code !== 0) {
    throw new Failure(
      `npm could not install the packages:\n${output.trimEnd()}\n` +
        'Check the connection to the npm registry, then run "npm install".',
    );
  }
}

/** Compares npm's record of its last install with package-lock.json. File times are useless: a checkout changes them. */
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
  // Some packages start a service on port 6379. That is harmless, because the project always uses other ports.
  const problem = await installSystemPackage('redis');
  if (onPath('redis-server') === undefined) {
    throw new Failure(`redis-server is missing, and ${problem ?? 'the package did not contain it'}`);
  }
}

async function ensureFaketime() {
  if (onPath('faketime') !== undefined) {
    return;
  }
  const problem = await installSystemPackage('faketime');
  if (onPath('faketime') === undefined) {
    const reason = problem ?? 'the package did not contain it';
    console.warn(`Tests that shift the clock of Redis will fail: libfaketime is missing, and ${reason}`);
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
    ? { noChromium: `Chromium is missing, and ${problem ?? 'the package did not contain it'}` }
    : { chromium: installed };
}

function findChromium() {
  const chosen = process.env.CHROMIUM;
  return [...(chosen ? [chosen] : []), ...chromiumNames.map(onPath), ...chromiumPaths].find(
    (path) => path !== undefined && isProgram(path),
  );
}
