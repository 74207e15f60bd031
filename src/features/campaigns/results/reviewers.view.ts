import { verdicts } from '../../../domain/terms.ts';
import { type Message, section } from '../../../slack/blocks.ts';
import { chart } from '../../../slack/chart.ts';
import { cut, limits } from '../../../slack/limits.ts';
import { plain, user } from '../../../slack/mrkdwn.ts';
import { count, counted } from '../figures.ts';
import type { Reviewer } from './results-figures.ts';

/** Reviewers listed by name; a chart of so many could not be read. */
export const reviewersShown = 20;
const reviewersCharted = 8;
/** Slack's limit for the labels of a chart. */
const labelRoom = 20;

export interface ReviewersOf {
  /** At least one, who decided most first. */
  readonly reviewers: readonly Reviewer[];
  /** What the first of them are called. */
  readonly names: readonly string[];
  /** Without Slack's charts, where they are not taken. */
  readonly isPlain?: boolean;
}

/** Draws who decided what, as a chart and in words. A message of its own, since the figures' has all the charts it may. */
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
    series: verdicts.map((verdict) => ({
      name: verdict,
      data: reviewers.map(({ decisions }, index) => ({
        label: labels[index] ?? '',
        value: decisions[verdict],
      })),
    })),
    axis_config: { categories: labels, x_label: 'Reviewer', y_label: 'Decisions' },
  });
}

/** Cuts names to the length of labels, and numbers those that are alike. */
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
