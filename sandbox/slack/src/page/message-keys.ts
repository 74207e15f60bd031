import type { KeyboardEvent } from 'react';

/** The keys that act on the focused message, with the toolbar button that each presses. */
const tools: Readonly<Record<string, string>> = {
  r: 'react',
  t: 'thread',
  e: 'edit',
  a: 'save',
  u: 'unread',
};

/**
 * Moves between messages and acts on them with Slack's keys: arrows, Home and End; R reacts, T opens the thread, E
 * edits, A saves, U marks as unread. Ignores keys typed into a field or pressed on a control.
 * @param show scrolls to the message at an index
 */
export function onMessageKey(event: KeyboardEvent<HTMLElement>, show: (index: number) => void): void {
  const list = event.currentTarget;
  const at = event.target as HTMLElement;
  const isMessage = at.matches('article');
  if ((!isMessage && at !== list) || event.ctrlKey || event.metaKey || event.altKey) return;
  const messages = [...list.querySelectorAll<HTMLElement>('article')];
  const here = messages.indexOf(at);
  if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
    event.preventDefault();
    const step = event.key === 'ArrowUp' ? -1 : 1;
    // From the list itself, goes to the newest message, or with ArrowDown to the first rendered one.
    const next = isMessage ? messages[here + step] : step < 0 ? messages.at(-1) : messages[0];
    focusMessage(next, show);
  } else if (isMessage && event.key === 'Home') focusMessage(messages[0], show);
  else if (isMessage && event.key === 'End') focusMessage(messages.at(-1), show);
  else if (isMessage && !event.shiftKey) {
    const tool = tools[event.key.toLowerCase()];
    const button = tool && at.querySelector<HTMLElement>(`[data-tool="${tool}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  }
}

function focusMessage(message: HTMLElement | undefined, show: (index: number) => void): void {
  if (message === undefined) return;
  const index = Number(message.closest<HTMLElement>('[data-index]')?.dataset.index);
  if (Number.isInteger(index)) show(index);
  message.focus({ preventScroll: true });
}
