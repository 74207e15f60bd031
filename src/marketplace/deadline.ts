import { setMaxListeners } from 'node:events';

/** The end of a call: its timeout, its caller's signal, or the closing of the client, whichever comes first. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly at: number;
  /** Made when it is first read: most calls need none, and making one costs as much as reading a short answer. */
  readonly signal: AbortSignal;
  /** Calls back when the call ends before it is done, at once if it has. Returns what stops that. */
  onEnd(listener: () => void): () => void;
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

/** What ends all calls that are under way. */
export type CallsUnderWay = Set<() => void>;

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

export function startDeadline(
  ms: number,
  signal: AbortSignal | undefined,
  underWay: CallsUnderWay,
): Deadline {
  const listeners = new Set<() => void>();
  let controller: AbortController | undefined;
  let endedBy: 'timeout' | 'aborted' | undefined;
  let isTimeoutCleared = false;
  const end = (by: 'timeout' | 'aborted') => {
    if (endedBy !== undefined) return;
    endedBy = by;
    controller?.abort();
    for (const listener of listeners) listener();
    listeners.clear();
  };
  const onAbort = () => end('aborted');
  const start = (timeoutMs: number) => setTimeout(end, Math.min(timeoutMs, maxTimerMs), 'timeout');
  let timer = start(ms);
  underWay.add(onAbort);
  if (signal !== undefined) {
    // One signal may end any number of calls: that is no leak to warn of.
    setMaxListeners(0, signal);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  }
  return {
    at: performance.now() + ms,
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (endedBy !== undefined) controller.abort();
      }
      return controller.signal;
    },
    onEnd(listener) {
      if (endedBy === undefined) listeners.add(listener);
      else listener();
      return () => void listeners.delete(listener);
    },
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
      underWay.delete(onAbort);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
