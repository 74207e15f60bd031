import type { ReactNode } from 'react';

const hues = [340, 25, 160, 200, 265, 300];

/** Renders a square with the first letter of a name, in a color derived from the name. */
export function Avatar({ name, bot = false }: { name: string; bot?: boolean }): ReactNode {
  const hue = hues[[...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % hues.length];
  const background = bot ? '#1b6d85' : `hsl(${hue} 45% 42%)`;
  return (
    <span className={bot ? 'avatar bot' : 'avatar'} aria-hidden="true" style={{ background }}>
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
