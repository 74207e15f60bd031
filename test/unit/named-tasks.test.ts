import { expect, test } from 'vitest';
import { idsIn } from '../../src/features/inbox/index.ts';

test('words with a digit may be ids of tasks, as they are written and in lower case', () => {
  expect(idsIn('My task 7F3A9B was refused, twice; see 7f-12.')).toEqual(['7F3A9B', '7f3a9b', '7f-12']);
  expect(idsIn('Why was I refused? I did everything right.')).toEqual([]);
});

test('a message of any length has at most forty of them looked up', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `id${index}`);
  expect(idsIn(words.join(' '))).toHaveLength(40);
});
