import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, for a machine that has not measured them yet: begun last, they would be waited for. */
const longest = [
  'flows/detection',
  'flows/decisions',
  'flows/interrupted-forms',
  'flows/bulk-kill',
  'flows/focus-steps',
  'flows/lost-channels',
  'flows/rights',
  'flows/bulk',
  'fuzz/fuzz',
  'flows/campaign-slow',
  'flows/process',
  'flows/campaigns',
  'flows/threads',
  'flows/first-look',
  'flows/window',
  'flows/redis-groups',
  'flows/clocks',
  'flows/departures',
  'flows/rate-limits',
  'flows/replication',
  'flows/older-copy',
  'contract/sandbox-marketplace-world',
  'flows/doctor',
  'flows/create',
  'flows/subscriptions',
  'flows/incomplete-reads',
  'flows/audit',
  'flows/home',
  'flows/focus-review',
  'flows/inbox',
  'flows/failures',
  'chaos/short',
  'browser/demo',
  'browser/page',
  'browser/gallery',
  'browser/morning',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).sort((a, b) => order(a) - order(b) || rank(a) - rank(b));
  }
}

function order({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

/** Its files run in processes of their own, after the other tests, because they fill the machine. */
function alone(name: string, timeout: number, groupOrder: number) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`test/${name}/**/*.test.{ts,tsx}`],
      testTimeout: timeout,
      hookTimeout: timeout,
      maxWorkers: 3,
      sequence: { groupOrder },
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    teardownTimeout: 10_000,
    // What is waited for may take long on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/{unit,contract,flows,fuzz}/**/*.test.{ts,tsx}'],
          setupFiles: ['test/harness/endpoint-usage-check.ts'],
          // For a busy machine. What must not take long is measured by the tests themselves.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // A worker imports each module once, not once per test file. No module holds state
          // from one file to the next: each starts the servers that it needs.
          isolate: false,
          // More than there are cores: these tests mostly wait, for polls, undo and other processes.
          maxWorkers: 7,
          sequence: { groupOrder: 0 },
        },
      },
      alone('chaos', 240_000, 2),
      alone('browser', 60_000, 1),
    ],
  },
});
