import { defineConfig } from 'vitest/config';

/** Its files run in processes of their own, after the other tests, because they fill the machine. */
function alone(name: string, timeout: number) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`test/${name}/**/*.test.{ts,tsx}`],
      testTimeout: timeout,
      hookTimeout: timeout,
      maxWorkers: 3,
      sequence: { groupOrder: 1 },
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/{unit,contract,flows}/**/*.test.{ts,tsx}'],
          setupFiles: ['test/harness/promised-endpoints.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // A worker imports each module once, not once per test file. No module holds state
          // from one file to the next: each starts the servers that it needs.
          isolate: false,
          // More than there are cores: these tests mostly wait, for polls, undo and other processes.
          maxWorkers: 7,
          sequence: { groupOrder: 0 },
        },
      },
      alone('chaos', 120_000),
      alone('browser', 60_000),
    ],
  },
});
