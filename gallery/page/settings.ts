import { useState } from 'react';

export type Width = 'desktop' | 'phone';

const choices = {
  theme: ['system', 'light', 'dark'],
  width: ['both', 'desktop', 'phone'],
} as const;

/** The content and the presentation of the page. */
export interface Settings {
  readonly query: string;
  readonly theme: (typeof choices)['theme'][number];
  readonly width: (typeof choices)['width'][number];
}

/** Returns the settings, which are stored in the page's address: `?query=undo&theme=dark&width=phone`. */
export function useSettings(): [Settings, (change: Partial<Settings>) => void] {
  const [settings, setSettings] = useState(readAddress);
  const change = (some: Partial<Settings>): void => {
    const next = { ...settings, ...some };
    setSettings(next);
    const address = new URL(window.location.href);
    for (const [name, value] of Object.entries(next)) address.searchParams.set(name, value);
    window.history.replaceState(null, '', address);
  };
  return [settings, change];
}

function readAddress(): Settings {
  const params = new URLSearchParams(window.location.search);
  const chosen = <Value extends string>(name: string, known: readonly [Value, ...Value[]]): Value =>
    known.find((value) => value === params.get(name)) ?? known[0];
  return {
    query: params.get('query') ?? '',
    theme: chosen('theme', choices.theme),
    width: chosen('width', choices.width),
  };
}

export const { theme: themes, width: widths } = choices;

/** Returns an anchor: `Cards`, `Rated OK` → `cards-rated-ok`. */
export function idOf(...names: readonly string[]): string {
  return names
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}
