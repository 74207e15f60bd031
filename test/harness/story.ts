import { test } from 'vitest';

/** Defines one test of several steps, each of which begins where the one before ended. The one that fails is named. */
export function story(name: string, steps: Readonly<Record<string, () => Promise<void>>>): void {
  test(name, async () => {
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
