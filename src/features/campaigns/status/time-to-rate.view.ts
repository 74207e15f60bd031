import type { ModalView, SectionBlock } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../../domain/campaign.ts';
import { daysToRate } from '../../../domain/deadline.ts';
import { button, input, modal, section } from '../../../slack/blocks.ts';
import { Origin } from '../../../slack/feature.ts';
import { date } from '../../../slack/mrkdwn.ts';
import { campaignCodec, campaignId, campaignValue } from '../button-values.ts';
import { title } from '../campaign-text.ts';
import { counted } from '../figures.ts';

/** The action id of the button, and the callback id of the form, for the days a campaign's tasks may wait. */
export const askTimeToRate = 'campaign.status.time-to-rate';
export const timeToRateForm = 'campaign.time-to-rate';
export const daysInput = 'days';

/** The status to refresh after submission. */
export const timeToRateState = campaignCodec('form', z.object({ campaign: campaignId, origin: Origin }));

/** Known facts about the time to rate a campaign's tasks. */
export interface TimeToRate {
  readonly days: number | undefined;
  /** The earliest deadline of its waiting tasks (ms). */
  readonly dueAt?: number | undefined;
}

/** Returns the time to rate a campaign's tasks, in mrkdwn. */
export function timeToRateText({ days, dueAt }: TimeToRate): string {
  if (days === undefined)
    return 'It is not known how long its tasks may wait, because the marketplace does not say. Set it once, and cards and lists will show when each task is due.';
  const first = dueAt === undefined ? '' : ` The first waiting task is due ${date(dueAt)}.`;
  return `Its tasks may wait ${counted(days, 'day')}; after that, the marketplace may approve them.${first}`;
}

/** Returns the same with the button that sets the days. */
export function timeToRateSection(campaign: Campaign, known: TimeToRate): SectionBlock {
  const value = campaignValue.encode({ campaign: campaign.id });
  return section(timeToRateText(known), {
    accessory:
      known.days === undefined
        ? button('Set time to rate', askTimeToRate, value)
        : button('Change', askTimeToRate, value, { label: 'Change how many days a task may wait' }),
  });
}

/** Returns the form that sets the days. */
export function timeToRateView(
  campaign: Pick<Campaign, 'id' | 'title'>,
  days: number | undefined,
  state: string,
): ModalView {
  return modal({
    callbackId: timeToRateForm,
    title: 'Time to rate',
    submit: 'Save',
    state,
    blocks: [
      section(`*${title(campaign)}*`),
      input(
        daysInput,
        'How many days may a task wait?',
        {
          type: 'number_input',
          is_decimal_allowed: false,
          min_value: String(daysToRate.min),
          max_value: String(daysToRate.max),
          ...(days === undefined ? {} : { initial_value: String(days) }),
        },
        {
          hint: 'As it was set at the marketplace when the campaign was created. This does not change it there: it tells Proofdesk when a task is due.',
        },
      ),
    ],
  });
}

/** Error for an invalid number, in plain text. */
export const daysProblem = `Enter a whole number of days from ${daysToRate.min} to ${daysToRate.max}.`;

/** Returns the confirmation that the days were stored, in mrkdwn. */
export function timeToRateStored(campaign: Pick<Campaign, 'id' | 'title'>, days: number): string {
  return `Tasks of *${title(campaign)}* may wait ${counted(days, 'day')}. Open cards will show it within a few minutes.`;
}
