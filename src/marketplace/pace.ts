/**
 * How fast one client asks: so many requests at once, so many in any second, and none at all while the service has
 * asked for a pause.
 */
export interface Pace {
  /**
   * Waits for a turn, first come first served, and answers what ends it. Rejects with the signal's reason when that
   * fires first, and with {@link PausedTooLong} as soon as it is known that no turn can come before `deadline` (ms).
   */
  enter(signal: AbortSignal, deadline: number): Promise<() => void>;
  /** Nobody starts for so many milliseconds from now. */
  pause(ms: number): void;
}

/** The service's pause outlasts the call. */
export class PausedTooLong extends Error {
  override readonly name = 'PausedTooLong';
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

/** Beyond 24 days a timer would fire at once. */
const longestTimerMs = 60_000;

export function createPace(limits: { concurrency: number; requestsPerSecond: number }): Pace {
  const atOnce = Math.max(1, Math.floor(limits.concurrency));
  // The window is one second, or longer for less than one request a second.
  const perWindow = Math.max(1, Math.floor(limits.requestsPerSecond));
  const windowMs = (perWindow / limits.requestsPerSecond) * 1000;
  const waiting: Waiter[] = [];
  const starts: number[] = [];
  let running = 0;
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  /** The next moment at which a request may start, as far as rate and pause go. */
  function nextStart(): number {
    const oldest = starts.length < perWindow ? undefined : starts[0];
    return Math.max(pausedUntil, oldest === undefined ? 0 : oldest + windowMs);
  }

  function pump(): void {
    clearTimeout(timer);
    timer = undefined;
    while (running < atOnce && waiting.length > 0) {
      const now = performance.now();
      const wait = nextStart() - now;
      if (wait > 0) {
        timer = setTimeout(pump, Math.min(Math.ceil(wait), longestTimerMs));
        return;
      }
      running += 1;
      starts.push(now);
      if (starts.length > perWindow) starts.shift();
      waiting.shift()?.start();
    }
  }

  function remove(waiter: Waiter): void {
    const place = waiting.indexOf(waiter);
    if (place >= 0) waiting.splice(place, 1);
  }

  return {
    enter(signal, deadline) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        if (pausedUntil > deadline) return reject(new PausedTooLong(pausedUntil - performance.now()));
        const onAbort = () => waiter.fail(signal.reason);
        const waiter: Waiter = {
          deadline,
          start() {
            signal.removeEventListener('abort', onAbort);
            let ended = false;
            resolve(() => {
              if (ended) return;
              ended = true;
              running -= 1;
              pump();
            });
          },
          fail(reason) {
            signal.removeEventListener('abort', onAbort);
            remove(waiter);
            reject(reason);
          },
        };
        signal.addEventListener('abort', onAbort);
        waiting.push(waiter);
        pump();
      });
    },
    pause(ms) {
      const until = performance.now() + ms;
      if (until <= pausedUntil) return;
      pausedUntil = until;
      for (const waiter of waiting.filter(({ deadline }) => deadline < until)) {
        waiter.fail(new PausedTooLong(ms));
      }
      pump();
    },
  };
}
