import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** What Slack's tokens and secrets look like, wherever they turn up in a text. */
const tokenShape = /\bx(?:ox[a-z]|app|oxe\.xox[bp])-[A-Za-z0-9-]+/g;

/**
 * The process's log: JSON lines by pino, with secrets taken out of every text that is written, wherever they stand:
 * in a message, a field, an error or its stack.
 * @param secrets the settings that must never be written
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
  return pino({ level, base: null }, { write: (line: string) => written.write(redact(line)) });
}

const throttleMs = 30_000;

/**
 * A warning about something that goes on and on, such as Redis being away: written at once, then at most every half
 * minute, each time with how often it was left out since.
 */
export function createThrottledWarning(logger: Logger, now: () => number = Date.now) {
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

/**
 * Bolt's and its clients' own logging, into ours: their debug messages at our trace level, without the payloads that
 * they carry. What a person types into a modal, an API key among others, is in there.
 */
export function slackLogger(logger: Logger): SlackLogger {
  const write = (level: 'trace' | 'info' | 'warn' | 'error', tidy = (text: string) => text) => {
    return (...parts: unknown[]) => {
      const error = parts.find((part) => part instanceof Error);
      logger[level]({ from: 'bolt', ...(error ? { err: error } : {}) }, tidy(parts.map(String).join(' ')));
    };
  };
  return {
    debug: write('trace', withoutPayload),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

function withoutPayload(text: string): string {
  return text.replace(/[{[][\s\S]*|\bpayload=[\s\S]*/, '…');
}
