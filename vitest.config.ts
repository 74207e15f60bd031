import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { patienceMs } from './test/harness/patience.ts';

/** The page on a phone: the one browser test that everybody runs. */
const smoke = 'test/browser/smoke.test.ts';

/** The files that take longest, for a machine that has not measured them yet: begun last, they would be waited for. */
const longest = [
  'infra/bulk-kill',
  'infra/redis-refuses',
  'browser/reviewer',
  'browser/desk',
  'browser/demo',
  'browser/gallery',
  'flows/detection',
  'flows/decisions',
  'flows/lost-channels',
  'infra/process',
  'infra/dev',
  'flows/focus-steps',
  'flows/rights',
  'flows/bulk',
  'fuzz/fuzz',
  'infra/clocks',
  'flows/window',
  'flows/interrupted-forms',
  'infra/redis-groups',
  'flows/rate-limits',
  'page/page',
  'flows/departures',
  'flows/subscriptions',
  'flows/replaced-key',
  'flows/doctor',
  'page/keys',
  'flows/accounts',
  'flows/focus-review',
  'flows/incomplete-reads',
  'marketplace/test/world',
  'slack/test/delivery',
  'page/example',
  'page/api-page',
  'flows/campaigns',
  'flows/create',
  'flows/audit',
  'flows/home',
  'flows/inbox',
  'flows/submit',
  'flows/late-triggers',
  'flows/dead-letters',
  'infra/files-memory',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** More than there are cores: most tests wait, for polls, other processes and pages. */
const maxWorkers = 8;

/** For a busy machine. What must not take long is measured by the tests themselves. */
const limits = { testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    pool: 'forks',
    teardownTimeout: 10_000,
    expect: { poll: { timeout: patienceMs } },
    sequence: { sequencer: LongestFirst },
    // A worker imports each module once, not once per test file. No module holds state
    // from one file to the next: each starts the servers that it needs.
    isolate: false,
    // Of what a test makes, next to nothing outlives it: fewer and larger collections cost less.
    execArgv: ['--max-semi-space-size=32'],
    projects: [
      {
        extends: true,
        test: {
          ...limits,
          name: 'main',
          include: [
            'test/{unit,contract,flows}/**/*.test.{ts,tsx}',
            'sandbox/*/test/*.test.ts',
            'desk/test/*.test.ts',
            smoke,
          ],
          setupFiles: ['test/harness/endpoint-usage-check.ts'],
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...limits,
          name: 'infra',
          include: ['test/{infra,fuzz}/**/*.test.ts'],
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.{ts,tsx}', 'sandbox/*/test/page/*.test.ts'],
          exclude: [smoke],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Few at a time: each page fills a processor.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...limits,
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
