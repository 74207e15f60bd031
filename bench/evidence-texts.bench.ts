import { bandsOf, comparedText, likenessOf } from '../src/domain/evidence/similarity.ts';
import { textCorpus } from '../test/harness/text-corpus.ts';
import { isQuick, report } from './report.ts';

// Measures how many near-duplicate texts are found, in two corpora. The second one was not used for tuning.

for (const [name, seed] of [
  ['first corpus', 11],
  ['second corpus', 90_210],
] as const) {
  const corpus = textCorpus(seed, isQuick ? 1_000 : 5_000, isQuick ? 600 : 3_000);
  const texts = corpus.map(({ text }) => comparedText(text));
  const places = new Map<string, number[]>();
  const found = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue;
    for (const band of bandsOf(text)) {
      const there = places.get(band.join()) ?? [];
      for (const other of there) {
        const against = texts[other];
        if (against && likenessOf(text, against)) found.add(`${other} ${index}`);
      }
      places.set(band.join(), [...there, index]);
    }
  }
  const sourceOf = (index: number) => corpus[index]?.copyOf ?? index;
  const copies = corpus.flatMap(({ copyOf }, index) =>
    copyOf === undefined || texts[copyOf] === undefined ? [] : [`${copyOf} ${index}`],
  );
  const right = [...found].filter((pair) => {
    const [one = 0, other = 0] = pair.split(' ').map(Number);
    return sourceOf(one) === sourceOf(other);
  });
  report({
    what: `Near-duplicate texts, ${name}: recall`,
    against: 'copies under 12 disguises',
    value: copies.filter((copy) => found.has(copy)).length / copies.length,
    least: 0.95,
  });
  report({
    what: `Near-duplicate texts, ${name}: precision`,
    against: 'texts of honest workers',
    value: right.length / found.size,
    least: 0.99,
  });
}
