/**
 * Creates a throttle: it returns true at most once in `ms` for each name, and false in between. It is for work after every
 * poll that is the same for all accounts of a workspace: a thousand of them are polled, each every few seconds.
 */
export function createThrottle(ms: number): (name: string) => boolean {
  /** When each last passed, on this process's monotonic clock (ms). */
  const last = new Map<string, number>();
  return (name) => {
    const at = performance.now();
    const before = last.get(name);
    if (before !== undefined && at - before < ms) return false;
    last.set(name, at);
    return true;
  };
}
