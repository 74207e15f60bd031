import { type Drawn, type GalleryEntry, type Kind, kindOf } from './entry.ts';

/** An entry as the page receives it. */
export interface DrawnEntry {
  readonly feature: string;
  readonly title: string;
  readonly kind: Kind;
  readonly drawn: Drawn;
}

/** Renders every entry. */
export function drawAll(entries: readonly GalleryEntry[]): DrawnEntry[] {
  return entries.map(({ feature, title, make }) => {
    const drawn = make();
    return { feature, title, kind: kindOf(drawn), drawn };
  });
}
