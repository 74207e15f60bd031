import { useState } from 'react';
import type { SandboxState } from '../model.ts';
import { messageAt } from './message-link.ts';

/** What the middle of the page shows: a channel by its id, the app's home, or the saved messages. */
export type Location = { channel: string; message?: string | undefined } | 'home' | 'saved';

/**
 * Stores the current person and location in the page's address: `?as=U02BEN&channel=C01REVIEW`. With `&message=<ts>`, the
 * page scrolls to a message of the channel.
 */
export function useAddress(state: SandboxState) {
  const params = new URLSearchParams(window.location.search);
  const [as, setAs] = useState(() => {
    const people = state.users.filter((user) => !user.is_bot);
    return (people.find(({ id }) => id === params.get('as')) ?? people[0])?.id ?? '';
  });
  const [location, setLocation] = useState<Location>(() => {
    const wanted = params.get('channel');
    if (wanted === 'home' || wanted === 'saved') return wanted;
    const known = state.channels.find(({ id }) => id === wanted) ?? state.channels[0];
    return { channel: known?.id ?? '', message: params.get('message') ?? undefined };
  });
  return {
    as,
    location,
    setAs: (user: string) => {
      remember({ as: user });
      setAs(user);
    },
    setLocation: (next: Location) => {
      const isPlace = typeof next !== 'string';
      remember({ channel: isPlace ? next.channel : next, message: isPlace ? next.message : undefined });
      setLocation(next);
    },
  };
}

/** Returns the address of this page with changed parameters. */
export function addressWith(changes: Readonly<Record<string, string | undefined>>): URL {
  const next = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  return next;
}

/** Returns the address in this page of a link to a message of the workspace; undefined for other links. */
export function addressHere(url: string): string | undefined {
  const at = URL.canParse(url) ? messageAt(url) : undefined;
  return at && addressWith(at).href;
}

/** Opens a link: a message of the workspace in this page, everything else in another one. */
export function openLink(url: string): void {
  const here = addressHere(url);
  if (here) window.location.href = here;
  else window.open(url, '_blank', 'noopener');
}

function remember(changes: Readonly<Record<string, string | undefined>>): void {
  window.history.replaceState(null, '', addressWith(changes));
}
