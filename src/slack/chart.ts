import type { KnownBlock } from '@slack/types';

/**
 * The order of ratings in every chart: Slack gives colors by position, and the first three are orange, blue and green. In a
 * pie, a rating that nobody gave has no segment, and the ones after it move up.
 */
export const chartedRatings = ['NOK', 'REVISE', 'OK'] as const;

/** Returns a chart. Slack supports this block, but its types package does not include it yet. */
export function chart(name: string, drawing: Readonly<Record<string, unknown>>): KnownBlock {
  return { type: 'data_visualization', title: name, chart: drawing } as unknown as KnownBlock;
}
