import { defineConfig } from 'vitest/config';

/**
 * One project per folder of test/. Groups run one after the other, in this order: what is quick and says most first;
 * chaos and browser tests alone and one file at a time, because they measure waiting and fill the machine.
 */
function project(name: string, order: number, timeout: number, serial = false) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`test/${name}/**/*.test.{ts,tsx}`],
      testTimeout: timeout,
      hookTimeout: Math.max(timeout, 30_000),
      fileParallelism: !serial,
      ...(serial ? { maxWorkers: 1 } : {}),
      sequence: { groupOrder: order },
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    // More than there are cores: these tests wait most of their time, for looks, undo and other processes.
    maxWorkers: 7,
    teardownTimeout: 10_000,
    projects: [
      project('unit', 0, 15_000),
      project('contract', 0, 20_000),
      project('flows', 0, 30_000),
      project('chaos', 1, 120_000, true),
      project('browser', 2, 60_000, true),
    ],
  },
});
