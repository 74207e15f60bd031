import { setMaxListeners } from 'node:events';

/** The end of a call: its timeout, its caller's signal, or the closing of the client, whichever comes first. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly at: number;
  /**
   * Calls back when the call ends before it is done, at once if it already has. Returns a function that cancels the
   * callback.
   */
  onEnd(listener: () => void): () => void;
  /** Returns the reason why the call ended, if it has. */
  endedBy(): 'timeout' | 'aborted' | undefined;
  /** Restarts the timeout, to this many milliseconds from now: a long answer has begun to arrive. */
  restart(ms: number): void;
  /** Switches off the timeout but not the signals: a file has begun to arrive. */
  clearTimeout(): void;
  /** Switches off the timeout and the signals. */
  dispose(): void;
}

/** The deadlines of all calls in progress. */
export interface Deadlines {
  start(ms: number, signal?: AbortSignal): Deadline;
  abortAll(): void;
}

interface CallUnderWay {
  /** Its index among the others. */
  index: number;
  timeoutAt: number;
  readonly end: (by: 'timeout' | 'aborted') => void;
}

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Creates the deadlines of a client. One timer, set to the earliest, serves all: most calls end long before. */
export function createDeadlines(): Deadlines {
  // Unordered. A Set would do, but its outgrown tables refer to their successors, so the garbage collector would consider
  // ended calls alive.
  const underWay: CallUnderWay[] = [];
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  function setTimer(at: number, now: number): void {
    if (at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(endOverdue, Math.min(Math.max(0, at - now), maxTimerMs));
  }

  function clearTimer(): void {
    clearTimeout(timer);
    timerAt = Number.POSITIVE_INFINITY;
  }

  function endOverdue(): void {
    clearTimer();
    const now = performance.now();
    for (const call of [...underWay]) if (call.timeoutAt <= now) call.end('timeout');
    const next = underWay.reduce((at, call) => Math.min(at, call.timeoutAt), Number.POSITIVE_INFINITY);
    setTimer(next, now);
  }

  function remove(call: CallUnderWay): void {
    if (underWay[call.index] !== call) return;
    const last = underWay.pop();
    if (last !== undefined && last !== call) {
      underWay[call.index] = last;
      last.index = call.index;
    }
    // A timer would keep the process alive.
    if (underWay.length === 0) clearTimer();
  }

  return {
    start(ms, signal) {
      const startedAt = performance.now();
      const listeners: (() => void)[] = [];
      let endedBy: 'timeout' | 'aborted' | undefined;
      const call: CallUnderWay = {
        index: underWay.length,
        timeoutAt: startedAt + ms,
        end(by) {
          if (endedBy !== undefined) return;
          endedBy = by;
          call.timeoutAt = Number.POSITIVE_INFINITY;
          for (const listener of listeners.splice(0)) listener();
        },
      };
      underWay.push(call);
      setTimer(call.timeoutAt, startedAt);
      const onAbort = signal && abortsWith(signal, call);
      return {
        at: startedAt + ms,
        onEnd(listener) {
          if (endedBy === undefined) listeners.push(listener);
          else listener();
          return () => {
            const index = listeners.indexOf(listener);
            if (index >= 0) listeners.splice(index, 1);
          };
        },
        endedBy: () => endedBy,
        restart(timeoutMs) {
          if (endedBy !== undefined) return;
          const now = performance.now();
          call.timeoutAt = now + timeoutMs;
          setTimer(call.timeoutAt, now);
        },
        clearTimeout() {
          call.timeoutAt = Number.POSITIVE_INFINITY;
        },
        dispose() {
          remove(call);
          if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
        },
      };
    },
    abortAll() {
      for (const call of [...underWay]) call.end('aborted');
    },
  };
}

/** Ends a call when its caller's signal aborts, at once if it already has. Returns the listener. */
function abortsWith(signal: AbortSignal, call: CallUnderWay): () => void {
  const onAbort = () => call.end('aborted');
  // One signal may end any number of calls, so there is no leak to warn about.
  setMaxListeners(0, signal);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return onAbort;
}

/** Waits for this many milliseconds, or until the call ends. */
export function sleepUntilEnd(ms: number, deadline: Pick<Deadline, 'onEnd'>): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = () => {};
    const timer = setTimeout(finish, ms);
    function finish() {
      clearTimeout(timer);
      stopListening();
      resolve();
    }
    stopListening = deadline.onEnd(finish);
  });
}
