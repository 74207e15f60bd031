import type { Logger } from '../logger.ts';

/** The same error is logged again only after this time (ms). */
const silentMs = 600_000;

export type UnexpectedErrors = ReturnType<typeof createUnexpectedErrors>;

/**
 * Creates the record of uncaught errors. Each is counted, and logged at most once in ten minutes by its name, code and
 * stack: without its message or fields, which may quote a request.
 */
export function createUnexpectedErrors(
  logger: Pick<Logger, 'error'>,
  now: () => number = () => performance.now(),
) {
  /** When each error was last logged, and how often it was suppressed since. */
  const logged = new Map<string, { at: number; suppressed: number }>();
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;

  return {
    record(source: 'uncaughtException' | 'unhandledRejection', error: unknown): void {
      count += 1;
      lastAt = now();
      const about = describe(error);
      const id = JSON.stringify(about);
      const before = logged.get(id);
      if (before && lastAt - before.at < silentMs) {
        before.suppressed += 1;
        return;
      }
      logged.set(id, { at: lastAt, suppressed: 0 });
      const suppressed = before?.suppressed ? { suppressed: before.suppressed } : {};
      logger.error(
        { event: 'unexpected-error', source, ...about, ...suppressed },
        'unexpected error, going on',
      );
    },

    /** Returns a sentence about an uncaught error within the last ten minutes; undefined when there was none. */
    problem(): string | undefined {
      if (now() - lastAt >= silentMs) return undefined;
      return `${count} unexpected error${count === 1 ? '' : 's'} since the start, the last one within 10 minutes. Search the log for unexpected-error, and restart when you can.`;
    },
  };
}

/** Returns where an error was thrown. Lines of the message may look like frames, so only locations in files count. */
function describe(error: unknown) {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const text = String(stack);
  const at = text.indexOf(message);
  return {
    name: /^\w{1,60}$/.test(name) ? name : 'Error',
    ...(typeof code === 'string' && /^\w{1,60}$/.test(code) ? { code } : {}),
    stack: (at < 0 ? text : text.slice(at + message.length))
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^at [^"'`{}]{1,300}$/.test(line)),
  };
}
