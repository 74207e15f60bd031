import type { AccountRef, CampaignId } from '../../../domain/terms.ts';
import { UserError } from '../../../errors.ts';
import { answerBudget } from '../../../kit/budgets.ts';
import type { CampaignListings, CampaignSnapshot, ResolvedCampaign } from '../../../kit/campaign-listings.ts';
import type { Modules } from '../../../kit/modules.ts';
import { isCallFailure } from '../../../marketplace/index.ts';
import type { Message } from '../../../slack/blocks.ts';
import type { Click, Command } from '../../../slack/feature.ts';
import { notice } from '../../../slack/notice.ts';
import { campaignValue } from '../button-values.ts';
import type { CampaignChooser, Requester } from '../choose-campaign.ts';
import { statusMessage } from './status.view.ts';
import { createTimeToRateForm } from './time-to-rate.ts';

/** Creates `/campaign status [id or part of the title]`, and the Status buttons. */
export function createStatus(context: Modules, listings: CampaignListings, chooser: CampaignChooser) {
  const { tasks } = context;

  async function render(
    ref: AccountRef,
    { campaign, lastSeen }: CampaignSnapshot,
    done?: string,
  ): Promise<Message> {
    const [ratings, [waiting], days] = await Promise.all([
      tasks.knownRatings(ref, campaign.id),
      tasks.open.waitingIn(ref, [campaign.id]),
      tasks.timesToRate.get(ref, campaign.id),
    ]);
    const { oldest, dueAt } = waiting ?? {};
    const inCorrection = [...ratings.values()].filter((rating) => rating === 'REVISE').length;
    const timeToRate = { days, dueAt };
    return statusMessage({
      campaign,
      inCorrection,
      oldestWaiting: oldest,
      timeToRate,
      lastSeen,
      done,
    });
  }

  /** Renders the status below an action's outcome; the outcome alone if the marketplace cannot be asked. */
  async function renderAfter(ref: AccountRef, id: CampaignId, done: string): Promise<Message> {
    try {
      return await render(ref, await listings.snapshot(ref, id), done);
    } catch (error) {
      if (!isCallFailure(error) && !(error instanceof UserError)) throw error;
      return notice(done);
    }
  }

  async function show(
    { answer }: Pick<Requester, 'answer'>,
    ref: AccountRef,
    { campaign, isFresh }: ResolvedCampaign,
  ): Promise<void> {
    const snapshot = isFresh ? { campaign, lastSeen: undefined } : await listings.snapshot(ref, campaign.id);
    await answer(await render(ref, snapshot));
  }

  const timeToRate = createTimeToRateForm(context, renderAfter);

  return {
    show,
    /** Opens the form for the number of days a campaign's tasks may wait. */
    askTimeToRate: timeToRate.open,
    timeToRateSubmitted: timeToRate.submitted,

    async command(command: Command): Promise<void> {
      const ref = await command.authorize();
      if (command.text === '') return chooser.open(command, 'status');
      const budget = answerBudget();
      const resolved = await chooser.resolve(command, ref, command.text, 'status', { budget });
      if (resolved !== undefined) await show(command, ref, resolved);
    },

    async click(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await click.authorize();
      await click.answer(await render(ref, await listings.snapshot(ref, campaign)));
    },
  };
}
