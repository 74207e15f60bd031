import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Matches Slack's tokens anywhere in a text. */
const tokenShape = /\bx(?:ox[a-z]|app|oxe\.xox[bp])-[A-Za-z0-9-]+/g;

const deliveries = new AsyncLocalStorage<string>();

/** Returns the id of the delivery from Slack that is being processed. */
export const currentDelivery = (): string | undefined => deliveries.getStore();

/** Runs something whose lines in the log have this `delivery`. */
export const inDelivery = <T>(id: string, run: () => T): T => deliveries.run(id, run);

/**
 * Creates the process's log: JSON lines by pino, with secrets redacted wherever they occur: in a message, a field, an error
 * or its stack.
 * @param secrets the values that must never be logged
 */
export function createLogger(
  level: string,
  secrets: readonly string[],
  destination?: DestinationStream,
): Logger {
  const written = destination ?? pino.destination({ dest: 1, sync: true });
  const hidden = secrets.filter((secret) => secret.length >= 6);
  const redact = (line: string) => {
    let safe = line.replace(tokenShape, '[redacted]');
    for (const secret of hidden) safe = safe.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]');
    return safe;
  };
  const serializers = { err: withoutArguments };
  const mixin = () => {
    const delivery = currentDelivery();
    return delivery === undefined ? {} : { delivery };
  };
  return pino(
    { level, base: null, serializers, mixin },
    { write: (line: string) => written.write(redact(line)) },
  );
}

/**
 * Serializes an error without the arguments of the refused Redis command: ioredis adds them, and they hold whole records,
 * with workers' texts and addresses.
 */
function withoutArguments(error: Error): unknown {
  const serialized = pino.stdSerializers.err(error);
  try {
    const text = JSON.stringify(serialized, (name, value) => (isCommand(name, value) ? value.name : value));
    return JSON.parse(text);
  } catch {
    const { type, message, stack } = serialized;
    return { type, message, stack };
  }
}

/** Errors nest in a pipeline's errors, in causes and in lists: all of them are searched for the command. */
function isCommand(name: string, value: unknown): value is { readonly name: unknown } {
  return (
    name === 'command' && typeof value === 'object' && value !== null && 'args' in value && 'name' in value
  );
}

const throttleMs = 30_000;

/**
 * Creates a warning about a recurring problem, such as Redis being unreachable: logged at once, then at most every half
 * minute, with the number of warnings suppressed since.
 */
export function createThrottledWarning(logger: Logger, now: () => number = () => performance.now()) {
  let last = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (fields: Readonly<Record<string, unknown>>, message: string): void => {
    if (now() - last < throttleMs) {
      suppressed += 1;
      return;
    }
    last = now();
    logger.warn({ ...fields, ...(suppressed > 0 ? { suppressed } : {}) }, message);
    suppressed = 0;
  };
}
