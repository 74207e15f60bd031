const mostOftenMs = 1_000;

/**
 * Shows how far long work has come, at most once a second and `most` times altogether (an ephemeral message can be
 * changed five times only). What cannot be shown is left out: the work goes on.
 */
export function createProgress(
  show: (done: number) => Promise<void>,
  { now, most = Number.POSITIVE_INFINITY }: { readonly now: () => number; readonly most?: number },
) {
  let last = now();
  let left = most;
  let showing = Promise.resolve();
  return {
    reached(done: number): void {
      if (left <= 0 || now() - last < mostOftenMs) return;
      last = now();
      left -= 1;
      showing = showing.then(() => show(done)).catch(() => undefined);
    },
    /** Resolves when nothing is being shown any more, so that the end can be. */
    settled: (): Promise<void> => showing,
  };
}
