import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  comparedTask,
  countryCode,
  postingsOf,
  quickTravel,
  sharedBy,
} from '../../src/domain/evidence/likeness.ts';
import {
  bandsOf,
  codesIn,
  codesNotGiven,
  compactText,
  comparedText,
  isOnlyInstructions,
  likenessOf,
  linksToCompare,
  normalizeText,
} from '../../src/domain/evidence/texts.ts';
import { networkOf } from '../../src/domain/worker.ts';
import { type Told, toldTask } from '../harness/compared-task.ts';
import { disguises, honestText, seededRandom, textCorpus } from '../harness/text-corpus.ts';
import { forAll } from './properties.ts';

const minute = 60_000;
const nothingCommon = () => false;
const shared = (one: Told, other: Told, isCommon: Parameters<typeof sharedBy>[2] = nothingCommon) =>
  sharedBy(comparedTask(toldTask(one)), comparedTask(toldTask(other)), isCommon);

const greece = { country: 'Greece', at: 0 };

test('a traveler is told within an hour, with both countries', () => {
  const told = { countries: ['EG', 'GR'], minutes: 4 };
  expect(quickTravel(greece, { country: 'EG', at: 4 * minute })).toEqual(told);
  expect(quickTravel({ country: 'Egypt', at: 4 * minute }, greece)).toEqual(told);
  expect(quickTravel(greece, { country: 'Egypt', at: 61 * minute })).toBeUndefined();
});

test('a traveler can be where nobody knows', () => {
  for (const country of ['Atlantis', '', 'ZZ', '  ', '12'])
    expect(quickTravel(greece, { country, at: minute })).toBeUndefined();
  expect(quickTravel(greece, { country: 'Japan' })).toBeUndefined();
});

test('a traveler is in one country, by whichever of its names and codes', () => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  for (const code of ['AE', 'CI', 'CW', 'DE', 'GB', 'KR', 'RS', 'RU', 'TR', 'US', 'XK'])
    expect(countryCode(names.of(code) ?? '')).toBe(code);
  for (const [one, other] of [
    ['UK', 'Great Britain'],
    ['Turkey', 'Türkiye'],
    ['usa', 'United States'],
  ] as const)
    expect(quickTravel({ country: one, at: 0 }, { country: other, at: minute })).toBeUndefined();
});

test('networks are the first 24 bits of an IPv4 address, the first 48 of an IPv6 one', () => {
  expect(networkOf(' 203.0.113.7 ')).toEqual({ address: '203.0.113.7', network: '203.0.113.0/24' });
  expect(networkOf('::ffff:203.0.113.7')).toEqual(networkOf('203.0.113.7'));
  const six = { address: '2001:db8:1:0:0:0:0:7', network: '2001:db8:1::/48' };
  expect(networkOf('2001:db8:1::7')).toEqual(six);
  for (const other of ['', 'unknown', '1.2.3', '1.2.3.4.5', '1.2.3.999'])
    expect(networkOf(other)).toBeUndefined();
});

test('networks are shown of different workers only, the address before its network', () => {
  const at = { ip: '203.0.113.7', worker: 'w1' };
  expect(shared(at, { ip: '203.0.113.7', worker: 'w2' })?.kinds).toEqual(['same-address']);
  expect(shared(at, { ip: '203.0.113.9', worker: 'w2' })?.kinds).toEqual(['same-network']);
  expect(shared(at, { ip: '203.0.114.7', worker: 'w2' })).toBeUndefined();
  expect(shared(at, { ip: '203.0.113.7', worker: 'w1' })).toBeUndefined();
});

test('codes and links are evidence unless they are common', () => {
  const [one, other] = [
    { worker: 'w1', slots: ['code WAY-5518-RV', 'https://a.example/1 shows it'] },
    { worker: 'w2', slots: ['way 5518 rv? no: WAY-5518-RV', 'my photo: https://a.example/1/'] },
  ];
  expect(shared(one, other)?.kinds).toEqual(['same-code', 'same-link']);
  expect(shared(one, other, (kind) => kind === 'code')?.kinds).toEqual(['same-link']);
  expect(shared(one, other, (kind) => kind === 'link')?.kinds).toEqual(['same-code']);
});

