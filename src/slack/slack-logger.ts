import { LogLevel, type Logger as SlackLogger } from '@slack/web-api';
import type { Logger } from '../logger.ts';

/**
 * Creates the logger of Bolt and its clients. Their debug messages are logged at trace level and without their payloads,
 * which contain people's modal inputs, such as API keys.
 */
export function slackLogger(log: Logger): SlackLogger {
  const write = (level: 'trace' | 'info' | 'warn' | 'error', tidy = (text: string) => text) => {
    return (...parts: unknown[]) => {
      // Each payload is logged several times before it is acked.
      if (!log.isLevelEnabled(level)) return;
      const error = parts.find((part) => part instanceof Error);
      log[level]({ from: 'bolt', ...(error ? { err: error } : {}) }, tidy(parts.map(String).join(' ')));
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
