import type { KnownBlock } from '@slack/types';

/** Returns a chart. Slack supports this block, but its types package does not include it yet. */
export function chart(name: string, drawing: Readonly<Record<string, unknown>>): KnownBlock {
  return { type: 'data_visualization', title: name, chart: drawing } as unknown as KnownBlock;
}
