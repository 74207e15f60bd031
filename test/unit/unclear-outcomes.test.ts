import { expect, test } from 'vitest';
import { exclusionResultText } from '../../src/features/worker-side/worker-side.view.ts';
import { parseIds } from '../../src/slack/form-values.ts';

test('what came of excluding employers is told as far as it is known', () => {
  const told = (listed: readonly string[]) => exclusionResultText(['e1', 'e2'], new Set(listed));
  expect(told([])).toBe(
    ':warning: Not on the list: e1, e2. The marketplace knows no employers with these ids. Check them.',
  );
  expect(told(['e1'])).toMatch(
    /^:white_check_mark: Now on your exclude list: e1\.\n:warning: Not on the list: e2\. .*knows no employers/,
  );
  expect(told(['e1', 'e2', 'e3'])).toBe(':white_check_mark: Now on your exclude list: e1, e2.');
});

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
