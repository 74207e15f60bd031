/**
 * Waits for something to hold; says what it waited for when it does not. The time allowed is that of a busy machine: where
 * it matters how long something takes, a test measures it.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 60_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const began = Date.now();
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for: ${what}`);
    // A look that takes long leaves most of the machine to what it waits for.
    await new Promise((resolve) => setTimeout(resolve, Math.max(25, 2 * (Date.now() - began))));
  }
}
