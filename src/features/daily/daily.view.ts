import type { KnownBlock, TableBlock } from '@slack/types';
import type { DailyContent, PerVerdict } from '../../domain/daily-summary.ts';
import { formatMoney, money } from '../../domain/money.ts';
import type { AccountId, Verdict } from '../../domain/terms.ts';
import {
  actions,
  chart,
  chartedRatings,
  context,
  limits,
  type Message,
  section,
} from '../../slack/blocks.ts';
import { cut, date, dateAtStart, inline, plain, user } from '../../slack/mrkdwn.ts';
import { counted, number, ratingWords } from '../../ui/words.ts';
import { bulkButton } from '../bulk/public.ts';
import { reviewButton } from '../focus/public.ts';
import { sum } from './content.ts';

/** In display order. */
const shownVerdicts = ['OK', 'REVISE', 'NOK'] as const satisfies readonly Verdict[];

/** Returns a day's review summary for a channel: as charts, with the same figures in the text. */
export function dailyMessage(account: AccountId, content: DailyContent): Message {
  const { from, until, ratings } = content;
  const heading = `*Reviewed: ${counted(sum(ratings), 'task')}*\n${dateAtStart(from)} to ${date(until)}`;
  const figures = figureLines(content);
  const who = reviewerLines(content);
  const why = reasonLines(content);
  return {
    text: cut(plain([heading, ...figures, ...who, ...why].join('\n')), limits.fallbackText),
    blocks: [
      section(heading),
      section(figures.join('\n')),
      ...(why.length > 0 ? [section(why.join('\n'))] : []),
      ...drawnBlocks(content),
      // Tasks that still wait, or arrived since, are one click away.
      actions('daily.review', [reviewButton({ account }), bulkButton({ account })]),
      context('To mute it, type `/proofdesk subscriptions`.'),
    ],
  };
}

function figureLines({ ratings, paid, bonuses, unpriced }: DailyContent): string[] {
  const extra = money(bonuses);
  const total = money(paid).plus(extra);
  const withBonus = extra.gt(0) ? `, including ${formatMoney(extra)} in bonuses` : '';
  const unknown = unpriced > 0 ? `, not counting ${counted(unpriced, 'task')} with unknown payment` : '';
  return [
    verdictsText(ratings),
    ...(ratings.OK > 0 ? [`Paid: ${formatMoney(total)}${withBonus}${unknown}`] : []),
  ];
}

function verdictsText(ratings: PerVerdict): string {
  return shownVerdicts
    .filter((verdict) => ratings[verdict] > 0)
    .map((verdict) => `${ratingWords[verdict]} ${number(ratings[verdict])}`)
    .join(' · ');
}

function reviewerLines({ reviewers }: DailyContent): string[] {
  return reviewers.map(
    ({ member, ratings }) => `${user(member)}: ${counted(sum(ratings), 'task')} (${verdictsText(ratings)})`,
  );
}

function reasonLines({ reasons }: DailyContent): string[] {
  if (reasons.length === 0) return [];
  return [
    'Main reasons for NOK and revisions:',
    ...reasons.map(
      ({ verdict, name, tasks }) =>
        `• ${reasonName(name)} (${ratingWords[verdict]}): ${counted(tasks, 'task')}`,
    ),
  ];
}

function reasonName(name: string | undefined): string {
  return name === undefined ? 'In the reviewer’s own words' : inline(name, 80);
}

function drawnBlocks({ ratings, reviewers }: DailyContent): KnownBlock[] {
  const rated = chartedRatings.filter((verdict) => ratings[verdict] > 0);
  return [
    chart('Reviewed', {
      type: 'pie',
      segments: rated.map((verdict) => ({ label: ratingWords[verdict], value: ratings[verdict] })),
    }),
    reviewerTable(reviewers),
  ];
}

function reviewerTable(reviewers: DailyContent['reviewers']): TableBlock {
  const cell = (text: string) => ({ type: 'raw_text' as const, text });
  const figures = (ratings: PerVerdict) =>
    [sum(ratings), ...shownVerdicts.map((verdict) => ratings[verdict])].map((value) => cell(number(value)));
  const people = reviewers.map(({ member, ratings }) => [
    {
      type: 'rich_text' as const,
      elements: [
        {
          type: 'rich_text_section' as const,
          elements: [{ type: 'user' as const, user_id: member }],
        },
      ],
    },
    ...figures(ratings),
  ]);
  return {
    type: 'table',
    rows: [
      ['Reviewer', 'Tasks', ...shownVerdicts.map((verdict) => ratingWords[verdict])].map(cell),
      ...people,
    ],
    column_settings: [
      { align: 'left' },
      { align: 'right' },
      { align: 'right' },
      { align: 'right' },
      { align: 'right' },
    ],
  };
}
