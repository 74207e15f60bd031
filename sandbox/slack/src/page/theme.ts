import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

/** The person's choice: one of the two themes, or the system's. */
export type ChosenTheme = Theme | 'system';

const storageKey = 'sandbox.theme';

const darkSystem = '(prefers-color-scheme: dark)';

/** Returns the page's current theme: `data-theme` on the root element, otherwise the system's. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return window.matchMedia(darkSystem).matches ? 'dark' : 'light';
}

function subscribe(onChange: () => void): () => void {
  const system = window.matchMedia(darkSystem);
  const attribute = new MutationObserver(onChange);
  system.addEventListener('change', onChange);
  attribute.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', onChange);
    attribute.disconnect();
  };
}

/** Returns the theme that the person has chosen in this browser. */
export function chosenTheme(): ChosenTheme {
  const stored = window.localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Applies a theme and stores the choice in this browser. */
export function chooseTheme(theme: ChosenTheme): void {
  window.localStorage.setItem(storageKey, theme);
  applyChosenTheme();
}

/** Applies the theme that the person has chosen. */
export function applyChosenTheme(): void {
  const theme = chosenTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
