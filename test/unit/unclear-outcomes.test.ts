import { expect, test } from 'vitest';
import { parseIds } from '../../src/slack/form-values.ts';

test('typed ids are taken apart, each once', () => {
  expect(parseIds(' a1, b2;c3\n a\u20601 ')).toEqual({ ids: ['a1', 'b2', 'c3'] });
});

test.each([
  ['', /at least one/],
  [' ,;\n', /at least one/],
  ['a ALL b', /not an id/],
  [Array.from({ length: 101 }, (_, index) => index).join(' '), /101 ids/],
])('typed ids %j is refused', (text, problem) => {
  const read = parseIds(text);
  expect('problem' in read && read.problem).toMatch(problem);
});
