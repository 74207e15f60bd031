import { patienceMs } from './patience.ts';

/**
 * Waits until a condition holds. On timeout, throws an error that names it.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = patienceMs,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const began = Date.now();
    const found = await look();
    if (found) return found;
    const now = Date.now();
    if (now > start + timeoutMs) throw new Error(`waited ${timeoutMs} ms for: ${what}`);
    // Backs off, to leave most of the machine to the awaited work.
    const rarer = Math.min(100, (now - start) / 20);
    await new Promise((resolve) => setTimeout(resolve, Math.max(25, rarer, 2 * (now - began))));
  }
}

/** Something that waits until a test lets it go on. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isReached = false;
  return {
    open: () => open(),
    reached: () => eventually('somebody waits', () => isReached),
    wait: async () => {
      isReached = true;
      await opened;
    },
  };
}
