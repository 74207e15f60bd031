import { expect, test } from 'vitest';
import { createApproved } from '../../src/features/create/approved.ts';
import { asId } from '../harness/ids.ts';

const ref = { workspace: asId<never>('T0SANDBOX'), account: asId<never>('838e09ee9b402010') };
const act = {
  kind: 'create',
  title: 'Photo of a shelf',
  positions: 10,
  payment: '0.10',
  draft: 'd1',
  version: 3,
} as const;

/** Performs the approved act while the form has this step and version. Returns its outcome, and what was sent. */
async function perform(draft: { readonly version: number; readonly step: string }, isThere = false) {
  const sent: unknown[] = [];
  const approved = createApproved({
    load: async () => ({ ...draft, sentences: [], problems: [] }) as never,
    sendOnce: async (_, given) => {
      sent.push(given);
      return { ...given, step: 'done', sentences: ['Created.'] };
    },
    look: async (_, given) => given,
    find: async () => ({ isThere, sentence: 'It was found.' }),
  });
  const by = { by: asId<never>('U01ANN'), how: 'approval' } as const;
  return { ...(await approved.perform(ref, act, 'r1', by as never)), sent };
}

test('a campaign is created as it was asked for', async () => {
  expect(await perform({ version: 3, step: 'done' })).toMatchObject({ kind: 'done', sent: [{}] });
});

test('a campaign is created as it was asked for, also if the process died before it kept the form', async () => {
  expect(await perform({ version: 2, step: 'check' })).toMatchObject({ kind: 'done', sent: [{}] });
});

test('no campaign is created once its maker was told that nothing was created, or has changed it', async () => {
  for (const draft of [
    { version: 3, step: 'check' },
    { version: 3, step: 'unknown' },
    { version: 4, step: 'done' },
  ])
    expect(await perform(draft)).toMatchObject({ kind: 'canceled', sent: [] });
});

test('and not once more when it is there already: Redis has lost that it was sent', async () => {
  const found = await perform({ version: 3, step: 'done' }, true);
  expect(found).toMatchObject({ kind: 'done', sentence: 'It was found.', sent: [] });
});
