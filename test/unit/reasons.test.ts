import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  byUse,
  fillReason,
  isReasonUsed,
  lengthOf,
  longestFilled,
  maxComment,
  maxReasonName,
  placeholders,
  type SavedReason,
  startingReasons,
  unknownPlaceholders,
  withReason,
} from '../../src/domain/reason.ts';
import type { MemberId } from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';
import { forAll } from './properties.ts';

const values = { worker: 'Amina', campaign: 'Photo of a shelf', asked: 'A photo', deadline: 'May 2' };
const names = Object.keys(placeholders);
const anyText = fc.string({ unit: 'grapheme', maxLength: 40 });
const placeholder = fc.constantFrom(...names).map((name) => `{${name}}`);
const anyReason = fc.array(fc.oneof(anyText, placeholder), { maxLength: 6 }).map((parts) => parts.join(' '));

test('the placeholders of a reason are filled in, however they are written', () => {
  expect(fillReason('{worker}: {Campaign}, { asked }, {DEADLINE}.', values)).toBe(
    'Amina: Photo of a shelf, A photo, May 2.',
  );
});

test('a value is text, whatever it has in braces or dollars', () => {
  forAll({ examples: [['worker', '{asked}']] }, fc.constantFrom(...names), anyText, (name, text) => {
    const odd = `${text}{worker}$&`;
    const all = { worker: odd, campaign: odd, asked: odd, deadline: odd };
    const most = placeholders[name as keyof typeof placeholders];
    fc.pre(lengthOf(odd) <= most);
    expect(fillReason(`a {${name}} b`, all)).toBe(`a ${odd} b`);
  });
});

test('the placeholders of a reason never make a text longer than was said when it was saved', () => {
  const long = 'x'.repeat(5_000);
  const all = { worker: long, campaign: long, asked: long, deadline: long };
  forAll(anyReason, (reason) => {
    expect(lengthOf(fillReason(reason, all))).toBe(longestFilled(reason));
    expect(lengthOf(fillReason(reason, values))).toBeLessThanOrEqual(longestFilled(reason));
  });
});

test('the placeholders of a reason that stand for nothing are named', () => {
  expect(unknownPlaceholders('{worker} {name} { x } {} {a b}')).toEqual(['{name}', '{ x }']);
});

test('choosing a reason loses nothing that was typed, and leaves one reason', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const words = fc.array(word, { maxLength: 5 });
  const choices = fc.array(word, { minLength: 1, maxLength: 4 });
  forAll(words, choices, (typed, picks) => {
    const reasons = picks.map((pick, index) => `REASON ${index} ${pick}.`);
    let [comment, before] = [typed.join(' '), ''];
    for (const reason of reasons) {
      comment = withReason(comment, reasons, reason, before);
      before = reason;
    }
    expect(comment.match(/REASON/g)).toHaveLength(1);
    expect(comment).toContain(before);
    expect(comment.replace(before, '').trim()).toBe(typed.join(' '));
  });
});

test('choosing a reason after an edit of the one before follows it', () => {
  expect(withReason('Too dark, sadly.', ['Too dark.'], 'Too small.', 'Too dark.')).toBe(
    'Too dark, sadly.\n\nToo small.',
  );
});

test('choosing a reason replaces an unedited saved reason that was filled in by another form', () => {
  expect(withReason('Hello.\n\nToo dark.\nBye.', ['Too dark.', 'Too small.'], 'Too small.')).toBe(
    'Hello.\n\nToo small.\nBye.',
  );
  expect(withReason('Too dark.', [' Too dark.\n'], 'Too small.')).toBe('Too small.');
});

test('choosing a reason keeps own words that a saved reason happens to contain', () => {
  expect(withReason('The picture is too dark for me.', ['too dark'], 'Too small.')).toBe(
    'The picture is too dark for me.\n\nToo small.',
  );
});

test('choosing a reason counts as used as long as half of its words are left', () => {
  expect(isReasonUsed('The picture is too dark.', 'The picture is too dark.')).toBe(true);
  expect(isReasonUsed('The picture is too dark.', 'Sorry, the PICTURE is really dark')).toBe(true);
  expect(isReasonUsed('The picture is too dark.', 'Wrong shop')).toBe(false);
  expect(isReasonUsed('', 'Wrong shop')).toBe(false);
});

test('the starting set has reasons for NOK and REVISE that fit every form', () => {
  for (const verdict of ['NOK', 'REVISE'])
    expect(startingReasons.filter((one) => one.verdict === verdict).length).toBeGreaterThanOrEqual(6);
  expect(new Set(startingReasons.map(({ id }) => id)).size).toBe(startingReasons.length);
  for (const { name, text } of startingReasons) {
    expect(lengthOf(name)).toBeLessThanOrEqual(maxReasonName);
    expect(longestFilled(text)).toBeLessThanOrEqual(maxComment);
    expect(unknownPlaceholders(text)).toEqual([]);
  }
});

test('the starting set keeps the house voice', () => {
  for (const { text } of startingReasons) expect(text).not.toMatch(/!|\bsorry\b|\bu\b/i);
});

test('the reasons used most come first, then those of the campaign, then members’ own, the oldest first', () => {
  const reason = (id: string, uses: number, more: Partial<SavedReason> = {}): SavedReason => ({
    ...{ id, verdict: 'NOK', name: id, text: id, uses, ...more },
  });
  const own = { by: asId<MemberId>('U1') };
  const inOrder = [
    reason('used', 3),
    reason('of the campaign', 1, { ...own, campaign: asId('c1'), at: 9 }),
    reason('own', 1, { ...own, at: 7 }),
    reason('newer', 1, { ...own, at: 8 }),
    reason('start', 1),
  ];
  forAll(fc.shuffledSubarray(inOrder, { minLength: inOrder.length }), (all) => {
    expect([...all].sort(byUse)).toEqual(inOrder);
  });
});
