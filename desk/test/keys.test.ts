import { describe, expect, test } from 'vitest';
import { commandOf, type Place, type Press } from '../src/keys.ts';

const noModifier = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
const nowhere: Place = { isTyping: false, isOnControl: false, isAsking: false, isZoomed: false };
const press = (key: string, more: Partial<Press & Place> = {}) =>
  commandOf({ key, code: '', repeat: false, ...noModifier, ...more }, { ...nowhere, ...more });

describe('the keys', () => {
  test.each([
    ['o', 'ok'],
    ['O', 'ok'],
    ['n', 'nok'],
    ['r', 'revise'],
    ['u', 'undo'],
    ['j', 'next'],
    ['k', 'previous'],
    ['x', 'select'],
    ['t', 'take'],
    ['a', 'assign'],
    ['m', 'note'],
    ['z', 'zoom'],
    ['+', 'zoom-in'],
    ['=', 'zoom-in'],
    ['-', 'zoom-out'],
    [' ', 'picture'],
    ['/', 'search'],
    ['?', 'keys'],
    ['Escape', 'close'],
  ])('%s stands for %s', (key, command) => {
    expect(press(key)).toBe(command);
  });

  test('none acts while text is typed, but Escape', () => {
    const typing = { isTyping: true, isAsking: true };
    expect(['o', 'n', '1', '/', ' ', 'Enter', 'Tab'].map((key) => press(key, typing))).toEqual(
      Array.from({ length: 7 }),
    );
    expect(press('Escape', typing)).toBe('close');
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
    expect(press('j', held)).toBe('next');
    expect(press('ArrowUp', { repeat: true, isZoomed: true })).toBe('pan-up');
  });

  test('digits choose a reason only where one is asked for', () => {
    expect(press('3', { isAsking: true })).toBe('choose-3');
    expect(press('3')).toBeUndefined();
  });

  test('Enter, Space and Tab belong to a button that has the focus', () => {
    const onButton = { isOnControl: true, isAsking: true };
    expect(['Enter', ' ', 'Tab'].map((key) => press(key, onButton))).toEqual(Array.from({ length: 3 }));
    expect(press('Enter', { isAsking: true })).toBe('send');
    expect(press('Tab', { isAsking: true })).toBe('edit');
    expect(press('Tab', { isAsking: true, shiftKey: true })).toBeUndefined();
  });

  test('arrows pan only what is zoomed', () => {
    expect(press('ArrowLeft')).toBeUndefined();
    expect(press('ArrowLeft', { isZoomed: true })).toBe('pan-left');
  });

  test('Shift+X unselects, and a letter is found by its place on keyboards of other alphabets', () => {
    expect(press('X', { shiftKey: true })).toBe('unselect');
    expect(press('щ', { code: 'KeyO' })).toBe('ok');
    expect(press('ξ', { code: 'KeyJ' })).toBe('next');
  });
});
