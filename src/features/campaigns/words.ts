import { z } from 'zod';
import { type Campaign, campaignTitleOf } from '../../domain/campaign.ts';
import { formatMoney, money } from '../../domain/money.ts';
import { CampaignId, type CampaignStatus, ChannelId } from '../../domain/terms.ts';
import { codec } from '../../slack/form-values.ts';
import { code, date, inline } from '../../slack/mrkdwn.ts';
import { counted, number } from '../../ui/words.ts';

/** Creates a codec for values of this feature's buttons and forms. */
export function campaignCodec<Schema extends z.ZodType>(thing: 'button' | 'form', schema: Schema) {
  return codec(thing, schema, 'Start again with `/campaign list`.');
}

export const campaignId = CampaignId.min(1);
/** Where a modal was opened. */
export const channel = ChannelId.optional();

/** Value of a button that is about a campaign, with the positions that were typed for a restart. */
export const campaignValue = campaignCodec(
  'button',
  z.object({ campaign: campaignId, positions: z.number().optional() }),
);

/** By which a record may look older than the call that made it (ms): clocks differ, and the marketplace's datetimes lag behind. */
export const clockToleranceMs = 600_000;

export const purposes = ['status', 'restart', 'retarget', 'results'] as const;
/** Purpose of choosing a campaign. */
export type Purpose = (typeof purposes)[number];

/** Statuses in words. */
export const statusWords: Readonly<Record<CampaignStatus, string>> = {
  BLOCKED: 'Blocked',
  PENDING_REVIEW: 'Waiting for the marketplace’s review',
  PENDING_RESTART: 'Waiting to restart',
  PAUSED: 'Paused',
  PAUSED_ADMIN: 'Paused by the marketplace',
  RUNNING: 'Running',
  PAUSED_SYSTEM: 'Paused by the system',
  FINISHED: 'Finished',
};

/**
 * Returns the positions that are neither accepted nor in progress. Refused tasks fill none. `inCorrection`: tasks sent
 * back with REVISE, which the marketplace's list does not count.
 */
export function positionsLeft(campaign: Campaign, inCorrection = 0): number {
  const { availablePositions, tasksOk, tasksNotRated, tasksNotReviewed } = campaign;
  return Math.max(0, availablePositions - tasksOk - tasksNotRated - tasksNotReviewed - inCorrection);
}

/** Returns how many more accepted tasks are needed: the suggestion for a restart. */
export function shortfall(campaign: Campaign): number {
  return Math.max(0, campaign.availablePositions - campaign.tasksOk);
}

/** Returns a campaign's title as shown in messages. */
export function title({ title: text, id }: Pick<Campaign, 'id' | 'title'>, max = 150): string {
  return inline(campaignTitleOf(id, text), max);
}

export function payment({ paymentPerTask }: Campaign): string {
  return `${formatMoney(money(paymentPerTask))} per task`;
}

/** Returns a one-line summary of a campaign. */
export function summaryLine(campaign: Campaign): string {
  const waiting = campaign.tasksNotRated;
  return [
    statusWords[campaign.status],
    ...(waiting > 0 ? [`*${number(waiting)} waiting*`] : []),
    `${number(campaign.tasksOk)} OK, ${number(campaign.tasksNok)} NOK`,
    `${number(positionsLeft(campaign))} of ${counted(campaign.availablePositions, 'position')} left`,
    payment(campaign),
  ].join(' · ');
}

/** Returns the command that shows this campaign's status. */
export function statusCommand({ id }: Pick<Campaign, 'id'>): string {
  return code(`/campaign status ${id}`);
}

/** Returns the note below what the marketplace could not confirm in time. @param seenAt ms */
export function outdatedNote(seenAt: number): string {
  return `The marketplace did not answer in time, so these figures are from ${date(seenAt)}. Try again in a minute to see whether they have changed.`;
}
