import { expect, test } from 'vitest';
import { trashResultText } from '../../src/features/inbox/inbox.view.ts';
import { exclusionResultText } from '../../src/features/worker-side/worker-side.view.ts';
import { changeResultText } from '../../src/features/workers/workers.view.ts';
import { parseIds } from '../../src/slack/form-values.ts';

test('messages of which nobody knows are told apart from those that were not moved', () => {
  const refused = { subject: 'One', sentence: 'The marketplace could not.', isUnsure: false };
  const unsure = { subject: 'Two', sentence: 'The marketplace gave no answer.', isUnsure: true };
  const notKnown =
    ':warning: It is unclear whether these were moved, since the marketplace gave no clear answer: “Two”. Check their folder, and move those still there again.';
  expect(trashResultText(0, [unsure])).toBe(notKnown);
  expect(trashResultText(2, [unsure])).toBe(`:white_check_mark: 2 messages moved to the trash.\n${notKnown}`);
  expect(trashResultText(0, [unsure, refused])).toBe(
    `:warning: 1 message not moved:\n• “One”: The marketplace could not.\n${notKnown}`,
  );
  expect(trashResultText(1, [unsure, refused])).toBe(
    `:warning: 1 message moved to the trash, 1 not:\n• “One”: The marketplace could not.\n${notKnown}`,
  );
  const many = Array.from({ length: 30 }, () => [refused, unsure]).flat();
  const told = trashResultText(0, many);
  expect(told).toMatch(/and 22 more\n.* and 25 more\. Check/);
});

test('what came of excluding employers is told as far as it is known', () => {
  const told = (isAnswered: boolean, listed?: readonly string[]) =>
    exclusionResultText(['e1', 'e2'], listed && new Set(listed), isAnswered);
  expect(told(true, [])).toBe(
    ':warning: Not on the list: e1, e2. The marketplace knows no employers with these ids. Check them.',
  );
  expect(told(true, ['e1'])).toMatch(
    /^:white_check_mark: Now on your exclude list: e1\.\n:warning: Not on the list: e2\. .*knows no employers/,
  );
  // No answer: that they are not on the list does not say that they are unknown.
  expect(told(false, [])).toBe(
    ':warning: Not on the list: e1, e2. The marketplace gave no clear answer, so they may still be added. Check the list in a minute, and try again if they are missing.',
  );
  expect(told(false, ['e1', 'e2', 'e3'])).toBe(':white_check_mark: Now on your exclude list: e1, e2.');
  expect(told(true)).toBe(
    'The marketplace answered, but the list can’t be loaded right now. Open it again in a minute.',
  );
  expect(told(false)).toMatch(
    /^:warning: It is unclear whether these were excluded: e1, e2\..*cannot be loaded right now\..*try again if they are missing\.$/,
  );
});

test('of workers, what was not changed and what is not known are told apart', () => {
  const none = { done: [], already: [], unknown: [], unsure: [], failed: [] };
  const unsure = { ...none, unsure: ['w1', 'w2'] };
  expect(changeResultText({ change: 'exclude', ...unsure })).toBe(
    ':warning: It is unclear whether these were excluded: w1, w2. The marketplace gave no clear answer. Try again: whoever is already on the list stays on it.',
  );
  expect(changeResultText({ change: 'include', ...unsure })).toBe(
    ':warning: It is unclear whether these were removed from the exclude list: w1, w2. The marketplace gave no clear answer. Try again: whoever is already off the list stays off it.',
  );
  const failed = [{ id: 'w1', sentence: 'The marketplace cannot be reached.' }];
  expect(changeResultText({ change: 'exclude', ...none, failed })).toBe(
    ':warning: Not changed: w1. The marketplace cannot be reached.',
  );
});

test('typed ids are taken apart, each once', () => {
  expect(parseIds(' a1, b2;c3\n a\u20601 ')).toEqual({ ids: ['a1', 'b2', 'c3'] });
});

test.each([
  ['', /at least one/],
  [' ,;\n', /at least one/],
  ['a ALL b', /not an id/],
  [`x ${'y'.repeat(101)}`, /too long/],
  [Array.from({ length: 101 }, (_, index) => index).join(' '), /101 ids/],
])('typed ids %j is refused', (text, problem) => {
  const read = parseIds(text);
  expect('problem' in read && read.problem).toMatch(problem);
});
