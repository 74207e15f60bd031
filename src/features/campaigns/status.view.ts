import type { SectionBlock } from '@slack/types';
import type { Campaign } from '../../domain/campaign.ts';
import { actions, button, context, type Message, section } from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, inline, plain } from '../../slack/mrkdwn.ts';
import type { PlannedRetarget } from '../../store/planned-retargets.ts';
import { count, counted, positionsLeft, statusWords } from './figures.ts';
import { idCode, outdatedNote, payment, title } from './lines.ts';
import { openRestart, openRetarget, sendResults } from './pick.view.ts';
import { planNote } from './retarget-later.view.ts';
import { targetingLine } from './targeting.view.ts';
import { campaignValue } from './values.ts';

/** The click that cancels a campaign's planned change of countries where its status is shown. */
export const cancelInStatus = 'campaign.status.cancel-retarget';

export interface StatusOf {
  readonly campaign: Campaign;
  /** Tasks of it that were sent back and are being corrected, as far as known here. */
  readonly inCorrection: number;
  /** When the oldest task that waits for review was handed in (ms); absent when that is not known here. */
  readonly oldestWaiting?: number | undefined;
  readonly lastSeen: number | undefined;
  /** A change of its countries that is to be made later, or being made. */
  readonly plan?: PlannedRetarget | undefined;
  /** What was done just now, a sentence in mrkdwn. */
  readonly done?: string | undefined;
}

/** Everything there is to know of a campaign, and what can be done with it. */
export function statusMessage(status: StatusOf): Message {
  const { campaign, inCorrection, oldestWaiting, lastSeen, plan, done } = status;
  const figures = partsOf(campaign, inCorrection);
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
          ...facts,
          ...(plan === undefined ? [] : [planNote(plan)]),
        ].join('\n'),
      ),
      limits.fallbackText,
    ),
    blocks: [
      ...(done === undefined ? [] : [section(done)]),
      section(heading),
      section(counts.join(' · ')),
      section(waiting),
      section(facts.join('\n')),
      ...(plan === undefined ? [] : [planSection(plan)]),
      actions('campaign', [
        ...(campaign.status === 'FINISHED'
          ? [button('Restart', openRestart, value, { style: 'primary' as const })]
          : []),
        button('Retarget', openRetarget, value),
        button('Results', sendResults, value),
      ]),
      ...(lastSeen === undefined ? [] : [context(outdatedNote(lastSeen))]),
    ],
  };
}

function planSection(plan: PlannedRetarget): SectionBlock {
  if (plan.stage.state !== 'planned') return section(planNote(plan));
  return section(planNote(plan), {
    accessory: button('Cancel', cancelInStatus, campaignValue.encode({ campaign: plan.campaign }), {
      label: 'Cancel the change of its countries',
    }),
  });
}

/** The counts by name; of those that are mostly zero only the others. */
function partsOf(campaign: Campaign, inCorrection: number) {
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
    ? 'Nothing waits for your review. The marketplace still looks at some tasks itself.'
    : 'Nothing waits for review.';
}

function factsOf(campaign: Campaign): string[] {
  return [
    `Pays ${payment(campaign)} · ${counted(campaign.availablePositions, 'position')} in all`,
    targetingLine(campaign),
    ...(campaign.speed.trim() === '' ? [] : [`Speed: ${inline(campaign.speed, 40)}`]),
    ...(campaign.createdAt === undefined
      ? []
      : [`Created ${date(campaign.createdAt, '{date_short_pretty}')}`]),
    `Id: ${idCode(campaign)}`,
  ];
}
