import type { Campaign } from '../../../domain/campaign.ts';
import { actions, button, context, type Message, section } from '../../../slack/blocks.ts';
import { cut, limits } from '../../../slack/limits.ts';
import { code, date, inline, plain } from '../../../slack/mrkdwn.ts';
import { campaignValue } from '../button-values.ts';
import { outdatedNote, payment, title } from '../campaign-text.ts';
import { openRestart, openRetarget, sendResults } from '../choose-campaign.view.ts';
import { count, counted, positionsLeft, statusWords } from '../figures.ts';
import { targetingLine } from '../targeting.ts';
import { type TimeToRate, timeToRateSection, timeToRateText } from './time-to-rate.view.ts';

export interface StatusContent {
  readonly campaign: Campaign;
  /** Number of tasks sent back for correction, as far as stored here. */
  readonly inCorrection: number;
  /** When the oldest stored waiting task was submitted (ms). */
  readonly oldestWaiting?: number | undefined;
  readonly timeToRate: TimeToRate;
  readonly lastSeen: number | undefined;
  /** Outcome of the last action, a sentence in mrkdwn. */
  readonly done?: string | undefined;
}

/** Renders a campaign's status, with its actions. */
export function statusMessage(status: StatusContent): Message {
  const { campaign, inCorrection, oldestWaiting, timeToRate, lastSeen, done } = status;
  const figures = segmentsOf(campaign, inCorrection);
  const counts = figures.map(({ value, name }) => `${count(value)} ${name}`);
  const heading = `*${title(campaign)}*\n${statusWords[campaign.status]}`;
  const waiting = waitingLine(campaign, oldestWaiting);
  const facts = factsOf(campaign);
  const value = campaignValue.encode({ campaign: campaign.id });
  return {
    text: cut(
      plain(
        [
          ...(done === undefined ? [] : [done]),
          heading,
          counts.join(', '),
          waiting,
          timeToRateText(timeToRate),
          ...facts,
        ].join('\n'),
      ),
      limits.fallbackText,
    ),
    blocks: [
      ...(done === undefined ? [] : [section(done)]),
      section(heading),
      section(counts.join(' · ')),
      section(waiting),
      timeToRateSection(campaign, timeToRate),
      section(facts.join('\n')),
      actions('campaign', [
        ...(campaign.status === 'FINISHED'
          ? [button('Restart', openRestart, value, { style: 'primary' as const })]
          : []),
        button('Change countries', openRetarget, value),
        button('Results', sendResults, value),
      ]),
      ...(lastSeen === undefined ? [] : [context(outdatedNote(lastSeen))]),
    ],
  };
}

/** Returns the counts by name; rare ones only if above zero. */
function segmentsOf(campaign: Campaign, inCorrection: number) {
  const always = [
    { value: campaign.tasksOk, name: 'OK' },
    { value: campaign.tasksNok, name: 'NOK' },
    { value: campaign.tasksNotRated, name: 'waiting for review' },
  ];
  const sometimes = [
    { value: inCorrection, name: 'sent back for correction' },
    { value: campaign.tasksNotReviewed, name: 'not yet reviewed by the marketplace' },
  ].filter(({ value }) => value > 0);
  return [...always, ...sometimes, { value: positionsLeft(campaign, inCorrection), name: 'left' }];
}

function waitingLine({ tasksNotRated, tasksNotReviewed }: Campaign, oldest: number | undefined): string {
  if (tasksNotRated > 0) {
    const tasks = `*${counted(tasksNotRated, 'task')}* ${tasksNotRated === 1 ? 'waits' : 'wait'} for review`;
    return oldest === undefined ? `${tasks}.` : `${tasks}, the oldest since ${date(oldest)}.`;
  }
  return tasksNotReviewed > 0
    ? 'No tasks are waiting for your review. The marketplace is still reviewing some tasks itself.'
    : 'No tasks are waiting for review.';
}

function factsOf(campaign: Campaign): string[] {
  return [
    `Pays ${payment(campaign)} · ${counted(campaign.availablePositions, 'position')} in all`,
    targetingLine(campaign),
    ...(campaign.speed.trim() === ''
      ? []
      : [`Speed reported by the marketplace: ${inline(campaign.speed, 40)}`]),
    ...(campaign.createdAt === undefined ? [] : [`Created: ${date(campaign.createdAt, '{date_short}')}`]),
    `Id: ${code(campaign.id)}`,
  ];
}
