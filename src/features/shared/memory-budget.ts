/** Limits how many bytes of files and results this process holds at a time. */
export interface MemoryBudget {
  /**
   * Runs something that holds about so many bytes, as soon as they are free: first come, first served. More than the
   * whole budget counts as the whole budget.
   */
  hold<T>(bytes: number, run: () => Promise<T>): Promise<T>;
}

/** What files and results of one process may take together (bytes). */
export const memoryBudgetBytes = 48 * 1024 * 1024;

/** Creates a budget that everything of one process shares. */
export function createMemoryBudget(total: number): MemoryBudget {
  let free = total;
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  function startWaiting(): void {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  }

  return {
    async hold(wanted, run) {
      const bytes = Math.min(wanted, total);
      await new Promise<void>((start) => {
        waiting.push({ bytes, start });
        startWaiting();
      });
      try {
        return await run();
      } finally {
        free += bytes;
        startWaiting();
      }
    },
  };
}
