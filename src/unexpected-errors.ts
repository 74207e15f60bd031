import type { Logger } from './logger.ts';

/** Source of an uncaught error. */
type Source = 'uncaughtException' | 'unhandledRejection';

/** The same error is logged again only after this time (ms). */
const silentMs = 600_000;
/** How many distinct errors are remembered. */
const mostRemembered = 200;
/** How many frames of a stack are logged. */
const frames = 12;

export type UnexpectedErrors = ReturnType<typeof createUnexpectedErrors>;

/**
 * Creates the record of uncaught errors. Each is counted, and logged at most once in ten minutes by its name, code and
 * stack: without its message or fields, which may quote a request.
 */
export function createUnexpectedErrors(
  logger: Pick<Logger, 'error'>,
  now: () => number = () => performance.now(),
) {
  const counts: Record<Source, number> = { uncaughtException: 0, unhandledRejection: 0 };
  /** When each error was last logged, and how often it was suppressed since. */
  const logged = new Map<string, { at: number; suppressed: number }>();
  let lastAt = Number.NEGATIVE_INFINITY;

  return {
    record(source: Source, error: unknown): void {
      counts[source] += 1;
      lastAt = now();
      const about = describe(error);
      const id = `${about.name} ${about.code ?? ''} ${about.stack.join(' ')}`;
      const before = logged.get(id);
      if (before && now() - before.at < silentMs) {
        before.suppressed += 1;
        return;
      }
      logged.delete(id);
      const [oldest] = logged.keys();
      if (logged.size >= mostRemembered && oldest !== undefined) logged.delete(oldest);
      logged.set(id, { at: now(), suppressed: 0 });
      const suppressed = before?.suppressed ? { suppressed: before.suppressed } : {};
      logger.error(
        { event: 'unexpected-error', source, ...about, ...suppressed },
        'unexpected error, going on',
      );
    },

    /** Returns the number of uncaught errors since the process started. */
    counts: (): Readonly<Record<Source, number>> => ({ ...counts }),

    /** Returns a sentence about an uncaught error within the last ten minutes; undefined when there was none. */
    problem(): string | undefined {
      if (now() - lastAt >= silentMs) return undefined;
      const all = counts.uncaughtException + counts.unhandledRejection;
      return `${all} unexpected error${all === 1 ? '' : 's'} since the start, the last one within 10 minutes. Search the log for unexpected-error, and restart when you can.`;
    },
  };
}

function describe(error: unknown) {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const code = (error as { readonly code?: unknown }).code;
  return {
    name: /^\w{1,60}$/.test(error.name) ? error.name : 'Error',
    ...(typeof code === 'string' && /^\w{1,60}$/.test(code) ? { code } : {}),
    stack: framesOf(error),
  };
}

/** Returns where an error was thrown. Lines of the message may look like frames, so only locations in files count. */
function framesOf({ stack, message }: Error): string[] {
  const text = String(stack ?? '');
  const at = text.indexOf(message);
  const rest = at < 0 ? text : text.slice(at + message.length);
  return rest
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at [^"'`{}]{1,300}$/.test(line))
    .slice(0, frames);
}
