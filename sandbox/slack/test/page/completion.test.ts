import { describe, expect, it } from 'vitest';
import { completionAt, sentText } from '../../src/page/completion.ts';
import type { Viewer } from '../../src/page/viewer.ts';

const names = { U01ANN: 'Ann Reyes', U02BEN: 'Ben Okafor', U03CHLOE: 'Chloé Martin', U0BOT: 'Proofdesk' };
const channel = (id: string, name: string, more: object = {}) => ({
  ...{ id, name, is_im: false, is_private: false, is_archived: false },
  ...more,
});
const viewer = {
  as: 'U01ANN',
  app: { bot_user_id: 'U0BOT' },
  users: Object.entries(names).map(([id, real_name]) => ({ id, real_name })),
  channels: [
    channel('C1', 'review'),
    channel('C2', 'random'),
    channel('C3', 'removed', { is_archived: true }),
    channel('D1', 'ann', { is_im: true }),
  ],
} as unknown as Viewer;
const commands = ['/campaign', '/proofdesk', '/review'].map((command) => ({
  command,
  description: '',
  usage_hint: '',
}));

const offered = (before: string) =>
  completionAt(before, viewer, commands)?.suggestions.map(({ text }) => text) ?? [];

describe('what completes the text before the cursor', () => {
  it.each([
    ['/re', ['/review']],
    ['/review ', []],
    ['see /re', []],
    ['@b', ['@Ben Okafor']],
    ['hi @Okafor', ['@Ben Okafor']],
    ['hi (@Ben Ok', ['@Ben Okafor']],
    ['@chl', ['@Chloé Martin']],
    ['@ann', []],
    ['@Ben Okafor and', []],
    ['mail@b', []],
    ['@her', ['@here']],
    ['#r', ['#review', '#random']],
    ['at 12:30', []],
    [':t', []],
    [':tada', [':tada:']],
    ['note:tada', []],
  ])('%j: %j', (before, expected) => {
    expect(offered(before).slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  it('sends as a mention only what was chosen, and everything else as it is written', () => {
    const chosen = completionAt('@b', viewer, commands)?.suggestions ?? [];
    expect(sentText('@Ben Okafor, <@U03CHLOE> & @Chloé Martin', chosen)).toBe(
      '<@U02BEN>, &lt;@U03CHLOE&gt; &amp; @Chloé Martin',
    );
    const everybody = completionAt('@chan', viewer, commands)?.suggestions ?? [];
    expect(sentText('@channel', everybody)).toBe('<!channel>');
    const inCommand = completionAt('/proofdesk assign @b', viewer, commands)?.suggestions ?? [];
    expect(sentText('@Ben Okafor', inCommand)).toBe('@Ben Okafor');
  });
});
