import type { KnownBlock } from '@slack/types';
import { context } from '../../slack/blocks.ts';
import { inline, link } from '../../slack/mrkdwn.ts';

/** A task that a message names, and the link to its card. */
export interface NamedTask {
  readonly campaignTitle: string;
  readonly worker: string;
  readonly card: string;
}

/** Returns a line with the card of each task that a message names. */
export function namedTaskBlocks(named: readonly NamedTask[]): KnownBlock[] {
  return named.map(({ campaignTitle, worker, card }) => {
    const facts = [`About *${inline(campaignTitle, 80)}*`, ...(worker === '' ? [] : [inline(worker, 60)])];
    return context([...facts, link(card, 'Open its card')].join(' · '));
  });
}