test('tasks that have anything in common have a place in the index in common', () => {
  const some = fc.record({
    worker: fc.constantFrom('w1', 'w2', 'w3'),
    ip: fc.constantFrom('', '203.0.113.7', '203.0.113.8', '2001:db8::1'),
    country: fc.constantFrom('GR', 'EG', 'KE'),
    at: fc.constantFrom(0, minute),
    slots: fc.array(
      fc.constantFrom(
        'code WAY-5518-RV',
        'Way-5518-rv it is',
        'https://a.example/1',
        'see HTTPS://a.example/1/ for a photo of the shelf',
        'The chart shows rent twice. After a restart of the app it was correct.',
        'the CHART shows rent twice, after a restart of the app it was correct',
      ),
      { maxLength: 3 },
    ),
  });
  forAll({ numRuns: 500 }, some, some, (a, b) => {
    const [one, other] = [comparedTask(toldTask(a)), comparedTask(toldTask({ ...b, id: 't2' }))];
    const found = sharedBy(one, other, nothingCommon);
    expect(sharedBy(other, one, nothingCommon)).toEqual(found);
    const places = new Set(postingsOf(one).map(({ place }) => place));
    if (found) expect(postingsOf(other).some(({ place }) => places.has(place))).toBe(true);
  });
});

const compared = (text: string) => {
  const found = comparedText(text);
  if (found === undefined) throw new Error('too short');
  return found;
};

test('a text is compared without case, spaces, punctuation, accents, hidden characters and letters that look alike', () => {
  expect(normalizeText('  Ѕоmе  —\u200b "Ｔext"!\u202e ')).toBe('some text');
  expect(compactText('two  cafés, №5')).toBe(['two', 'cafes', 'no5'].join(''));
  expect(normalizeText('𝓗𝓮𝓵𝓵𝓸 ⓦⓞⓡⓛⓓ')).toBe('hello world');
  // Vowel signs are letters of their scripts: without them these would be the same.
  expect(normalizeText('की')).not.toBe(normalizeText('कु'));
});

test('normalizing twice changes nothing, and no disguise of letters is seen', () => {
  const unseen = ['case', 'spaces', 'homoglyphs', 'zero-width', 'full-width'];
  const examples = unseen.map((name, index): [number, string] => [index, name]);
  forAll({ examples }, fc.integer(), fc.constantFrom(...unseen), (seed, name) => {
    const random = seededRandom(seed);
    const text = honestText(random);
    const disguised = disguises[name]?.(text, random) ?? '';
    expect(compactText(disguised)).toBe(compactText(text));
  });
  forAll(fc.string({ unit: 'grapheme' }), (text) => {
    expect(normalizeText(normalizeText(text))).toBe(normalizeText(text));
  });
});

test('whatever is written, likeness is symmetric and a text is the same as itself', () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 30, maxLength: 300 });
  forAll({ numRuns: 300 }, texts, texts, (a, b) => {
    const [one, other] = [comparedText(a), comparedText(b)];
    if (one === undefined || other === undefined) return;
    expect(likenessOf(one, one)).toBe('same');
    expect(likenessOf(one, other)).toBe(likenessOf(other, one));
    if (likenessOf(one, other) === 'same') expect(bandsOf(one)).toEqual(bandsOf(other));
  });
});

test('a text is compared when it is long, and one sentence in five is another, in an order of its own; not when all are', () => {
  const random = seededRandom(3);
  const told = () => Array.from({ length: 10 }, () => honestText(random));
  const sentences = told();
  const likeness = (one: readonly string[], other: readonly string[]) => {
    const [a, b] = [comparedText(one.join(' ')), comparedText(other.join(' '))];
    if (a === undefined || b === undefined) throw new Error('too short');
    return [likenessOf(a, b), likenessOf(b, a)];
  };
  const others = told();
  const copy = sentences.map((sentence, index) => (index % 5 === 0 ? (others[index] ?? '') : sentence));
  expect(likeness(sentences, copy.toReversed())).toEqual(['near', 'near']);
  expect(likeness(sentences, others)).toEqual([undefined, undefined]);
});

test('a text is compared by its beginning, however long it is and whatever is in it', () => {
  const hostile = Array.from({ length: 50_000 }, (_, at) => (at * 48_271).toString(36)).join(' ');
  for (const text of [hostile, hostile.replaceAll('a', 'ａ'), 'word '.repeat(100_000), 'ﷺ'.repeat(50_000)]) {
    expect(compared(text).text.length).toBeLessThanOrEqual(3_000);
    expect(compared(text).shingles.size).toBeLessThan(1_500);
    expect(likenessOf(compared(text), compared(`${text}, and an end of its own`))).toBe('same');
  }
  const long = hostile.slice(0, 2_500);
  expect(likenessOf(compared(long), compared(`${long}, and an end of its own`))).toBe('near');
});

