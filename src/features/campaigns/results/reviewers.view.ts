import { verdicts } from '../../../domain/terms.ts';
import { type Message, section } from '../../../slack/blocks.ts';
import { chart, chartedRatings } from '../../../slack/chart.ts';
import { cut, limits } from '../../../slack/limits.ts';
import { plain, user } from '../../../slack/mrkdwn.ts';
import { count, counted } from '../figures.ts';
import type { Reviewer } from './results-figures.ts';

/** Maximum number of reviewers listed by name; a larger chart would be unreadable. */
export const reviewersShown = 20;
const reviewersCharted = 8;
/** Slack's limit for the labels of a chart. */
const labelRoom = 20;

export interface ReviewersOf {
  /** At least one; most decisions first. */
  readonly reviewers: readonly Reviewer[];
  /** Display names of the first reviewers. */
  readonly names: readonly string[];
  /** Whether to omit charts, because Slack refused them. */
  readonly isPlain?: boolean;
}

/**
 * Renders the decisions per reviewer, as a chart and in words. A separate message, because the statistics already have
 * the maximum number of charts.
 */
export function reviewersMessage({ reviewers, names, isPlain = false }: ReviewersOf): Message {
  const shown = reviewers.slice(0, reviewersShown);
  const rest = reviewers.slice(reviewersShown);
  const heading = '*Decisions made here, by reviewer*';
  const lines = [
    ...shown.map(({ member, decisions, all }) => {
      const parts = verdicts.map((verdict) => `${verdict} ${count(decisions[verdict])}`);
      return `${user(member)}: ${counted(all, 'decision')} (${parts.join(', ')})`;
    }),
    ...(rest.length > 0
      ? [`${counted(rest.length, 'other')}: ${counted(sum(rest.map(({ all }) => all)), 'decision')}`]
      : []),
  ];
  const words = [heading, ...lines].join('\n');
  return {
    text: cut(plain(words), limits.fallbackText),
    blocks: [section(words), ...(isPlain ? [] : [drawn(shown.slice(0, reviewersCharted), names)])],
  };
}

function drawn(reviewers: readonly Reviewer[], names: readonly string[]) {
  const labels = unlike(reviewers.map(({ member }, index) => names[index] ?? member));
  return chart('Decisions by reviewer', {
    type: 'bar',
    series: chartedRatings.map((verdict) => ({
      name: verdict,
      data: reviewers.map(({ decisions }, index) => ({
        label: labels[index] ?? '',
        value: decisions[verdict],
      })),
    })),
    axis_config: { categories: labels, x_label: 'Reviewer', y_label: 'Decisions' },
  });
}

/** Truncates names to the length of labels, and numbers duplicates. */
function unlike(names: readonly string[]): string[] {
  const labels: string[] = [];
  for (const name of names) {
    let label = cut(name, labelRoom);
    for (let next = 2; labels.includes(label); next++) label = `${cut(name, labelRoom - 3)} ${next}`;
    labels.push(label);
  }
  return labels;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
