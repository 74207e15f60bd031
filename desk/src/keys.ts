import { type Desk, focusOn } from './desk.ts';

type Act = (desk: Desk) => void;

/** The keys: as they are written, what they do in words, and what they do. */
export const keys: readonly (readonly [key: string, does: string, act?: Act])[] = [
  ['O', 'OK, then the next task', ({ deciding }) => deciding.rate('OK')],
  ['⇧O', 'OK for all selected tasks', ({ deciding }) => deciding.rate('OK', true)],
  ['N', 'NOK: shows the reason first', ({ deciding }) => deciding.rate('NOK')],
  ['R', 'Request a revision: shows the reason first', ({ deciding }) => deciding.rate('REVISE')],
  ['1–9', 'Choose a saved reason; 0 is your own text'],
  ['Tab', 'Edit the reason', () => focusOn('reason')],
  ['Enter', 'Send; Shift+Enter starts a new line', ({ deciding }) => deciding.send()],
  ['Esc', 'Close; your text is kept', ({ close }) => close()],
  ['U', 'Undo what you pressed last', ({ deciding }) => deciding.undoLast()],
  ['J', 'Next task', ({ reading }) => reading.next()],
  ['K', 'Previous task', ({ reading }) => reading.previous()],
  ['X', 'Select and go on, or unselect: N, R or ⇧O rate all', ({ deciding }) => deciding.select()],
  ['/', 'Search the queue', () => focusOn('search')],
  ['Z', 'Zoom in and out', ({ zoom }) => zoom()],
  ['+', 'Zoom in a little, as Ctrl and the wheel do', ({ zoom }) => zoom(1.4)],
  ['-', 'Zoom out a little', ({ zoom }) => zoom(1 / 1.4)],
  ['← →', 'Move a zoomed picture, also up and down'],
  ['Space', 'Next picture', ({ nextPicture }) => nextPicture()],
  ['T', 'Take the task, or release it', ({ deciding }) => deciding.take()],
  ['A', 'Assign the task', ({ store }) => store.set({ dialog: 'assign' })],
  ['M', 'Write a note', () => focusOn('note')],
  ['?', 'Show all keys', ({ store }) => store.set({ dialog: 'keys' })],
];

/** A pressed key. */
export type Press = Pick<KeyboardEvent, 'key' | 'code'> & Partial<KeyboardEvent>;

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
  // Whoever writes a reason does not mean OK.
  if (name === 'O') return isAsking ? undefined : shiftKey ? '⇧O' : name;
  return keys.some(([one]) => one === name) ? name : undefined;
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
  else keys.find(([key]) => key === name)?.[2]?.(desk);
}
