import { setMaxListeners } from 'node:events';

/** The end of a call: its timeout, its caller's signal, or the closing of the client, whichever comes first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  readonly at: number;
  /** Returns what ended the call, if anything has. */
  endedBy(): 'timeout' | 'aborted' | undefined;
  /** Sets the timeout anew, to so many milliseconds from now: a long answer has begun to arrive. */
  restart(ms: number): void;
  /** Switches the timeout off and leaves the signals on: a file has begun to arrive. */
  clearTimeout(): void;
  isTimeoutCleared(): boolean;
  /** Switches off the timeout and the signals. */
  dispose(): void;
}

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

export function startDeadline(ms: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController();
  let endedBy: 'timeout' | 'aborted' | undefined;
  let isTimeoutCleared = false;
  const end = (by: 'timeout' | 'aborted') => {
    endedBy ??= by;
    controller.abort();
  };
  const onAbort = () => end('aborted');
  const start = (timeoutMs: number) => setTimeout(() => end('timeout'), Math.min(timeoutMs, maxTimerMs));
  let timer = start(ms);
  const sources = signals.filter((signal) => signal !== undefined);
  // One signal may end any number of calls: that is no leak to warn of.
  setMaxListeners(0, ...sources);
  for (const signal of sources) {
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    at: performance.now() + ms,
    endedBy: () => endedBy,
    restart(timeoutMs) {
      clearTimeout(timer);
      timer = start(timeoutMs);
    },
    clearTimeout() {
      clearTimeout(timer);
      isTimeoutCleared = true;
    },
    isTimeoutCleared: () => isTimeoutCleared,
    dispose() {
      clearTimeout(timer);
      for (const signal of sources) signal.removeEventListener('abort', onAbort);
    },
  };
}
