import type { KnownBlock } from '@slack/types';
import { entries } from '../gallery/entries/index.ts';

/** A card as it is posted. */
export interface SampleCard {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Returns cards as the bot posts them, in many states, except those with uploaded pictures, whose files do not exist. */
export function sampleCards(): SampleCard[] {
  return entries
    .filter(({ feature }) => feature === 'Cards')
    .map(({ make }) => make())
    .flatMap((drawn) => ('type' in drawn ? [] : [{ text: drawn.text, blocks: drawn.blocks as KnownBlock[] }]))
    .filter(({ blocks }) => !JSON.stringify(blocks).includes('slack_file'));
}
