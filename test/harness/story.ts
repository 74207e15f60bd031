import { test } from 'vitest';

/** How long one step may take. */
const stepMs = 120_000;

/** Defines one test of several steps, each of which begins where the one before ended. The one that fails is named. */
export function story(name: string, steps: Readonly<Record<string, () => Promise<void>>>): void {
  const timeout = Object.keys(steps).length * stepMs;
  test(name, { timeout }, async () => {
    for (const [step, run] of Object.entries(steps)) {
      try {
        await run();
      } catch (error) {
        if (error instanceof Error) error.message = `${step}: ${error.message}`;
        throw error;
      }
    }
  });
}
