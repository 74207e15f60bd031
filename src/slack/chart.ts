import type { KnownBlock } from '@slack/types';

/** Returns a chart. Slack knows this block; its package of types does not yet. */
export function chart(name: string, drawing: Readonly<Record<string, unknown>>): KnownBlock {
  return { type: 'data_visualization', title: name, chart: drawing } as unknown as KnownBlock;
}
