import type { Desk } from './desk.ts';
import type { Command } from './keys.ts';
import { nextPicture, pan, toggleZoom, zoom } from './view.ts';

/** By how much of the stage an arrow moves a picture. */
const step = 0.15;

/** Does what a key or a button stands for. */
export function run(desk: Desk, command: Command): void {
  const { store, reading, deciding } = desk;
  const { view } = store.get();
  const look = (to: typeof view) => store.set({ view: to });
  const acts: Record<Exclude<Command, `choose-${number}`>, () => void> = {
    ok: () => deciding.rate('OK'),
    nok: () => deciding.rate('NOK'),
    revise: () => deciding.rate('REVISE'),
    undo: () => deciding.undo(),
    next: reading.next,
    previous: reading.previous,
    select: () => deciding.select(true),
    unselect: () => deciding.select(false),
    take: deciding.take,
    assign: () => store.set({ panel: { kind: 'assign' } }),
    note: () => focusIn('facts', 'note', desk),
    search: () => focusIn('queue', 'search', desk),
    zoom: () => look(toggleZoom(view)),
    'zoom-in': () => look(zoom(view, 1.4)),
    'zoom-out': () => look(zoom(view, 1 / 1.4)),
    picture: () => look(nextPicture(view, desk.files().length)),
    'pan-left': () => look(pan(view, step, 0)),
    'pan-right': () => look(pan(view, -step, 0)),
    'pan-up': () => look(pan(view, 0, step)),
    'pan-down': () => look(pan(view, 0, -step)),
    keys: () => store.set({ panel: { kind: 'keys' } }),
    send: deciding.send,
    edit: () => focusOn('reason'),
    close: () => close(desk),
  };
  if (command.startsWith('choose-')) deciding.choose(Number(command.slice('choose-'.length)));
  else acts[command as keyof typeof acts]();
}

export const focusOn = (id: string) => document.getElementById(id)?.focus({ preventScroll: true });

/** Focuses a field of a column, which on a narrow screen is opened first. */
function focusIn(sheet: 'queue' | 'facts', id: string, { store }: Desk): void {
  store.set({ sheet });
  requestAnimationFrame(() => focusOn(id));
}

/** Returns whether text is typed into an element, or its keys choose something. */
export const isField = (element: Element | null): boolean =>
  element?.matches('textarea, select, input') === true;

/** Closes what is open, one thing after the other. What was typed is kept. */
function close({ store }: Desk): void {
  const { panel, sheet, view } = store.get();
  if (panel) store.set({ panel: undefined });
  else if (sheet) store.set({ sheet: undefined });
  else if (view.scale > 1 && !isField(document.activeElement)) store.set({ view: toggleZoom(view) });
  focusOn('task');
}
