import type { Campaign } from '../../domain/campaign.ts';
import { formatMoney, tryMoney } from '../../domain/money.ts';
import { code, date, inline } from '../../slack/mrkdwn.ts';
import { count, counted, positionsLeft, statusWords } from './figures.ts';

/** Returns a campaign's title as shown in messages. */
export function title({ title: text, id }: Pick<Campaign, 'id' | 'title'>, max = 150): string {
  return inline(text.trim() === '' ? `Campaign ${id}` : text, max);
}

/** Returns the payment per task with the marketplace's decimals; anything that is no decimal is returned unchanged. */
export function payment(campaign: Campaign): string {
  const amount = tryMoney(campaign.paymentPerTask);
  return `${amount === undefined ? inline(campaign.paymentPerTask, 20) || 'unknown' : formatMoney(amount)} per task`;
}

/** Returns a one-line summary of a campaign. */
export function summaryLine(campaign: Campaign): string {
  const waiting = campaign.tasksNotRated;
  return [
    statusWords[campaign.status],
    ...(waiting > 0 ? [`*${count(waiting)} waiting*`] : []),
    `${count(campaign.tasksOk)} OK, ${count(campaign.tasksNok)} NOK`,
    `${count(positionsLeft(campaign))} of ${counted(campaign.availablePositions, 'position')} left`,
    payment(campaign),
  ].join(' · ');
}

/** Returns the command that shows this campaign's status. */
export function statusCommand({ id }: Pick<Campaign, 'id'>): string {
  return code(`/campaign status ${id}`);
}

/** Returns the note in a form whose campaign the marketplace could not confirm in time. @param seenAt ms */
export function formOutdatedNote(seenAt: number): string {
  return `The marketplace did not answer in time, so this is from ${date(seenAt)}. Check that it is still right before you go on.`;
}

/** Returns the note below figures the marketplace could not confirm. @param seenAt ms */
export function outdatedNote(seenAt: number): string {
  return `The marketplace cannot be reached right now, so these figures are from ${date(seenAt)}. Try again in a minute.`;
}
