/** Returns a function that computes its value at the first call, and returns the same from then on. */
export function once<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
