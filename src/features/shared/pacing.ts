/**
 * Returns whether work may be done, at most once in `ms` for each name: for work after every poll that is the same for all
 * accounts of a workspace. A thousand accounts are polled, each every few seconds.
 */
export function createPacing(ms: number): (name: string) => boolean {
  /** When each was last done, on this process's monotonic clock (ms). */
  const last = new Map<string, number>();
  return (name) => {
    const at = performance.now();
    const before = last.get(name);
    if (before !== undefined && at - before < ms) return false;
    last.set(name, at);
    return true;
  };
}
