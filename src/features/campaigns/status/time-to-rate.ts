import { daysToRate } from '../../../domain/deadline.ts';
import type { AccountRef, CampaignId } from '../../../domain/terms.ts';
import { doneBy } from '../../../kit/marketplace-act.ts';
import type { Modules } from '../../../kit/modules.ts';
import type { Message } from '../../../slack/blocks.ts';
import type { Click, Submission, SubmissionAnswer } from '../../../slack/feature.ts';
import { typed } from '../../../slack/form-values.ts';
import { campaignValue } from '../button-values.ts';
import {
  daysInput,
  daysProblem,
  timeToRateState,
  timeToRateStored,
  timeToRateView,
} from './time-to-rate.view.ts';

/**
 * Creates the form for the number of days a campaign's tasks may wait, which no endpoint reports for campaigns created
 * elsewhere.
 * @param renderStatus renders the status below an action's outcome
 */
export function createTimeToRateForm(
  parts: Modules,
  renderStatus: (ref: AccountRef, campaign: CampaignId, done: string) => Promise<Message>,
) {
  const { campaigns, tasks } = parts;

  async function known(ref: AccountRef, id: CampaignId) {
    return (await campaigns.get(ref, id)) ?? { id, title: '' };
  }

  /** Has the cards of a campaign drawn again: the next poll queues them, behind those that somebody has clicked. */
  async function redrawCards(ref: AccountRef, campaign: CampaignId): Promise<void> {
    const open = await tasks.getMany(ref, await tasks.open.ofCampaigns(ref, [campaign]));
    const posted = open.filter(({ card }) => card.state === 'posted');
    await tasks.markNeedsRender(
      ref,
      posted.map(({ id }) => id),
    );
  }

  return {
    async open(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await click.authorize({ isPreparing: true });
      const days = await tasks.timesToRate.get(ref, campaign);
      const state = timeToRateState.encode({ campaign, origin: click.origin });
      const view = timeToRateView(await known(ref, campaign), days, state);
      await click.open(view);
    },

    async submitted(submission: Submission): Promise<SubmissionAnswer> {
      const { state, values } = submission;
      const { campaign, origin } = timeToRateState.decode(state);
      const text = typed(values, daysInput);
      const days = Number(text);
      if (!/^\d+$/.test(text) || days < daysToRate.min || days > daysToRate.max)
        return { errors: { [daysInput]: daysProblem } };
      const ref = await submission.authorize();
      await tasks.timesToRate.put(ref, campaign, days, (before) =>
        parts.audit.step(ref, {
          what: 'set time to rate',
          ...doneBy(submission),
          campaign,
          ...(before === undefined ? {} : { before: inDays(before) }),
          after: inDays(days),
        }),
      );
      return {
        async afterwards() {
          await redrawCards(ref, campaign);
          const done = timeToRateStored(await known(ref, campaign), days);
          await submission.show(await renderStatus(ref, campaign, done), undefined, origin);
        },
      };
    },
  };
}

function inDays(days: number): string {
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}
