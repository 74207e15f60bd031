import type { KnownBlock, ModalView } from '@slack/types';
import type { LookFigures, ReviewerFigures } from '../../domain/second-look/figures.ts';
import type { RateWithInterval } from '../../domain/second-look/interval.ts';
import type { MemberId } from '../../domain/terms.ts';
import { context, modal, section } from '../../slack/blocks.ts';
import { inline, user } from '../../slack/mrkdwn.ts';

/** Maximum number of campaigns, reasons and reviewers named; the others are counted. */
export const mostNamed = 12;
export const mostReviewers = 40;

/** Statistics of a campaign or reason. */
export interface NamedFigures extends LookFigures {
  readonly name: string;
}

/** Statistics of a reviewer, combined with their speed: speed is never shown alone. */
export interface ReviewerRow extends ReviewerFigures {
  /** Decisions in the last two weeks, and the number of hours with any. */
  readonly pace?: { readonly decisions: number; readonly hours: number };
}

export interface FiguresContent {
  /** Absent: statistics of all campaigns. */
  readonly campaignTitle?: string;
  readonly all: LookFigures;
  /** Statistics of randomly drawn looks. */
  readonly drawn: LookFigures;
  readonly campaigns: readonly NamedFigures[];
  readonly reasons: readonly NamedFigures[];
  /** All reviewers for managers, only their own for others. */
  readonly reviewers: readonly ReviewerRow[];
  readonly viewer: MemberId;
}

/** Returns the modal with the second-look statistics. */
export function figuresModal(content: FiguresContent): ModalView {
  const { campaignTitle, all, drawn, campaigns, reasons, reviewers, viewer } = content;
  const about = campaignTitle === undefined ? 'All campaigns' : inline(campaignTitle);
  const shown = reviewers.slice(0, mostReviewers);
  return modal({
    callbackId: 'look-figures',
    title: 'Second looks',
    blocks:
      all.differing.of === 0
        ? [section(`*${about}*\nNo task with a second look has been rated yet.`)]
        : [
            section(`*${about}*\n${teamLines(all, drawn).join('\n')}`),
            context(
              'Counted over the last six months. Intervals have a confidence of 95 %. Alpha (Krippendorff’s) is 1 for full agreement and 0 for chance.',
            ),
            ...listBlocks('By campaign', campaigns),
            ...listBlocks('By the reason of the first look', reasons),
            ...(shown.length === 0 ? [] : [{ type: 'divider' } as const]),
            ...shown.map((row) => section(reviewerText(row, viewer))),
            ...(reviewers.length > shown.length
              ? [context(`And ${reviewers.length - shown.length} more reviewers.`)]
              : []),
            context('Figures of a reviewer are shown to that reviewer and to managers only.'),
          ],
  });
}

function teamLines(all: LookFigures, drawn: LookFigures): string[] {
  const others = all.differing.of - drawn.differing.of;
  const isMixed = others > 0 && drawn.differing.of > 0;
  return [
    `${looks(all.differing.of)}: ${differText(all)}`,
    ...(isMixed
      ? [
          `Of these, ${looks(drawn.differing.of)} chosen at random: ${differText(drawn)} These are representative of all decisions; the ${others.toLocaleString('en')} others were chosen for a bonus, a bulk rating or a new reviewer.`,
        ]
      : []),
    ...(others > 0 && drawn.differing.of === 0
      ? [
          'All were chosen for a bonus, a bulk rating or a new reviewer: they are not representative of other decisions.',
        ]
      : []),
  ];
}

function looks(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'second look' : 'second looks'}`;
}

function differText({ differing, alpha }: LookFigures): string {
  const agreement = alpha === undefined ? '' : `, alpha ${alpha.toFixed(2)}`;
  return `${differing.count.toLocaleString('en')} differ, ${rateText(differing)}${agreement}.`;
}

/** Returns a rate with its confidence interval, in words. */
function rateText({ rate, low, high }: RateWithInterval): string {
  return `${percent(rate)} % (95 % interval ${percent(low)}–${percent(high)} %)`;
}

function percent(share: number): string {
  const value = 100 * share;
  return value > 0 && value < 10 && Math.round(value * 10) % 10 !== 0 ? value.toFixed(1) : value.toFixed(0);
}

function listBlocks(title: string, groups: readonly NamedFigures[]): KnownBlock[] {
  if (groups.length === 0) return [];
  const shown = groups.slice(0, mostNamed);
  const lines = shown.map(
    ({ name, ...figures }) => `${inline(name, 80)}: ${looks(figures.differing.of)}, ${differText(figures)}`,
  );
  const more = groups.length - shown.length;
  return [
    section(`*${title}*\n${lines.join('\n')}`),
    ...(more > 0 ? [context(`And ${more.toLocaleString('en')} more.`)] : []),
  ];
}

function reviewerText(row: ReviewerRow, viewer: MemberId): string {
  const { member, differing, upheld, given, pace } = row;
  const whose = member === viewer ? `${user(member)} (you)` : user(member);
  const quality =
    differing.of === 0
      ? ['None of their decisions had a second look yet.']
      : [
          `Decisions with a second look: ${differing.of.toLocaleString('en')}. ${differText(row)}`,
          ...(upheld.of === 0
            ? []
            : [`Of ${upheld.of} that a third decided, ${upheld.count} stayed as this reviewer had said.`]),
        ];
  // Without quality data, speed would be shown alone.
  const speed =
    pace === undefined || pace.hours === 0 || differing.of === 0
      ? []
      : [
          `${Math.round(pace.decisions / pace.hours).toLocaleString('en')} decisions an hour: ${pace.decisions.toLocaleString('en')} in ${pace.hours} hours of two weeks, in all campaigns.`,
        ];
  const gave = given === 0 ? [] : [`Gave ${looks(given)} to others.`];
  return [`*${whose}*`, ...quality, ...speed, ...gave].join('\n');
}
