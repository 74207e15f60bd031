/** Limits how many bytes of files and results this process holds at a time. */
export interface MemoryBudget {
  /**
   * Runs an action that holds about this many bytes, as soon as they are free, first come, first served. A quarter of
   * the budget is reserved for small shares, so that a card with a picture never waits for a large campaign's results.
   */
  hold<T>(bytes: number, run: () => Promise<T>): Promise<T>;
}

/** Shared budget for files and results in one process (bytes). */
export const memoryBudgetBytes = 48 * 1024 * 1024;
/** A share up to this fraction of the budget is small. */
const smallPart = 1 / 32;

/** Creates a budget shared by one process. */
export function createMemoryBudget(total: number): MemoryBudget {
  const small = createPool(total / 4);
  const large = createPool((total * 3) / 4);
  return {
    async hold(bytes, run) {
      const release = await (bytes <= total * smallPart ? small : large)(bytes);
      try {
        return await run();
      } finally {
        release();
      }
    },
  };
}

/** Creates an acquire function that waits for bytes and returns their release. Requests above the total take all of it. */
function createPool(total: number): (bytes: number) => Promise<() => void> {
  let free = total;
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  function startWaiting(): void {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  }

  return (wanted) =>
    new Promise((resolve) => {
      const bytes = Math.min(wanted, total);
      const release = () => {
        free += bytes;
        startWaiting();
      };
      waiting.push({ bytes, start: () => resolve(release) });
      startWaiting();
    });
}
