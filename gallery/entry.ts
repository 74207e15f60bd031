import type { HomeView, ModalView } from '@slack/types';
import type { Message } from '../src/slack/blocks.ts';

/** The output of a view: a message, a modal or a home tab. */
export type Drawn = Message | ModalView | HomeView;

/** A function that renders. */
export type View = (...args: never[]) => unknown;

/** One thing that the bot can send, in one state. */
export interface GalleryEntry {
  readonly feature: string;
  readonly title: string;
  /** The view functions that this entry shows. */
  readonly covers: readonly View[];
  /** Renders it from sample data. */
  readonly make: () => Drawn;
}

export type Kind = 'message' | 'modal' | 'home';

export function kindOf(drawn: Drawn): Kind {
  return 'type' in drawn ? drawn.type : 'message';
}

/**
 * Returns the entries of one view, one per state.
 * @param covered the view, or several views if one is rendered through another
 * @param states how to render each state, by its title
 */
export function entriesOf(
  feature: string,
  covered: View | readonly View[],
  states: Readonly<Record<string, () => Drawn>>,
): GalleryEntry[] {
  const covers = typeof covered === 'function' ? [covered] : covered;
  return Object.entries(states).map(([title, make]) => ({ feature, title, covers, make }));
}
