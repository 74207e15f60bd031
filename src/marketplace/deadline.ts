import { setMaxListeners } from 'node:events';

/** The end of a call's patience: its deadline, its caller's signal, or the client's own end, whichever comes first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  readonly at: number;
  /** What ended it, if anything has. */
  ended(): 'timeout' | 'aborted' | undefined;
  /** The time no longer matters, the signals still do: a file has begun to arrive. */
  untime(): void;
  untimed(): boolean;
  /** Nothing matters any more. */
  stop(): void;
}

/** Beyond this a timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export function startDeadline(ms: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController();
  let ended: 'timeout' | 'aborted' | undefined;
  let untimed = false;
  const end = (how: 'timeout' | 'aborted') => {
    ended ??= how;
    controller.abort();
  };
  const onAbort = () => end('aborted');
  const timer = setTimeout(() => end('timeout'), Math.min(ms, longestTimerMs));
  const sources = signals.filter((signal) => signal !== undefined);
  // One signal may rightly end any number of calls: no leak to warn of.
  setMaxListeners(0, ...sources);
  for (const signal of sources) {
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    at: performance.now() + ms,
    ended: () => ended,
    untime() {
      clearTimeout(timer);
      untimed = true;
    },
    untimed: () => untimed,
    stop() {
      clearTimeout(timer);
      for (const signal of sources) signal.removeEventListener('abort', onAbort);
    },
  };
}
