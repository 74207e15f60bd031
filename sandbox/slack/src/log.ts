import type { LoggedRequest } from './model.ts';
import { mask } from './world.ts';

export type RequestLog = {
  /** Adds a line. The caller may fill it in later. */
  add: (line: Omit<LoggedRequest, 'n' | 'at'>) => LoggedRequest;
  since: (n: number) => LoggedRequest[];
  clear: () => void;
  count: () => number;
};

/** Enough lines for a long test, and a bound for a demo that runs for days. */
const MAX_LINES = 30_000;

/** Creates the log of requests in both directions. Tokens are masked by the callers, with `maskToken`. */
export function createRequestLog(): RequestLog {
  let lines: LoggedRequest[] = [];
  let n = 0;
  return {
    add: (line) => {
      n += 1;
      const logged: LoggedRequest = { n, at: Date.now(), ...line };
      lines.push(logged);
      if (lines.length > MAX_LINES * 1.2) lines = lines.slice(-MAX_LINES);
      return logged;
    },
    since: (from) => lines.filter((line) => line.n > from),
    clear: () => {
      lines = [];
    },
    count: () => n,
  };
}

/** Returns the arguments with the token masked. */
export function maskToken(args: Record<string, unknown>): Record<string, unknown> {
  return typeof args.token === 'string' ? { ...args, token: mask(args.token) } : args;
}
