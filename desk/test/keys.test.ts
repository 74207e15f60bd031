import { describe, expect, test } from 'vitest';
import { keyOf, type Place, type Press } from '../src/keys.ts';

const noModifier = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
const nowhere: Place = { isTyping: false, isOnControl: false, isAsking: false };
const press = (key: string, more: Partial<Press & Place> = {}) =>
  keyOf({ key, code: '', repeat: false, ...noModifier, ...more }, { ...nowhere, ...more });

describe('the keys', () => {
  test.each([
    ['o', 'O'],
    ['O', 'O'],
    ['x', 'X'],
    ['+', '+'],
    ['=', '+'],
    ['-', '-'],
    [' ', 'Space'],
    ['/', '/'],
    ['?', '?'],
    ['Escape', 'Esc'],
  ])('%s stands for %s', (key, command) => {
    expect(press(key)).toBe(command);
  });

  test('each letter that is explained acts, and no other', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'].filter((letter) => press(letter) !== undefined);
    expect(letters.join(' ')).toBe('a j k m n o r t u x z');
  });

  test('none acts while text is typed, but Escape', () => {
    const typing = { isTyping: true, isAsking: true };
    expect(['o', 'n', '1', '/', ' ', 'Enter', 'Tab'].map((key) => press(key, typing))).toEqual(
      Array.from({ length: 7 }),
    );
    expect(press('Escape', typing)).toBe('Esc');
  });

  test.each(['ctrlKey', 'metaKey', 'altKey'] as const)('none acts with %s', (modifier) => {
    expect(['o', 'r', 'n', 't', '+'].map((key) => press(key, { [modifier]: true }))).toEqual(
      Array.from({ length: 5 }),
    );
  });

  test('one that is held down moves and zooms, but decides nothing', () => {
    const held = { repeat: true, isAsking: true };
    expect(['o', 'n', 'r', 'x', 'u', 't', 'Enter', '1'].map((key) => press(key, held))).toEqual(
      Array.from({ length: 8 }),
    );
    expect(press('j', held)).toBe('J');
  });

  test('digits choose a reason only where one is asked for', () => {
    expect(press('3', { isAsking: true })).toBe('3');
    expect(press('3')).toBeUndefined();
  });

  test('Enter, Space and Tab belong to a button that has the focus', () => {
    const onButton = { isOnControl: true, isAsking: true };
    expect(['Enter', ' ', 'Tab'].map((key) => press(key, onButton))).toEqual(Array.from({ length: 3 }));
    expect(press('Enter', { isAsking: true })).toBe('Enter');
    expect(press('Tab', { isAsking: true })).toBe('Tab');
    expect(press('Tab', { isAsking: true, shiftKey: true })).toBeUndefined();
  });

  test('a letter is found by its place on keyboards of other alphabets', () => {
    expect(press('O', { shiftKey: true })).toBe('⇧O');
    expect(press('щ', { code: 'KeyO' })).toBe('O');
    expect(press('ξ', { code: 'KeyJ' })).toBe('J');
  });
});
