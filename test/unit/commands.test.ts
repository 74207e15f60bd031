import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { nearest, route } from '../../src/slack/commands.ts';
import type { CommandRoute } from '../../src/slack/feature.ts';

const row = (command: CommandRoute['command'], word: string, usage = ''): CommandRoute => ({
  command,
  word,
  usage,
  help: '',
  needs: 'anyone',
  run: async () => undefined,
});
const routes = [
  row('/proofdesk', 'connect'),
  row('/proofdesk', 'disconnect'),
  row('/proofdesk', 'subscribe', '[campaign]'),
  row('/proofdesk', ''),
  row('/campaign', 'list', '[status]'),
  row('/campaign', 'status', '[id]'),
  row('/campaign', ''),
  row('/inbox', '', '[campaign]'),
];

function refusal(command: string, typed: string): string {
  try {
    route(routes, command, typed);
  } catch (error) {
    if (error instanceof UserError) return error.message;
  }
  throw new Error('it was routed');
}

describe('what somebody typed', () => {
  test.each([
    ['/proofdesk', 'connect', 'connect', ''],
    ['/proofdesk', '  SubScribe   Photo of  a shelf ', 'subscribe', 'Photo of a shelf'],
    ['/proofdesk', '', '', ''],
    ['/proofdesk', '\u00a0', '', ''],
    ['/campaign', 'status 12e5', 'status', '12e5'],
    ['/inbox', 'Photo of a shelf', '', 'Photo of a shelf'],
    ['/inbox', '', '', ''],
  ])('%s %s finds its route', (command, typed, word, text) => {
    const found = route(routes, command, typed);
    expect(found.route).toMatchObject({ command, word });
    expect(found.text).toBe(text);
  });

  test('an unknown word gets the nearest of the same command', () => {
    expect(refusal('/proofdesk', 'conect')).toContain('Did you mean `/proofdesk connect`?');
    expect(refusal('/proofdesk', 'disconect')).toContain('Did you mean `/proofdesk disconnect`?');
    expect(refusal('/campaign', 'lsit')).toContain('Did you mean `/campaign list`?');
    expect(refusal('/campaign', 'connect')).not.toContain('/proofdesk connect');
    expect(refusal('/proofdesk', 'something-else-entirely')).not.toContain('Did you mean');
    expect(refusal('/proofdesk', 'constructor')).toContain('All commands: `/proofdesk help`.');
  });

  test('the nearest takes the fewest changes, and none is nearest when all are different words', () => {
    expect(nearest('stauts', ['list', 'status', 'restart'])).toBe('status');
    expect(nearest('zzzzzz', ['list', 'status'])).toBeUndefined();
    expect(nearest('x', [])).toBeUndefined();
  });
});
