import { describe, expect, test } from 'vitest';
import { createDraftVersions } from '../../src/ui/draft-sending.ts';
import { asId } from '../harness/ids.ts';

interface Draft {
  readonly id: string;
  readonly version: number;
  readonly says: string;
}

/** What several processes share. @param claimed the names that were claimed already */
function shared(stored: Draft, claimed: string[] = []) {
  const names = new Set(claimed);
  let latest: Draft | undefined = stored;
  const versions = createDraftVersions<Draft>({
    async claimOnce(workspace, name) {
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
    unknown: (draft) => ({ ...draft, version: draft.version + 1, says: 'unknown' }),
  });
  return { versions, stored: () => latest };
}

const first: Draft = { id: 'd', version: 3, says: 'check' };
const sent: Draft = { ...first, version: 4, says: 'sent' };
const back: Draft = { ...first, version: 4, says: 'back' };

describe('a version of a draft', () => {
  test('is replaced by whoever comes first, and the other gets what came of it', async () => {
    const { versions, stored } = shared(first);
    const both = await Promise.all([
      versions.advance(asId('T1'), first, sent),
      versions.advance(asId('T1'), first, back),
    ]);
    expect(both).toEqual([
      { draft: sent, isMine: true },
      { draft: sent, isMine: false },
    ]);
    expect(stored()).toEqual(sent);
  });

  test('does not bind the next version, nor other drafts', async () => {
    const { versions } = shared(first);
    await versions.advance(asId('T1'), first, back);
    expect(await versions.advance(asId('T1'), back, { ...sent, version: 5 })).toMatchObject({ isMine: true });
    expect(await versions.advance(asId('T1'), { ...first, id: 'e' }, { ...sent, id: 'e' })).toMatchObject({
      isMine: true,
    });
    expect(await versions.advance(asId('T2'), first, sent)).toMatchObject({ isMine: true });
  });

  test('that a process claimed and never replaced may have been sent: it is not sent again', async () => {
    const { versions, stored } = shared(first, ['T1 turn d 3']);
    const unknown = { ...first, version: 4, says: 'unknown' };
    expect(await versions.advance(asId('T1'), first, sent)).toEqual({ draft: unknown, isMine: false });
    expect(stored()).toEqual(unknown);
  });
});
