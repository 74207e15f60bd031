import fc from 'fast-check';

/** Texts that break what is careless: of markup, paths, formulas, numbers, names of prototypes, encodings. */
const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '<!channel> <@U01ANN> <https://evil.example|click>',
  '*bold* _it_ ~no~ `code` ```block```',
  '&amp;&lt;script&gt;<script>alert(1)</script>',
  '=HYPERLINK("https://evil.example")',
  '../../../../etc/passwd',
  "'; DROP TABLE tasks; --",
  '%00%0a%0d%zz%',
  '\r\nSet-Cookie: a=b\r\n\r\n',
  '\u202eabc def\u202c',
  '\ud800',
  'x\udfff',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\ufeff\u2028\u2029',
  '9'.repeat(400),
  '-1',
  '1e999',
  'NaN',
  '0x10',
  '1'.repeat(20),
  'null',
  '{"a":1}',
  '{{7*7}}#{7*7}',
  'a'.repeat(5_000),
  '\u{1f600}'.repeat(3_000),
  '('.repeat(2_000),
  `${'a'.repeat(40)}!`.repeat(200),
] as const;

/** One of several, each as often as its weight says. */
export const weighted = <All extends readonly unknown[]>(
  ...all: { readonly [Index in keyof All]: readonly [weight: number, arbitrary: fc.Arbitrary<All[Index]>] }
): fc.Arbitrary<All[number]> => fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Any character, without the halves of pairs: `fc.string` with all of Unicode first lists it, which takes seconds. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));

/** A text of a stranger. */
export const hostileText: fc.Arbitrary<string> = weighted(
  [3, fc.constantFrom(...hostileTexts)],
  [2, fc.array(character, { maxLength: 40 }).map((all) => all.join(''))],
  [2, fc.string({ maxLength: 40 })],
);

const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
};

/** Objects whose own fields have the names of a prototype's, as JSON can have them. */
const prototypes: readonly unknown[] = [
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toString":1,"valueOf":null}',
  '{"length":-1,"0":"a"}',
].map((text) => JSON.parse(text) as unknown);

const oddNumbers = [0, -0, -1, 0.1, 1e308, Number.MAX_SAFE_INTEGER + 2, -1e21];
const oddValues = [null, true, false, ...oddNumbers, [], {}, [null], [[]]];

/** Any value of JSON, most likely of the wrong type. */
export const hostileValue: fc.Arbitrary<unknown> = weighted(
  [4, hostileText],
  [3, fc.constantFrom<unknown>(...oddValues, ...prototypes)],
  [
    1,
    fc.constantFrom(
      nested(500, (inner) => [inner]),
      nested(500, (inner) => ({ a: inner })),
      Array.from({ length: 1_000 }, () => 0),
    ),
  ],
  [2, fc.jsonValue({ maxDepth: 3 })],
);

/** A change at one place of a value of JSON. */
interface Edit {
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'add';
  readonly value: unknown;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add'),
  value: hostileValue,
});

/** Values as they should be, and the same with some places changed: replaced, removed, added to. */
export function mutated<T>(valid: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  const edits = weighted(
    [4, fc.constant<Edit[]>([])],
    [4, fc.array(edit, { minLength: 1, maxLength: 1 })],
    [2, fc.array(edit, { minLength: 2, maxLength: 4 })],
  );
  return fc
    .tuple(valid, edits)
    .map(([value, changes]) => changes.reduce<unknown>(edited, JSON.parse(JSON.stringify(value))));
}

type Place = readonly [holder: Record<string, unknown>, name: string];

function edited(value: unknown, { at, how, value: given }: Edit): unknown {
  // A later edit may change it, and the same value may be given again.
  const instead = structuredClone(given);
  const places = placesIn(value);
  const [holder, name] = places[at % Math.max(places.length, 1)] ?? [];
  if (holder === undefined || name === undefined) return instead;
  if (how === 'remove') delete holder[name];
  else if (how === 'add') set(holder, at % 2 === 0 ? '__proto__' : `extra${at}`, instead);
  else set(holder, name, instead);
  return value;
}

/** Sets an own field, whatever its name. */
function set(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns every place in a value, those of small depth first. */
function placesIn(value: unknown): Place[] {
  const found: Place[] = [];
  let level: unknown[] = [value];
  while (level.length > 0 && found.length < 5_000) {
    const next: unknown[] = [];
    for (const holder of level) {
      if (typeof holder !== 'object' || holder === null) continue;
      for (const [name, inner] of Object.entries(holder)) {
        found.push([holder as Record<string, unknown>, name]);
        next.push(inner);
      }
    }
    level = next;
  }
  return found;
}

/** A text with pieces cut out, doubled or replaced. */
export function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const cut = fc.record({
    from: fc.nat(100_000),
    length: fc.nat(30),
    instead: fc.oneof(hostileText, fc.constantFrom('', '"', ',', '\n', '{', '}', 'null', '1e999')),
  });
  return fc.tuple(text, fc.array(cut, { maxLength: 4 })).map(([whole, cuts]) =>
    cuts.reduce((left, { from, length, instead }) => {
      const at = from % (left.length + 1);
      return left.slice(0, at) + instead + left.slice(at + length);
    }, whole),
  );
}
