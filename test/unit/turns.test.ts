import { describe, expect, test } from 'vitest';
import { createTurns } from '../../src/slack/turns.ts';
import { asId } from '../harness/ids.ts';

interface Draft {
  readonly id: string;
  readonly turn: number;
  readonly says: string;
}

/** What several processes share. `taken` are the names that were given already. */
function shared(kept: Draft, taken: string[] = []) {
  const names = new Set(taken);
  let latest: Draft | undefined = kept;
  const turns = createTurns<Draft>({
    async once(workspace, name) {
      const full = `${workspace} ${name}`;
      if (names.has(full)) return false;
      names.add(full);
      return true;
    },
    drafts: {
      load: async () => latest,
      async save(_, draft) {
        latest = draft;
      },
    },
    unknown: (draft) => ({ ...draft, turn: draft.turn + 1, says: 'unknown' }),
  });
  return { turns, kept: () => latest };
}

const first: Draft = { id: 'd', turn: 3, says: 'check' };
const sent: Draft = { ...first, turn: 4, says: 'sent' };
const back: Draft = { ...first, turn: 4, says: 'back' };

describe('a turn', () => {
  test('is left by whoever comes first, and the other is given what came of it', async () => {
    const { turns, kept } = shared(first);
    const both = await Promise.all([
      turns.leave(asId('T1'), first, sent),
      turns.leave(asId('T1'), first, back),
    ]);
    expect(both).toEqual([
      { draft: sent, isMine: true },
      { draft: sent, isMine: false },
    ]);
    expect(kept()).toEqual(sent);
  });

  test('says nothing of the next turn, nor of other drafts', async () => {
    const { turns } = shared(first);
    await turns.leave(asId('T1'), first, back);
    expect(await turns.leave(asId('T1'), back, { ...sent, turn: 5 })).toMatchObject({ isMine: true });
    expect(await turns.leave(asId('T1'), { ...first, id: 'e' }, { ...sent, id: 'e' })).toMatchObject({
      isMine: true,
    });
    expect(await turns.leave(asId('T2'), first, sent)).toMatchObject({ isMine: true });
  });

  test('that a process took and never left may have been sent: it is not sent again', async () => {
    const { turns, kept } = shared(first, ['T1 turn d 3']);
    const unknown = { ...first, turn: 4, says: 'unknown' };
    expect(await turns.leave(asId('T1'), first, sent)).toEqual({ draft: unknown, isMine: false });
    expect(kept()).toEqual(unknown);
  });
});
