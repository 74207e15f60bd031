import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Trail } from '../../src/domain/audit.ts';
import {
  closeSeal,
  nextPlace,
  openSeal,
  type Seal,
  type StoredEntry,
  sealOf,
} from '../../src/store/audit/seal.ts';
import { type AuditKey, deriveAuditKeys, sign } from '../../src/store/audit/signatures.ts';
import { type Verification, verifyTrail } from '../../src/store/audit/verify.ts';
import { asId } from '../harness/ids.ts';

const trail: Trail = { workspace: asId('T1'), account: asId('a1') };
const keys = deriveAuditKeys([Buffer.alloc(32, 1)]);
const [key] = keys as [AuditKey];
const otherKeys = deriveAuditKeys([Buffer.alloc(32, 2)]);

interface Stored {
  entries: StoredEntry[];
  seals: string[];
  lastAdded?: string;
}

async function* from<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

function verify({ entries, seals, lastAdded }: Stored, using = keys, of = trail): Promise<Verification> {
  const last = lastAdded ?? entries.at(-1)?.id ?? '0-0';
  return verifyTrail(
    { trail: of, entries: () => from(entries), seals: () => from(seals), lastAdded: last },
    using,
  );
}

function opened(text: string | undefined): Seal | undefined {
  const seal = text === undefined ? undefined : openSeal(keys, trail, text);
  if (typeof seal === 'string') throw new Error(seal);
  return seal;
}

/** A trail whose entries were sealed in groups of these sizes, and as many entries that are not sealed yet. */
function storedTrail(groups: readonly number[], unsealed = 0, using = key): Stored {
  const entries: StoredEntry[] = [];
  const seals: string[] = [];
  const add = (count: number) => {
    const group = Array.from({ length: count }, () => {
      const number = entries.length + 1;
      const text = sign(using, trail, JSON.stringify({ at: number, what: 'decided', task: `t${number}` }));
      const entry = { id: `${1_700_000_000_000 + 10 * number}-0`, text };
      entries.push(entry);
      return entry;
    });
    return group;
  };
  for (const size of groups) {
    const last = seals.at(-1);
    seals.push(closeSeal(using, trail, sealOf(last === undefined ? undefined : opened(last), add(size), 1)));
  }
  add(unsealed);
  return { entries, seals };
}

const groupSizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });
const sealedTrail = groupSizes.map((groups) => storedTrail(groups));
const anywhere = fc.nat(1_000);
const at = <T>(list: readonly T[], position: number) => position % list.length;

describe('a trail', () => {
  test('that nobody has touched is whole, and says what is not sealed yet', () =>
    fc.assert(
      fc.asyncProperty(groupSizes, fc.integer({ min: 0, max: 3 }), async (groups, unsealed) => {
        const stored = storedTrail(groups, unsealed);
        const found = await verify(stored);
        expect(found).toMatchObject({
          seals: groups.length,
          entries: stored.entries.length,
          unsealed,
          notes: [],
        });
        expect(found.problem).toBeUndefined();
      }),
    ));

  test('with a changed entry is found, and which', () =>
    fc.assert(
      fc.asyncProperty(
        sealedTrail,
        anywhere,
        anywhere,
        fc.constantFrom('x', '', '"'),
        async (stored, which, where, by) => {
          const entry = stored.entries[at(stored.entries, which)] as StoredEntry;
          const place = at([...entry.text], where);
          const text = entry.text.slice(0, place) + by + entry.text.slice(place + 1);
          if (text === entry.text) return;
          const entries = stored.entries.map((one) => (one === entry ? { ...one, text } : one));
          const { problem } = await verify({ ...stored, entries });
          expect(problem).toMatch(new RegExp(`^Entry ${entry.id} .* was changed\\.$`));
        },
      ),
    ));

  test('with a removed entry is found, and which, also at the ends', () =>
    fc.assert(
      fc.asyncProperty(sealedTrail, anywhere, async (stored, which) => {
        const gone = stored.entries[at(stored.entries, which)] as StoredEntry;
        const { problem } = await verify({
          ...stored,
          entries: stored.entries.filter((one) => one !== gone),
        });
        expect(problem).toMatch(new RegExp(`^Entry ${gone.id} .* is missing: it was removed\\.$`));
      }),
      {
        examples: [
          [storedTrail([2, 3]), 0],
          [storedTrail([2, 3]), 4],
          [storedTrail([1]), 0],
        ],
      },
    ));

  test('with an inserted entry is found, and which, whoever wrote it', () =>
    fc.assert(
      fc.asyncProperty(sealedTrail, anywhere, fc.boolean(), async (stored, which, isCopy) => {
        const beside = stored.entries[at(stored.entries, which)] as StoredEntry;
        const id = `${beside.id.slice(0, -2)}-1`;
        const text = isCopy ? beside.text : JSON.stringify({ at: 1, what: 'decided' });
        const entries = stored.entries.flatMap((one) => (one === beside ? [one, { id, text }] : [one]));
        const { problem } = await verify({ ...stored, entries });
        const isAtEnd = beside === stored.entries.at(-1);
        expect(problem).toMatch(
          isAtEnd
            ? /was not written by Proofdesk, or was copied/
            : new RegExp(`^Entry ${id} .* was inserted`),
        );
      }),
    ));

  test('with two entries exchanged is found', () =>
    fc.assert(
      fc.asyncProperty(sealedTrail, anywhere, anywhere, async (stored, first, second) => {
        const [a, b] = [at(stored.entries, first), at(stored.entries, second)];
        if (a === b) return;
        const textAt = (index: number) => stored.entries[index]?.text ?? '';
        const entries = stored.entries.map((one, index) =>
          index === a ? { ...one, text: textAt(b) } : index === b ? { ...one, text: textAt(a) } : one,
        );
        expect((await verify({ ...stored, entries })).problem).toMatch(/was changed/);
      }),
    ));

  test('with a seal changed, removed, moved or made by somebody else is found', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 5 }),
        anywhere,
        fc.constantFrom('change', 'remove', 'swap', 'forge'),
        async (groups, which, how) => {
          const stored = storedTrail(groups);
          const place = at(stored.seals, which);
          const seals = [...stored.seals];
          if (how === 'change') seals[place] = (seals[place] ?? '').replace('"at":1', '"at":2');
          else if (how === 'swap') seals.reverse();
          else if (how === 'forge') {
            const seal = sealOf(
              place === 0 ? undefined : opened(seals[place - 1]),
              stored.entries.slice(0, 1),
              1,
            );
            seals[place] = closeSeal(otherKeys[0] as AuditKey, trail, seal);
          } else if (place === seals.length - 1) return;
          else seals.splice(place, 1);
          expect((await verify({ ...stored, seals })).problem).toBeDefined();
        },
      ),
    ));

  test('whose last entries were removed together with their seals is found by the stream’s own count', async () => {
    const { entries, seals } = storedTrail([2, 2]);
    const lastAdded = entries.at(-1)?.id ?? '';
    const { problem } = await verify({ entries: entries.slice(0, 2), seals: seals.slice(0, 1), lastAdded });
    expect(problem).toContain(`Entry ${lastAdded}`);
  });

  test('of another account does not pass for this one', async () => {
    const { problem } = await verify(storedTrail([2]), keys, { ...trail, account: asId('a2') });
    expect(problem).toBe('The first seal was changed.');
  });
});

