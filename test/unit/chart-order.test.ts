import { expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';

/** Returns the names of the segments or series of every chart in a message. */
function seriesIn(value: unknown): string[][] {
  if (Array.isArray(value)) return value.flatMap(seriesIn);
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && value.type === 'data_visualization' && 'chart' in value) {
    const { segments, series } = value.chart as {
      segments?: { label: string }[];
      series?: { name: string }[];
    };
    return [[...(segments ?? []).map(({ label }) => label), ...(series ?? []).map(({ name }) => name)]];
  }
  return Object.values(value).flatMap(seriesIn);
}

test('every chart of ratings has them in the order in which Slack draws NOK orange and OK green', () => {
  const charts = entries.flatMap(({ make }) => seriesIn(make())).filter((names) => names.includes('OK'));
  expect(charts.length).toBeGreaterThan(3);
  for (const names of charts) {
    if (names.includes('NOK')) expect(names[0]).toBe('NOK');
    expect(names.indexOf('OK')).toBe(
      names.filter((name) => /^(NOK|REVISE|Sent back|Revision requested)$/.test(name)).length,
    );
  }
});
