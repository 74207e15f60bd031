/**
 * Ratings take priority over everything else: somebody waits for each, and workers for their pay. `bulk` occupies a
 * connection for long: files, and the results of a campaign.
 */
export type Priority = 'rating' | 'ordinary' | 'bulk';

/** The pause requested by the service lasts longer than the call may wait. */
export class PausedBeyondDeadline extends Error {
  override readonly name = 'PausedBeyondDeadline';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('asked to slow down');
    this.retryAfterMs = retryAfterMs;
  }
}

/** The end of a call that waits for a slot. */
interface CallEnd {
  readonly signal: AbortSignal;
  /** Its deadline on the clock of `performance.now()`. */
  readonly at: number;
}

interface Waiter extends CallEnd {
  readonly priority: Priority;
  /** Lets the request start, or fail. */
  settle(error?: Error): void;
}

/** A timer of more than 24 days would fire at once. */
const maxTimerMs = 60_000;

/**
 * Limits the requests of one client: concurrent ones, those started in any second, and all of them while the service has
 * asked for a pause. One connection and one start per second are reserved for ratings, another connection for non-bulk
 * requests.
 */
export function createRateLimiter(limits: { concurrency: number; requestsPerSecond: number }) {
  const concurrency = Math.max(1, Math.floor(limits.concurrency));
  // The window is one second, or longer for less than one request a second.
  const startsPerWindow = Math.max(1, Math.floor(limits.requestsPerSecond));
  const windowMs = (startsPerWindow / limits.requestsPerSecond) * 1000;
  // With only a few starts, reserving one would cost the others too much.
  const startsOfOthers = startsPerWindow > 4 ? startsPerWindow - 1 : startsPerWindow;
  const queue: Waiter[] = [];
  const running: Record<Priority, number> = { rating: 0, ordinary: 0, bulk: 0 };
  /** When the latest requests started, as many as a window may have. */
  const starts: number[] = [];
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Returns the earliest time at which rate and pause let a request start. */
  function nextStart(priority: Priority): number {
    const earlier = starts.at(priority === 'rating' ? -startsPerWindow : -startsOfOthers);
    return Math.max(pausedUntil, earlier === undefined ? 0 : earlier + windowMs);
  }

  function hasSlot({ priority }: Waiter): boolean {
    const { rating, ordinary, bulk } = running;
    if (rating + ordinary + bulk >= concurrency) return false;
    if (priority !== 'rating' && ordinary + bulk >= Math.max(1, concurrency - 1)) return false;
    return priority !== 'bulk' || bulk < Math.max(1, concurrency - 2);
  }

  /** Returns the next waiter: the first rating, else the first with a free slot. */
  function nextWaiter(): Waiter | undefined {
    const free = queue.filter(hasSlot);
    return free.find(({ priority }) => priority === 'rating') ?? free[0];
  }

  function startWaiting(): void {
    clearTimeout(timer);
    for (let waiter = nextWaiter(); waiter !== undefined; waiter = nextWaiter()) {
      const wait = nextStart(waiter.priority) - performance.now();
      if (wait > 0) {
        timer = setTimeout(startWaiting, Math.min(Math.ceil(wait), maxTimerMs));
        return;
      }
      running[waiter.priority] += 1;
      starts.push(performance.now());
      if (starts.length > startsPerWindow) starts.shift();
      waiter.settle();
    }
  }

  return {
    /**
     * Resolves when a slot is free: ratings first, others in order of arrival. Rejects when the call ends first, and with
     * {@link PausedBeyondDeadline} as soon as no slot can be free before its deadline.
     */
    acquire(priority: Priority, { signal, at }: CallEnd): Promise<void> {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          signal,
          at,
          priority,
          settle(error) {
            signal.removeEventListener('abort', onAbort);
            queue.splice(queue.indexOf(waiter), 1);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        const onAbort = () => waiter.settle(signal.reason as Error);
        queue.push(waiter);
        if (signal.aborted) return onAbort();
        if (pausedUntil > at) return waiter.settle(new PausedBeyondDeadline(pausedUntil - performance.now()));
        signal.addEventListener('abort', onAbort);
        startWaiting();
      });
    },

    /** Returns a slot that was taken with this priority. */
    release(priority: Priority): void {
      running[priority] -= 1;
      startWaiting();
    },

    /** Prevents requests from starting for this many milliseconds from now. */
    pause(ms: number): void {
      const until = performance.now() + ms;
      if (until <= pausedUntil) return;
      pausedUntil = until;
      for (const waiter of queue.filter(({ at }) => at < until)) waiter.settle(new PausedBeyondDeadline(ms));
      startWaiting();
    },
  };
}
