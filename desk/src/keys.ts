import { type Desk, focusOn } from './desk.ts';

type Act = (desk: Desk) => void;

/** The keys: a group, the key as it is written, what it does in words, and what it does. */
export const keys: readonly (readonly [group: string, key: string, does: string, act?: Act])[] = [
  ['Rate', 'O', 'OK, then the next task', ({ deciding }) => deciding.rate('OK')],
  ['Rate', '⇧O', 'OK for all selected tasks', ({ deciding }) => deciding.rate('OK', true)],
  ['Rate', 'N', 'NOK: shows the reason first', ({ deciding }) => deciding.rate('NOK')],
  ['Rate', 'R', 'Request a revision: shows the reason first', ({ deciding }) => deciding.rate('REVISE')],
  ['Rate', '1–9', 'Choose a saved reason; 0 is your own text'],
  ['Rate', 'Tab', 'Edit the reason', () => focusOn('reason')],
  ['Rate', 'Enter', 'Send; Shift+Enter starts a new line', ({ deciding }) => deciding.send()],
  ['Rate', 'Esc', 'Close; your text is kept', ({ close }) => close()],
  ['Rate', 'U', 'Undo what you pressed last', ({ deciding }) => deciding.undoLast()],
  ['Move', 'J', 'Next task', ({ reading }) => reading.next()],
  ['Move', 'K', 'Previous task', ({ reading }) => reading.previous()],
  ['Move', 'X', 'Select and go on, or unselect: N, R or ⇧O rate all', ({ deciding }) => deciding.select()],
  ['Move', '/', 'Search the queue', () => focusOn('search')],
  ['Pictures', 'Z', 'Zoom in and out', ({ zoom }) => zoom()],
  ['Pictures', '+', 'Zoom in a little, as Ctrl and the wheel do', ({ zoom }) => zoom(1.4)],
  ['Pictures', '-', 'Zoom out a little', ({ zoom }) => zoom(1 / 1.4)],
  ['Pictures', '← →', 'Move a zoomed picture, also up and down'],
  ['Pictures', 'Space', 'Next picture', ({ nextPicture }) => nextPicture()],
  ['Task', 'T', 'Take the task, or release it', ({ deciding }) => deciding.take()],
  ['Task', 'A', 'Assign the task', ({ store }) => store.set({ dialog: 'assign' })],
  ['Task', 'M', 'Write a note', () => focusOn('note')],
  ['Task', '?', 'Show all keys', ({ store }) => store.set({ dialog: 'keys' })],
];

/** A pressed key. */
export type Press = Pick<
  KeyboardEvent,
  'key' | 'code' | 'repeat' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
>;

/** Where it is pressed. */
export interface Place {
  /** A text field has the focus: letters are text. */
  readonly isTyping: boolean;
  /** A button or link has the focus, which Enter and Space press. */
  readonly isOnControl: boolean;
  /** A reason or a confirmation is open below the task. */
  readonly isAsking: boolean;
}

const named: Readonly<Record<string, string>> = { Escape: 'Esc', ' ': 'Space', '=': '+' };
const mayRepeat = /^[JK+-]$/;

/** Returns the key that a press stands for; undefined if it is the browser's. One that is held down decides nothing. */
export function keyOf(press: Press, { isTyping, isOnControl, isAsking }: Place): string | undefined {
  const { key, code, shiftKey, repeat } = press;
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  // With another alphabet, the letter at the key's place.
  const letter = key.length === 1 && key > '~' ? code.replace('Key', '') : key.toUpperCase();
  const name = named[key] ?? (key.length === 1 ? letter : key);
  if (repeat && !mayRepeat.test(name)) return undefined;
  if (name === 'Esc') return name;
  if (isTyping) return undefined;
  if (name === 'Space') return isOnControl ? undefined : name;
  if (name === 'Enter' || name === 'Tab') return isAsking && !isOnControl && !shiftKey ? name : undefined;
  if (/^\d$/.test(name)) return isAsking ? name : undefined;
  if (name === 'O' && shiftKey) return '⇧O';
  return keys.some(([, one]) => one === name) ? name : undefined;
}

/** Does what is pressed and turned from now on, unless a dialog is open, which has its own keys. */
export function listen(desk: Desk): void {
  window.addEventListener('keydown', (event) => {
    const { asking, dialog } = desk.store.get();
    if (event.isComposing || dialog) return;
    const target = event.target as Element;
    const isOnControl = target.closest('button, a, summary') !== null;
    // A key that is held down would press a button again and again.
    if (isOnControl && event.repeat && /^(?:Enter| )$/.test(event.key)) event.preventDefault();
    const isTyping = target.matches('textarea, select, input');
    const key = keyOf(event, { isTyping, isOnControl, isAsking: asking !== undefined });
    if (key === undefined) return;
    event.preventDefault();
    runKey(desk, key);
  });
  const turned = (event: WheelEvent) => {
    // So do two fingers on a touchpad. Without the key, it scrolls.
    if (!event.ctrlKey || !(event.target as Element).closest('#stage')) return;
    event.preventDefault();
    desk.zoomAt(event, Math.exp(-event.deltaY / 200));
  };
  window.addEventListener('wheel', turned, { passive: false });
}

/** Does what a key does. */
export function runKey(desk: Desk, name: string): void {
  if (/^\d$/.test(name)) desk.deciding.choose(Number(name));
  else keys.find(([, key]) => key === name)?.[3]?.(desk);
}
