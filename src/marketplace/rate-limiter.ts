import type { Deadline } from './deadline.ts';

/**
 * Ratings take priority over everything else: somebody waits for each, and workers for their pay. `bulk` occupies a
 * connection for long: files, and the results of a campaign.
 */
export type Priority = 'rating' | 'ordinary' | 'bulk';

/**
 * Limits the requests of one client: concurrent ones, those started in any second, and all of them while the service has
 * asked for a pause. One connection and one start per second are reserved for ratings, another connection for non-bulk
 * requests.
 */
export interface RateLimiter {
  /**
   * Takes a slot. Returns undefined when one is free, which spares most requests a promise, and otherwise resolves when one
   * is: ratings first, others in order of arrival. Rejects when the call ends first, and with {@link PausedBeyondDeadline}
   * as soon as no slot can be free before its deadline.
   */
  acquire(
    deadline: Pick<Deadline, 'at' | 'onEnd' | 'endedBy'>,
    priority: Priority,
  ): Promise<void> | undefined;
  /** Returns a slot that was taken with this priority. */
  release(priority: Priority): void;
  /** Prevents requests from starting for this many milliseconds from now. */
  pause(ms: number): void;
}

/** The pause requested by the service lasts longer than the call may wait. */
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
  readonly priority: Priority;
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
  /** How many requests of each kind, including those of higher priority, may run at once. */
  const most: Readonly<Record<Priority, number>> = {
    rating: concurrency,
    ordinary: Math.max(1, concurrency - 1),
    bulk: Math.max(1, concurrency - 2),
  };
  // With only a few starts, reserving one would cost the others too much.
  const startsKept = startsPerWindow > 4 ? 1 : 0;
  const queue: Waiter[] = [];
  const starts = createStarts(windowMs);
  const running: Record<Priority, number> = { rating: 0, ordinary: 0, bulk: 0 };
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Returns the earliest time at which rate and pause let a request start. */
  function nextStart(priority: Priority, now: number): number {
    const allowed = startsPerWindow - (priority === 'rating' ? 0 : startsKept);
    return Math.max(pausedUntil, starts.next(allowed, now));
  }

  function hasSlot(priority: Priority): boolean {
    const { rating, ordinary, bulk } = running;
    if (rating + ordinary + bulk >= concurrency) return false;
    if (priority !== 'rating' && ordinary + bulk >= most.ordinary) return false;
    return priority !== 'bulk' || bulk < most.bulk;
  }

  /** Returns the next waiter: the first rating, else the first with a free slot. */
  function nextWaiter(): Waiter | undefined {
    const free = queue.filter(({ priority }) => hasSlot(priority));
    return free.find(({ priority }) => priority === 'rating') ?? free[0];
  }

  function startWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    for (let waiter = nextWaiter(); waiter !== undefined; waiter = nextWaiter()) {
      const now = performance.now();
      const wait = nextStart(waiter.priority, now) - now;
      if (wait > 0) {
        timer = setTimeout(startWaiting, Math.min(Math.ceil(wait), maxTimerMs));
        return;
      }
      take(waiter.priority, now);
      remove(waiter);
      waiter.start();
    }
  }

  function take(priority: Priority, now: number): void {
    running[priority] += 1;
    starts.add(now);
  }

  function remove(waiter: Waiter): void {
    const index = queue.indexOf(waiter);
    if (index >= 0) queue.splice(index, 1);
  }

  return {
    acquire(deadline, priority) {
      if (queue.length === 0 && hasSlot(priority) && deadline.endedBy() === undefined) {
        const now = performance.now();
        if (nextStart(priority, now) <= now) {
          take(priority, now);
          return undefined;
        }
      }
      if (pausedUntil > deadline.at) {
        return Promise.reject(new PausedBeyondDeadline(pausedUntil - performance.now()));
      }
      return new Promise((resolve, reject) => {
        let stopListening = () => {};
        const waiter: Waiter = {
          deadline: deadline.at,
          priority,
          start() {
            stopListening();
            resolve();
          },
          fail(reason) {
            stopListening();
            remove(waiter);
            reject(reason);
          },
        };
        queue.push(waiter);
        stopListening = deadline.onEnd(() => waiter.fail(new Error('ended before there was a slot')));
        startWaiting();
      });
    },
    release(priority) {
      running[priority] -= 1;
      if (queue.length > 0) startWaiting();
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

/** Creates the list of start times of requests within the window. */
function createStarts(windowMs: number) {
  const moments: number[] = [];
  /** Index of the first one within the window: earlier ones are removed in batches, since each removal moves the rest. */
  let first = 0;

  return {
    add(now: number): void {
      moments.push(now);
    },
    /** Returns the earliest time of another start, with at most `allowed` in any window. */
    next(allowed: number, now: number): number {
      while (first < moments.length && (moments[first] ?? 0) + windowMs <= now) first += 1;
      if (first > 1_000 && first > moments.length / 2) {
        moments.splice(0, first);
        first = 0;
      }
      if (moments.length - first < allowed) return 0;
      return (moments[moments.length - allowed] ?? 0) + windowMs;
    },
  };
}