describe('keys', () => {
  test('a former key still verifies; without it, its seals are named', async () => {
    const old = storedTrail([2, 1]);
    expect((await verify(old, [...otherKeys, ...keys])).problem).toBeUndefined();
    expect((await verify(old, otherKeys)).problem).toMatch(/made with a key that is not configured/);
  });

  test('a signed entry that is not sealed yet cannot be forged, and unsigned ones end where signed ones begin', async () => {
    const stored = storedTrail([1], 1);
    const add = (text: string) => ({
      ...stored,
      entries: [...stored.entries, { id: '1800000000000-0', text }],
    });
    expect((await verify(add('{"at":1,"what":"decided"}'))).problem).toMatch(/not written by Proofdesk/);
    expect((await verify(add(stored.entries[0]?.text ?? ''))).problem).toMatch(/or was copied/);
    const unsigned = [
      { id: '1600000000000-0', text: '{"at":1,"what":"decided"}' },
      ...storedTrail([], 2).entries,
    ];
    expect(await verify({ entries: unsigned, seals: [] })).toMatchObject({ unsealed: 3, entries: 3 });
    expect((await verify({ entries: unsigned, seals: [] })).problem).toBeUndefined();
  });
});

describe('checkpoints', () => {
  /** The trail after everything through its first seal has expired. */
  function expired(groups: readonly number[]): Stored {
    const { entries, seals } = storedTrail(groups);
    const first = opened(seals[0]) as Extract<Seal, { kind: 'entries' }>;
    const { n, mac, to } = first;
    const count = groups[0] ?? 0;
    const content = {
      kind: 'expired',
      ...nextPlace(opened(seals.at(-1))),
      at: 2,
      through: { n, mac, to },
      count,
    } as const;
    return { entries: entries.slice(count), seals: [...seals.slice(1), closeSeal(key, trail, content)] };
  }

  test('what has expired is missing without a problem, and said', async () => {
    for (const groups of [[2, 3], [2]]) {
      const found = await verify({ ...expired(groups), lastAdded: '0-0' });
      expect(found.problem).toBeUndefined();
      expect(found.notes).toEqual([expect.stringContaining('2 entries expired, through seal 1.')]);
    }
  });

  test('more than what has expired may not be missing', async () => {
    const { entries, seals } = expired([2, 3, 1]);
    const { problem } = await verify({ entries: entries.slice(3), seals: seals.slice(1) });
    expect(problem).toBe('The seals before number 3 are missing, and no checkpoint says that they expired.');
  });

  test('an older copy is said, and no problem', async () => {
    const { entries, seals } = storedTrail([2, 1]);
    const { n, mac, to } = opened(seals[1]) as Seal;
    const content = {
      kind: 'older copy',
      ...nextPlace(opened(seals[0])),
      at: 2,
      lost: { n, mac, to },
    } as const;
    const copy = {
      entries: entries.slice(0, 2),
      seals: [...seals.slice(0, 1), closeSeal(key, trail, content)],
    };
    const found = await verify(copy);
    expect(found.problem).toBeUndefined();
    expect(found.notes[0]).toMatch(/through the former seal 2 was gone: an older copy of Redis was restored/);
  });
});
