/**
 * Returns `next` with every part that is equal in `previous` replaced by the previous object (structural sharing).
 * Components that compare by identity then rerender only where something changed. Plain JSON values only.
 */
export function share<T>(previous: unknown, next: T): T {
  if (Object.is(previous, next)) return next;
  if (Array.isArray(previous) && Array.isArray(next)) {
    const merged = next.map((item, index) => share(previous[index], item));
    const same = merged.length === previous.length && merged.every((item, index) => item === previous[index]);
    return (same ? previous : merged) as T;
  }
  if (isRecord(previous) && isRecord(next)) {
    const keys = Object.keys(next);
    const merged = Object.fromEntries(keys.map((key) => [key, share(previous[key], next[key])]));
    const same =
      keys.length === Object.keys(previous).length && keys.every((key) => merged[key] === previous[key]);
    return (same ? previous : merged) as T;
  }
  return next;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