test('a text is not compared when it is too short to say anything', () => {
  expect(comparedText('Done, thanks')).toBeUndefined();
  expect(comparedText('5, 4, 3, 2, 1')).toBeUndefined();
});

// 2 corpora, the second one with seeds that nothing was tuned with.
describe.each([
  ['first', 11],
  ['second', 90_210],
])('near-duplicates in the %s corpus', (_, seed) => {
  const corpus = textCorpus(seed, 1_500, 1_200);
  const texts = corpus.map(({ text }) => comparedText(text));
  const places = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    for (const band of text === undefined ? [] : bandsOf(text)) {
      const found = places.get(band) ?? [];
      found.push(index);
      places.set(band, found);
    }
  }
  const found = new Set<string>();
  for (const together of places.values()) {
    for (const [at, one] of together.entries()) {
      for (const other of together.slice(at + 1)) {
        const [a, b] = [texts[one], texts[other]];
        if (a && b && likenessOf(a, b)) found.add(`${one} ${other}`);
      }
    }
  }
  const sourceOf = (index: number) => corpus[index]?.copyOf ?? index;
  const copies = corpus.flatMap(({ copyOf, disguise }, index) =>
    copyOf === undefined || texts[copyOf] === undefined ? [] : [{ index, copyOf, disguise }],
  );

  test('are found: at least 95 of 100', () => {
    const missed = copies.filter(({ index, copyOf }) => !found.has(`${copyOf} ${index}`));
    const recall = 1 - missed.length / copies.length;
    expect(copies.length).toBeGreaterThan(1_000);
    expect(recall, missed.map(({ disguise }) => disguise).join()).toBeGreaterThanOrEqual(0.95);
  });

  test('and hardly anything else: at least 99 of 100 pairs are copies of one text', () => {
    const right = [...found].filter((pair) => {
      const [one = 0, other = 0] = pair.split(' ').map(Number);
      return sourceOf(one) === sourceOf(other);
    });
    expect(right.length / found.size).toBeGreaterThanOrEqual(0.99);
  });
});

const instructions =
  'Open the survey, answer all nine questions about how you travel to work or school, and copy the code from the last page.';

test('the instructions again are recognized, also in part and disguised', () => {
  const isOnly = (text: string) => isOnlyInstructions(compared(text), instructions);
  expect(isOnly(instructions)).toBe(true);
  expect(isOnly('ANSWER all nine questions, about how you travel!!')).toBe(true);
  expect(isOnly('I opened the survey and answered with the bus, nine times')).toBe(false);
});

test('the instructions again are not what is only a few of their words', () => {
  expect(isOnlyInstructions(compared('the last page is x'), instructions)).toBe(false);
});

test('codes are words with letters and digits, however they are written', () => {
  expect(codesIn(['my code is way-5518-ＲＶ, thanks'])).toEqual(['way5518rv']);
  expect(codesIn(['Order 48213377 of 2026-11-22 at 20261122'])).toEqual(['48213377']);
  expect(codesIn(['TOTAL 11.70, Android 14, Nov2026, A54'])).toEqual([]);
  expect(codesNotGiven(['way5518rv', 'x12345'], 'The code looks like WAY-5518-RV')).toEqual(['x12345']);
  // An address is compared as a link.
  expect(codesIn(['https://example.com/item12345'])).toEqual([]);
});

test('links are compared without what only follows a visit', () => {
  const visited = 'see https://www.Example.com/a/?utm_source=x&b=2&a=1.';
  expect(linksToCompare([visited])).toEqual(['example.com/a?a=1&b=2']);
  expect(linksToCompare(['http://example.com/a?a=1&b=2'])).toEqual(['example.com/a?a=1&b=2']);
});

test('whatever is written, codes and links are few and short work', () => {
  forAll(fc.string({ unit: 'grapheme' }), (text) => {
    expect(codesIn([text, text]).length).toBeLessThanOrEqual(3);
    expect(linksToCompare([text]).length).toBeLessThanOrEqual(3);
  });
});
