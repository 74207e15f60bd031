/** Tracks work in progress, so that a stop can wait for it. */
export function trackWork() {
  const underWay = new Set<Promise<unknown>>();
  return {
    track<T>(work: Promise<T>): Promise<T> {
      underWay.add(work);
      const done = () => underWay.delete(work);
      work.then(done, done);
      return work;
    },
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

/** Time limits of a stop: for work in progress, and then for everything to close (ms). 10 s must be enough for both. */
export const stopTimeoutMs = 6_000;
const closeAllTimeoutMs = 3_000;

/** Finishes work in progress, then closes everything, also when the first fails. */
export async function finishAndClose(
  finish: () => Promise<unknown>,
  close: () => Promise<unknown>,
): Promise<void> {
  try {
    await withTimeLimit(stopTimeoutMs, finish);
  } finally {
    await withTimeLimit(closeAllTimeoutMs, close);
  }
}

/** Runs something and resolves when it is done, after `ms` at the latest. */
export async function withTimeLimit(ms: number, run: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([run(), late]).finally(() => clearTimeout(timer));
}
