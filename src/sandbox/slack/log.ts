import type { LoggedRequest } from './model.ts';
import { mask } from './world.ts';

export type RequestLog = {
  /** Adds a line; the caller may go on filling it in. */
  add: (line: Omit<LoggedRequest, 'n' | 'at'>) => LoggedRequest;
  since: (n: number) => LoggedRequest[];
  clear: () => void;
  count: () => number;
};

/** Lines kept: enough for a long test, and bounded for a demo that runs for days. */
const KEPT = 30_000;

/** The log of requests in both directions. Tokens are masked before they get here or by `maskToken`. */
export function createRequestLog(): RequestLog {
  let lines: LoggedRequest[] = [];
  let n = 0;
  return {
    add: (line) => {
      n += 1;
      const logged: LoggedRequest = { n, at: Date.now(), ...line };
      lines.push(logged);
      if (lines.length > KEPT * 1.2) lines = lines.slice(-KEPT);
      return logged;
    },
    since: (from) => lines.filter((line) => line.n > from),
    clear: () => {
      lines = [];
    },
    count: () => n,
  };
}

/** Arguments as they may be logged. */
export function maskToken(args: Record<string, unknown>): Record<string, unknown> {
  return typeof args.token === 'string' ? { ...args, token: mask(args.token) } : args;
}
