import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { main, root, run } from './lib/processes.mjs';

/** What `npm test` runs: everything that a change is likely to break, in a few minutes. */
const usual = [['main']];

/**
 * The rest: other processes, kinds of Redis, builds and memory; the page; outages and kills. One after the other: beside
 * browsers, which fill the processors, a bot that waits a second for Redis would give up, and the tests would measure that.
 */
const rest = [['infra'], ['browser'], ['chaos']];

// Runs the tests and passes other arguments to vitest: `--changed` runs the tests of uncommitted changes.
// With `--all` and `--rest` it runs everything, or what `npm test` leaves out. With `--require-browser`, skipped browser
// tests count as a failure.
// The last line is always `N passed, N failed, N skipped`.
await main(async () => {
  const has = (option) => process.argv.includes(option);
  const args = process.argv.slice(2).filter((arg) => !['--require-browser', '--all', '--rest'].includes(arg));
  const requireBrowser = has('--require-browser');
  const mayUseBrowser = args.length === 0 || args.some((arg) => /browser|page|^--changed/.test(arg));
  const { chromium, noChromium } = await setUp({ chromium: mayUseBrowser, faketime: true });

  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-test-'));
  try {
    const env = {
      ...process.env,
      ...(chromium ? { CHROMIUM: chromium } : {}),
      TEST_RUN: String(process.pid),
    };
    const chosen = has('--rest') ? rest : has('--all') ? [...usual, ...rest] : usual;
    const parts =
      args.length > 0 ? [args] : chosen.map((projects) => projects.flatMap((name) => ['--project', name]));
    const runs = [];
    for (const [number, part] of parts.entries())
      runs.push(await runPart(part, join(folder, `${number}`), env));
    const code = runs.find((one) => one.code !== 0)?.code ?? 0;
    const results = { testResults: runs.flatMap(({ report }) => report?.testResults ?? []) };
    const result = count(results, code);
    for (const line of failures(results)) console.log(line);
    let failed = result.failed;
    if (result.browserSkipped > 0) {
      console.log(
        `${result.browserSkipped} browser tests were skipped: ${noChromium ?? 'see the reason above'}`,
      );
      if (requireBrowser) {
        console.log('With --require-browser this counts as a failure.');
        failed += 1;
      }
    }
    console.log(`${result.passed} passed, ${failed} failed, ${result.skipped} skipped`);
    return failed > 0 ? code || 1 : code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/**
 * Runs vitest.
 *
 * @param args its arguments
 * @returns its exit code and its JSON report; undefined if it wrote none
 */
async function runPart(args, file, env) {
  const { code } = await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...args,
    ],
    { show: true, env },
  );
  const report = await readFile(file, 'utf8').then(JSON.parse, () => undefined);
  // An error outside a test shows only in the exit code.
  return { code: code === 0 && report === undefined ? 1 : code, report };
}

/** Returns a line for each failed test, because the output shows them far above or truncated. */
function failures(report) {
  return (report?.testResults ?? []).flatMap(({ name, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    const lines = failed.map(
      ({ fullName, failureMessages }) => `FAILED: ${file}: ${fullName}: ${beginningOf(failureMessages[0])}`,
    );
    return lines.length === 0 && message ? [`FAILED: ${file}: ${beginningOf(message)}`] : lines;
  });
}

/** Returns the message without its stack, in one line. */
function beginningOf(text = '') {
  return text
    .split(/\n\s+at /)[0]
    .replace(/\s+/g, ' ')
    .slice(0, 1500);
}

/** Counts the tests in vitest's JSON report. A file that failed to load counts as one failed test. */
function count(report, code) {
  const files = report?.testResults ?? [];
  const of = (file, ...states) =>
    file.assertionResults.filter(({ status }) => states.includes(status)).length;
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const skipped = (file) => of(file, 'pending', 'skipped', 'todo', 'disabled');
  const failed = sum(files.map((file) => of(file, 'failed') || (file.status === 'failed' ? 1 : 0)));
  return {
    passed: sum(files.map((file) => of(file, 'passed'))),
    // An error outside a test, or a missing report, shows only in the exit code.
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: sum(files.map(skipped)),
    browserSkipped: sum(files.filter(({ name }) => /\/test\/(browser|page)\//.test(name)).map(skipped)),
  };
}
