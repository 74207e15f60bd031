import { join } from 'node:path';
import { setUp } from './lib/needs.mjs';
import { main, root, run } from './lib/processes.mjs';

const tool = (name) => join(root, 'node_modules/.bin', name);

/**
 * The checks that do not run the bot: a title, a program and its arguments.
 * @type {[title: string, program: string, args: string[]][]}
 */
const checks = [
  [
    'biome: format, lint, imports',
    tool('biome'),
    ['ci', '--error-on-warnings', '--colors=off', '--max-diagnostics=50'],
  ],
  ['oxlint: promises, cycles', tool('oxlint'), ['--type-aware', '--deny-warnings']],
  ['tsc: types', tool('tsc'), ['--noEmit']],
  ['tsc: the build', tool('tsc'), ['-p', 'tsconfig.build.json', '--noEmit']],
  ['knip: unused files, exports, packages', tool('knip'), ['--no-progress']],
  ['cspell: spelling', tool('cspell'), ['lint', '--no-progress', '--no-color']],
  ['jscpd: blocks of over 12 lines that stand twice', tool('jscpd'), ['--no-colors']],
  ['gallery: what test/baseline shows', tool('tsx'), ['scripts/baseline.ts', 'gallery']],
  [
    'import rules',
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/unit/boundaries.test.ts', '--reporter=dot'],
  ],
];

// Every check runs, even if another one fails.
await main(async () => {
  await setUp();
  const results = await Promise.all(
    checks.map(async ([title, command, args]) => {
      const { code, output } = await run(command, args, {
        env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      });
      console.log(code === 0 ? `ok      ${title}` : `FAILED  ${title}\n${output}\n`);
      return code;
    }),
  );
  const failed = results.filter((code) => code !== 0).length;
  console.log(failed === 0 ? 'All checks passed.' : `${failed} of ${checks.length} checks failed.`);
  return failed === 0 ? 0 : 1;
});
