import type { ReactNode } from 'react';

const hues = [340, 25, 160, 200, 265, 300];

/** A square with the first letter of a name, in a color of its own. */
export function Avatar({ name, bot = false }: { name: string; bot?: boolean }): ReactNode {
  const hue = hues[[...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % hues.length];
  const background = bot ? '#4a154b' : `hsl(${hue} 45% 42%)`;
  return (
    <span className="avatar" aria-hidden="true" style={{ background }}>
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
