import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { createModalUpdates } from '../../src/kit/modals.ts';
import type { Messenger } from '../../src/slack/messenger.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { onlyModules } from '../harness/modules.ts';
import { recorded } from '../harness/recorded.ts';

const [open, view] = [{ id: 'V1', hash: 'h1' } as never, { blocks: [] } as never];
const refused = (error: string) => new SlackError('', new WebAPIPlatformError({ ok: false, error } as never));
const first = ['updateModal', 'V1', view, 'h1'];
const again = ['updateModal', 'V1', view, 'h2'];
const kept = ['put', 'T1', 'drawn V1', '{"click":"U1-7.1","hash":"h3"}', 60];

test.each([
  [
    'an earlier click has changed',
    'hash_conflict',
    '{"click":"U1-7.0","hash":"h2"}',
    'h2',
    [first, again, kept],
  ],
  ['a later click has changed', 'hash_conflict', '{"click":"U1-7.2","hash":"h2"}', 'h2', [first]],
  ['is being changed', 'hash_conflict', undefined, 'h2', [first, first, first]],
  ['was closed', 'not_found', undefined, 'h2', [first]],
])('a form that %s since it was drawn is left to the latest click', async (_, code, stored, hash, asked) => {
  const updateModal = (_id: string, _view: unknown, of: string) => {
    if (of !== hash) throw refused(code);
    return 'h3';
  };
  const { calls, object } = recorded<Messenger>({ updateModal });
  const expiringTexts = {
    get: async () => stored,
    put: async (...text: unknown[]) => void calls.push(['put', ...text]),
  };
  const modules = onlyModules({
    jobs: { expiringTexts },
    slack: { messengerOf: () => object },
    log: { info() {} },
  });
  await createModalUpdates(modules).replace({ id: 'U1-7.1', workspace: 'T1' } as never, open, view);
  expect(calls).toEqual(asked);
});
