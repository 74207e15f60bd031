import type { KnownBlock } from '@slack/types';
import { entries } from '../gallery/entries/index.ts';

/** What is posted of a card. */
export interface SampleCard {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Returns cards as the bot posts them, in their many states; those with uploaded pictures need files that are not there. */
export function sampleCards(): SampleCard[] {
  return entries
    .filter(({ feature }) => feature === 'Cards')
    .map(({ make }) => make())
    .flatMap((drawn) => ('type' in drawn ? [] : [{ text: drawn.text, blocks: drawn.blocks as KnownBlock[] }]))
    .filter(({ blocks }) => !JSON.stringify(blocks).includes('slack_file'));
}
