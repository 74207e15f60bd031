import { useEffect, useRef } from 'react';
import type { Channel } from '../model.ts';
import type { Location } from './use-address.ts';

/** What the page's keyboard shortcuts need. */
interface Keys {
  /** The channels in the order of the sidebar, and the open one. */
  readonly channels: readonly Channel[];
  readonly here: string | undefined;
  isUnread(channel: Channel): boolean;
  go(location: Location): void;
  openPalette(): void;
  /** Closes the panel beside the channel. Returns false if none is open. */
  escape(): boolean;
}

/**
 * Listens for Slack's shortcuts on the whole page: Ctrl K and Ctrl G search, Alt ↑ and ↓ change the channel (with Shift
 * only to unread ones), F6 moves between regions, Escape closes the panel beside the channel.
 */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      // Dialogs handle their own keys.
      if (event.defaultPrevented || document.querySelector('.overlay:not([hidden])')) return;
      if (handle(event, latest.current)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

function handle(event: KeyboardEvent, keys: Keys): boolean {
  const command = event.ctrlKey || event.metaKey;
  if (command && ['k', 'g'].includes(event.key.toLowerCase())) {
    keys.openPalette();
    return true;
  }
  if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
    const next = neighbor(keys, event.key === 'ArrowUp' ? -1 : 1, event.shiftKey);
    if (next) keys.go({ channel: next.id });
    return true;
  }
  if (event.key === 'F6') {
    focusRegion(event.shiftKey ? -1 : 1);
    return true;
  }
  return event.key === 'Escape' && keys.escape();
}

function neighbor(
  { channels, here, isUnread }: Keys,
  step: number,
  onlyUnread: boolean,
): Channel | undefined {
  const at = channels.findIndex(({ id }) => id === here);
  const count = channels.length;
  for (let distance = 1; distance <= count; distance += 1) {
    const channel = channels[(((at + step * distance) % count) + count) % count];
    if (channel && (!onlyUnread || isUnread(channel))) return channel;
  }
  return undefined;
}

/** Moves to the page's next visible region, and focuses the element there that people would use first. */
function focusRegion(step: number): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(
    (region) => region.getClientRects().length > 0,
  );
  const inner = regions.filter(
    (region) => !regions.some((other) => other !== region && region.contains(other)),
  );
  const at = inner.findIndex((region) => region.contains(document.activeElement));
  const next = inner[(at + step + inner.length) % inner.length];
  const target = next?.matches('[tabindex="0"]')
    ? next
    : (next?.querySelector<HTMLElement>('[aria-current]') ??
      next?.querySelector<HTMLElement>('textarea') ??
      next?.querySelector<HTMLElement>('button'));
  target?.focus();
}
