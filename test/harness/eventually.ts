/**
 * Waits for something to hold; says what it waited for when it does not. The time allowed is that of a busy machine: where
 * it matters how long something takes, a test measures it.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 60_000,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const began = Date.now();
    const found = await look();
    if (found) return found;
    const now = Date.now();
    if (now > start + timeoutMs) throw new Error(`waited ${timeoutMs} ms for: ${what}`);
    // Looks leave most of the machine to what they wait for: the longer it takes, the rarer they become.
    const rarer = Math.min(100, (now - start) / 20);
    await new Promise((resolve) => setTimeout(resolve, Math.max(25, rarer, 2 * (now - began))));
  }
}
