import { expect, test } from 'vitest';
import { createLogger, createThrottledWarning } from '../../src/logger.ts';
import { slackLogger } from '../../src/slack/client.ts';

function logging(level: string, secrets: readonly string[] = []) {
  const lines: string[] = [];
  const logger = createLogger(level, secrets, { write: (line: string) => void lines.push(line) });
  return { logger, text: () => lines.join(''), lines };
}

test('the log takes secrets out of messages, fields, errors and their causes', () => {
  const { logger, text } = logging('info', ['hunter2-secret', 'pass99', 'with "quotes" and \\ in it']);
  logger.info(
    { token: 'xoxb-123-abc', deep: { list: ['hunter2-secret'] } },
    'hunter2-secret and pass99 in a message',
  );
  const cause = new Error('Authorization: Bearer xoxp-9-9 and xapp-1-A2');
  logger.error({ err: new Error('failed with hunter2-secret', { cause }) }, 'failed');
  logger.warn('with "quotes" and \\ in it');
  for (const secret of ['hunter2-secret', 'pass99', 'xoxb-123', 'xoxp-9', 'xapp-1', 'quotes']) {
    expect(text()).not.toContain(secret);
  }
  expect(text().match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(6);
});

test('the log has no arguments of commands that Redis refused, however deep', () => {
  const { logger, lines, text } = logging('info');
  const refused = (proof: string, more = {}) =>
    Object.assign(new Error('WRONGTYPE'), { command: { name: 'hset', args: ['task', proof] }, ...more });
  const cause = Object.assign(new Error('first'), { previousErrors: [refused('203.0.113.4')] });
  logger.warn({ err: refused('203.0.113.9', { previousErrors: [refused('203.0.113.7')], cause }) }, 'failed');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: { message: 'WRONGTYPE: first', command: 'hset' },
  });
  expect(text()).not.toContain('203.0.113');
  const circular = refused('203.0.113.2');
  logger.warn({ err: Object.assign(circular, { self: { circular } }) }, 'failed');
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ err: { message: 'WRONGTYPE' } });
  expect(text()).not.toContain('203.0.113');
});

test('the log stays JSON, one line each', () => {
  const { logger, lines } = logging('info', ['secret "x"']);
  logger.info({ value: 'a secret "x" here' }, 'two\nlines');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ value: 'a [redacted] here', msg: 'two\nlines' });
});

test('the log leaves short settings alone, which would hide half of the text', () => {
  const { logger, text } = logging('info', ['', 'a']);
  logger.info('a plain sentence');
  expect(text()).toContain('a plain sentence');
});

test('the log has Bolt’s debug messages at trace only, without the payloads that people’s input is in', () => {
  const payload = JSON.stringify({ view: { state: { values: { key: { value: 'typed-api-key' } } } } });
  const quiet = logging('debug');
  slackLogger(quiet.logger).debug('anything');
  expect(quiet.text()).toBe('');
  const { logger, text } = logging('trace');
  slackLogger(logger).debug(`Received a message on the WebSocket: ${payload}`);
  slackLogger(logger).debug('data', payload);
  slackLogger(logger).debug(`urlencoded payload=${encodeURIComponent(payload)}`);
  expect(text()).toContain('Received a message on the WebSocket: …');
  expect(text()).not.toContain('typed-api-key');
});

test('the log has Bolt’s warnings and errors, with the error itself', () => {
  const { logger, lines } = logging('info');
  slackLogger(logger).error('it failed', new Error('because of xoxb-1-2'));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    from: 'bolt',
    msg: 'it failed Error: because of [redacted]',
    err: { message: 'because of [redacted]' },
  });
});

test('the log says what goes on and on at once, then seldom, and how often it was left out', () => {
  const { logger, lines } = logging('info');
  let now = 0;
  const warn = createThrottledWarning(logger, () => now);
  for (; now < 45_000; now += 1_000) warn({ queue: 'cards' }, 'Redis is away');
  const suppressed = lines.map((line) => (JSON.parse(line) as { suppressed?: number }).suppressed);
  expect(suppressed).toEqual([undefined, 29]);
});
