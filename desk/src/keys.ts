/** The keys, as they are explained, and what each does. */
export const keys = [
  ['Rate', 'O', 'ok', 'OK, then the next task'],
  ['Rate', 'N', 'nok', 'NOK: shows the reason first'],
  ['Rate', 'R', 'revise', 'Request a revision: shows the reason first'],
  ['Rate', '1–9', 'choose', 'Choose a saved reason; 0 is your own text'],
  ['Rate', 'Tab', 'edit', 'Edit the reason'],
  ['Rate', 'Enter', 'send', 'Send; Shift+Enter starts a new line'],
  ['Rate', 'Esc', 'close', 'Close; your text is kept'],
  ['Rate', 'U', 'undo', 'Undo what you pressed last'],
  ['Move', 'J', 'next', 'Next task'],
  ['Move', 'K', 'previous', 'Previous task'],
  ['Move', 'X', 'select', 'Select and go on: O, N or R then rate all selected tasks'],
  ['Move', '⇧ X', 'unselect', 'Unselect'],
  ['Move', '/', 'search', 'Search the queue'],
  ['Pictures', 'Z', 'zoom', 'Zoom in and out'],
  ['Pictures', '+', 'zoom-in', 'Zoom in a little'],
  ['Pictures', '-', 'zoom-out', 'Zoom out a little'],
  ['Pictures', '← →', 'pan', 'Move a zoomed picture, also up and down'],
  ['Pictures', 'Space', 'picture', 'Next picture'],
  ['Task', 'T', 'take', 'Take the task, or release it'],
  ['Task', 'A', 'assign', 'Assign the task'],
  ['Task', 'M', 'note', 'Write a note'],
  ['Task', '?', 'keys', 'Show all keys'],
] as const;

const arrows = {
  ArrowLeft: 'pan-left',
  ArrowRight: 'pan-right',
  ArrowUp: 'pan-up',
  ArrowDown: 'pan-down',
} as const;

/** What a key or a button stands for. */
export type Command =
  | Exclude<(typeof keys)[number][2], 'choose' | 'pan'>
  | (typeof arrows)[keyof typeof arrows]
  | `choose-${number}`;

/** A pressed key. */
export type Press = Pick<
  KeyboardEvent,
  'key' | 'code' | 'repeat' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
>;

/** Where it is pressed. */
export interface Place {
  /** A text field has the focus: letters are text. */
  readonly isTyping: boolean;
  /** A button, link or field has the focus, which Enter and Space press. */
  readonly isOnControl: boolean;
  /** A reason or a confirmation is open below the task. */
  readonly isAsking: boolean;
  readonly isZoomed: boolean;
}

const commands = new Map<string, Command>(
  keys.flatMap(([, key, command]) =>
    key.length === 1 && command !== 'choose' && command !== 'pan' ? [[key, command]] : [],
  ),
);
const mayRepeat = /^(?:next|previous|zoom-|pan-)/;

/** Returns what a pressed key does; undefined if it is the browser's. A key that is held down decides nothing. */
export function commandOf(press: Press, place: Place): Command | undefined {
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  const command = unrepeated(press, place);
  return command !== undefined && press.repeat && !mayRepeat.test(command) ? undefined : command;
}

function unrepeated({ key, code, shiftKey }: Press, place: Place): Command | undefined {
  const { isTyping, isOnControl, isAsking, isZoomed } = place;
  if (key === 'Escape') return 'close';
  if (isTyping) return undefined;
  if (key === 'Enter') return isAsking && !isOnControl ? 'send' : undefined;
  if (key === 'Tab') return isAsking && !isOnControl && !shiftKey ? 'edit' : undefined;
  if (key === ' ') return isOnControl ? undefined : 'picture';
  if (isAsking && /^\d$/.test(key)) return `choose-${Number(key)}`;
  const arrow = isZoomed ? (arrows as Record<string, Command>)[key] : undefined;
  const sign = key === '=' ? '+' : key;
  // With another alphabet, the key at the letter's place.
  const letter = key.length === 1 && key > '~' ? code.replace('Key', '') : sign.toUpperCase();
  const command = arrow ?? commands.get(letter);
  return command === 'select' && shiftKey ? 'unselect' : command;
}
