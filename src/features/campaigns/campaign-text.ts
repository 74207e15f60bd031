import type { Campaign } from '../../domain/campaign.ts';
import { formatMoney, tryMoney } from '../../domain/money.ts';
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import { count, counted, positionsLeft, statusWords } from './figures.ts';

/** A campaign's title as messages show it. */
export function title({ title: text, id }: Pick<Campaign, 'id' | 'title'>, max = 150): string {
  return inline(text.trim() === '' ? `Campaign ${id}` : text, max);
}

/** A payment with its decimals as the marketplace sent them; what is no decimal is shown as it is. */
export function payment(campaign: Campaign): string {
  const amount = tryMoney(campaign.paymentPerTask);
  return `${amount === undefined ? inline(campaign.paymentPerTask, 20) || 'unknown' : formatMoney(amount)} per task`;
}

/** Everything that matters of a campaign in one line. */
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

/** A campaign's id, to be copied. */
export function idCode({ id }: Pick<Campaign, 'id'>): string {
  return `\`${escaped(id.replaceAll('`', "'"))}\``;
}

/** Said in a form for which the marketplace could not be asked in time. @param seenAt when it was seen (ms) */
export function asSeenNote(seenAt: number): string {
  return `The marketplace did not answer in time: this is how it stood ${date(seenAt)}. Look whether it still fits before you go on.`;
}

/** Said below figures that the marketplace could not be asked for. @param seenAt when they were seen (ms) */
export function outdatedNote(seenAt: number): string {
  return `The marketplace cannot be reached at present: these are the figures seen ${date(seenAt)}. Ask again in a minute.`;
}
