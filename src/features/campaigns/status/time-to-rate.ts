import { daysToRate } from '../../../domain/deadline.ts';
import type { AccountRef, CampaignId } from '../../../domain/terms.ts';
import type { Message } from '../../../slack/blocks.ts';
import type { Click, Submission, SubmissionAnswer } from '../../../slack/feature.ts';
import { typed } from '../../../slack/form-values.ts';
import { doneBy } from '../../shared/audited-act.ts';
import type { FeatureContext } from '../../shared/context.ts';
import { campaignValue } from '../button-values.ts';
import { outcomeOf } from '../requester.ts';
import {
  daysInput,
  daysProblem,
  timeToRateState,
  timeToRateStored,
  timeToRateView,
} from './time-to-rate.view.ts';

/** The title of a modal that shows a status. */
const statusTitle = 'Status';

type Parts = Pick<FeatureContext, 'audit' | 'campaigns' | 'messengerOf' | 'timesToRate'>;

/**
 * Creates the form for the number of days a campaign's tasks may wait, which no endpoint reports for campaigns created
 * elsewhere.
 * @param renderStatus renders the status below an action's outcome
 */
export function createTimeToRateForm(
  parts: Parts,
  renderStatus: (ref: AccountRef, campaign: CampaignId, done: string) => Promise<Message>,
) {
  const { campaigns, messengerOf, timesToRate } = parts;

  async function known(ref: AccountRef, id: CampaignId) {
    return (await campaigns.get(ref, id)) ?? { id, title: '' };
  }

  return {
    async open(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await click.authorize({ isPreparing: true });
      const { responseUrl, channel, triggerId } = click;
      const days = await timesToRate.get(ref, campaign);
      const state = timeToRateState.encode({ campaign, channel, responseUrl });
      const view = timeToRateView(await known(ref, campaign), days, state);
      await messengerOf(click.workspace).openModal(triggerId, view);
    },

    async submitted(submission: Submission): Promise<SubmissionAnswer> {
      const { state, values } = submission;
      const { campaign, channel, responseUrl } = timeToRateState.decode(state);
      const text = typed(values, daysInput);
      const days = Number(text);
      if (!/^\d+$/.test(text) || days < daysToRate.min || days > daysToRate.max)
        return { errors: { [daysInput]: daysProblem } };
      const ref = await submission.authorize();
      await timesToRate.put(ref, campaign, days, (before) =>
        parts.audit.writer.step(ref, {
          what: 'set time to rate',
          ...doneBy(submission),
          campaign,
          ...(before === undefined ? {} : { before: inDays(before) }),
          after: inDays(days),
        }),
      );
      const { update, show } = outcomeOf(parts, submission, { channel, responseUrl }, statusTitle);
      return {
        ...(update ? { update } : {}),
        async afterwards() {
          const done = timeToRateStored(await known(ref, campaign), days);
          await show(await renderStatus(ref, campaign, done));
        },
      };
    },
  };
}

function inDays(days: number): string {
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}
