import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const darkSystem = '(prefers-color-scheme: dark)';

/** Returns the theme in which the page is shown: `data-theme` on the root element, otherwise the system's. */
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
