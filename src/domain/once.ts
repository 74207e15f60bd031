/** Returns a lazy function that computes its value on the first call, and caches it. */
export function once<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
