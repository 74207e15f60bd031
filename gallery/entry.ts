import type { HomeView, ModalView } from '@slack/types';
import type { Message } from '../src/slack/blocks.ts';

/** What a view draws: a message, a modal or a home tab. */
export type Drawn = Message | ModalView | HomeView;

/** A function that draws. */
export type View = (...args: never[]) => unknown;

/** One thing that the bot can send, in one state. */
export interface GalleryEntry {
  readonly feature: string;
  readonly title: string;
  /** The view functions that this entry shows. */
  readonly covers: readonly View[];
  /** Draws it from sample data. */
  readonly make: () => Drawn;
}

export type Kind = 'message' | 'modal' | 'home';

export function kindOf(drawn: Drawn): Kind {
  return 'type' in drawn ? drawn.type : 'message';
}

/**
 * Returns entries of one view, a state each.
 * @param covered the view, or the views where one is drawn by means of another
 * @param states how to draw each state, by its title
 */
export function entriesOf(
  feature: string,
  covered: View | readonly View[],
  states: Readonly<Record<string, () => Drawn>>,
): GalleryEntry[] {
  const covers = typeof covered === 'function' ? [covered] : covered;
  return Object.entries(states).map(([title, make]) => ({ feature, title, covers, make }));
}
