/**
 * Limits the requests of one client: so many at once, so many in any second, and none while the service has asked for
 * a pause.
 */
export interface RateLimiter {
  /**
   * Waits for a slot, first come first served, and returns the function that releases it. Rejects with the signal's
   * reason when that fires first, and with {@link PausedBeyondDeadline} as soon as it is known that no slot can come
   * before `deadline` (on the clock of `performance.now()`).
   */
  acquire(signal: AbortSignal, deadline: number): Promise<() => void>;
  /** Lets no request start for so many milliseconds from now. */
  pause(ms: number): void;
}

/** The pause that the service asked for lasts longer than the call may wait. */
export class PausedBeyondDeadline extends Error {
  override readonly name = 'PausedBeyondDeadline';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('asked to slow down');
    this.retryAfterMs = retryAfterMs;
  }
}

interface Waiter {
  readonly deadline: number;
  start(): void;
  fail(reason: unknown): void;
}

/** A timer of more than 24 days would fire at once. */
const maxTimerMs = 60_000;

export function createRateLimiter(limits: { concurrency: number; requestsPerSecond: number }): RateLimiter {
  const concurrency = Math.max(1, Math.floor(limits.concurrency));
  // The window is one second, or longer for less than one request a second.
  const startsPerWindow = Math.max(1, Math.floor(limits.requestsPerSecond));
  const windowMs = (startsPerWindow / limits.requestsPerSecond) * 1000;
  const queue: Waiter[] = [];
  const recentStarts: number[] = [];
  let running = 0;
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Returns the next moment at which rate and pause let a request start. */
  function nextStart(): number {
    const oldest = recentStarts.length < startsPerWindow ? undefined : recentStarts[0];
    return Math.max(pausedUntil, oldest === undefined ? 0 : oldest + windowMs);
  }

  function startWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    while (running < concurrency && queue.length > 0) {
      const now = performance.now();
      const wait = nextStart() - now;
      if (wait > 0) {
        timer = setTimeout(startWaiting, Math.min(Math.ceil(wait), maxTimerMs));
        return;
      }
      running += 1;
      recentStarts.push(now);
      if (recentStarts.length > startsPerWindow) recentStarts.shift();
      queue.shift()?.start();
    }
  }

  function remove(waiter: Waiter): void {
    const index = queue.indexOf(waiter);
    if (index >= 0) queue.splice(index, 1);
  }

  return {
    acquire(signal, deadline) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        if (pausedUntil > deadline) return reject(new PausedBeyondDeadline(pausedUntil - performance.now()));
        const onAbort = () => waiter.fail(signal.reason);
        const waiter: Waiter = {
          deadline,
          start() {
            signal.removeEventListener('abort', onAbort);
            let released = false;
            resolve(() => {
              if (released) return;
              released = true;
              running -= 1;
              startWaiting();
            });
          },
          fail(reason) {
            signal.removeEventListener('abort', onAbort);
            remove(waiter);
            reject(reason);
          },
        };
        signal.addEventListener('abort', onAbort);
        queue.push(waiter);
        startWaiting();
      });
    },
    pause(ms) {
      const until = performance.now() + ms;
      if (until <= pausedUntil) return;
      pausedUntil = until;
      for (const waiter of queue.filter(({ deadline }) => deadline < until)) {
        waiter.fail(new PausedBeyondDeadline(ms));
      }
      startWaiting();
    },
  };
}
