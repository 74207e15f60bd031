import { expect, test } from 'vitest';
import { idsIn } from '../../src/features/inbox/index.ts';

test('words with a digit may be ids of tasks, as they are written and in lower case', () => {
  const longest = 'f1'.repeat(32);
  expect(idsIn(`7F3A9B was refused, twice; see 7f-12, a1b, not a1, ${longest}, ${longest}0.`)).toEqual([
    ...['7F3A9B', '7f3a9b', '7f-12', 'a1b', longest],
  ]);
  expect(idsIn('Why was I refused? I did everything right.')).toEqual([]);
});

test('a message of any length has at most forty of them looked up', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `id${index}`);
  expect(idsIn(words.join(' '))).toHaveLength(40);
  expect(idsIn(`a10${' '.repeat(19_994)}a11 a12`)).toEqual(['a10', 'a11']);
});
