import { type ReactNode, useEffect } from 'react';

const focusable = 'button, input, textarea, select, a[href]';

/** Identifies a focused control of a message, a modal or the home, so that it can be found after a rerender. */
interface Place {
  readonly control: HTMLElement;
  /** A selector for the control's container. */
  readonly holder: string;
  /** The control's name, and its index among the container's controls. */
  readonly name: string;
  readonly index: number;
}

/**
 * Restores the focus when an app's update removes the focused control, so that keyboard users keep their place. The focus
 * goes to the control of the same name, otherwise to the control in its position, otherwise to the message itself.
 */
export function FocusKeeper(): ReactNode {
  useEffect(() => {
    let last: Place | undefined;
    const onFocus = (event: FocusEvent): void => {
      last = event.target instanceof HTMLElement ? placeOf(event.target) : undefined;
    };
    const onMutation = (): void => {
      if (last === undefined || last.control.isConnected) return;
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      const next = successor(last);
      if (next === undefined) return;
      next.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(onMutation);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', onFocus);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocus);
    };
  }, []);
  return null;
}

function placeOf(control: HTMLElement): Place | undefined {
  const message = control.closest<HTMLElement>('article[data-ts]');
  const dialog = control.closest('dialog');
  const holder = message
    ? `${control.closest('.thread') ? '.thread ' : '.middle '}article[data-ts="${message.dataset.ts}"]`
    : dialog
      ? '.overlay:not([hidden]) > dialog'
      : control.closest('.home')
        ? '.home'
        : undefined;
  if (holder === undefined) return undefined;
  const own = controlsOf(message ?? dialog ?? control.closest('.home')).filter(
    (other) => other.closest('.blocks') && !other.matches('a'),
  );
  return { control, holder, name: nameOf(control), index: Math.max(0, own.indexOf(control)) };
}

function successor({ holder, name, index }: Place): HTMLElement | undefined {
  const found = [...document.querySelectorAll<HTMLElement>(holder)].at(-1);
  if (found === undefined) return undefined;
  const all = controlsOf(found);
  // Links are excluded: Enter would leave the page.
  const own = all.filter((control) => control.closest('.blocks') && !control.matches('a'));
  return all.find((control) => nameOf(control) === name) ?? own[Math.min(index, own.length - 1)] ?? found;
}

function controlsOf(holder: Element | null): HTMLElement[] {
  return [...(holder?.querySelectorAll<HTMLElement>(focusable) ?? [])].filter(
    (control) => control.getClientRects().length > 0,
  );
}

function nameOf(control: HTMLElement): string {
  return control.getAttribute('aria-label') ?? control.textContent ?? '';
}
