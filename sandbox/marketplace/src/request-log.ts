import type { FormRecord } from './form.ts';

/** One API request as the sandbox received it. */
export interface LoggedRequest {
  readonly n: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  form: FormRecord;
  /** Only the beginning, because keys are secrets. */
  readonly key: string;
  /** The HTTP status of the answer; null while the request is pending or if the connection was dropped. */
  status: number | null;
  /** Whether the operation was carried out successfully. */
  applied: boolean;
  /** `gzip` or `identity`; null in the same cases as `status`. */
  encoding: string | null;
  /** The business error answered. */
  error?: string;
  /** rate_tasks: the errors answered for single tasks. */
  taskErrors?: Record<string, readonly string[]> | undefined;
  /** The kind of fault that hit it. */
  fault?: string;
}

export interface RequestLog {
  begin(request: Pick<LoggedRequest, 'method' | 'path' | 'query' | 'key'>): LoggedRequest;
  since(n: number): LoggedRequest[];
  clear(): void;
}

/** Creates a log that drops the oldest entries above `limit`, so that a demo can run for days. */
export function createRequestLog(limit = 50_000): RequestLog {
  let entries: LoggedRequest[] = [];
  let next = 1;
  return {
    begin(request) {
      const entry: LoggedRequest = {
        ...request,
        key: request.key === '' ? '' : `${request.key.slice(0, 4)}…`,
        n: next,
        at: new Date().toISOString(),
        form: {},
        status: null,
        applied: false,
        encoding: null,
      };
      next += 1;
      entries.push(entry);
      if (entries.length > limit * 1.1) entries = entries.slice(-limit);
      return entry;
    },
    since: (n) => entries.filter((entry) => entry.n > n),
    clear() {
      entries = [];
    },
  };
}
