import type { Campaign } from '../../../domain/campaign.ts';
import { isOpen } from '../../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../../domain/terms.ts';
import { UserError } from '../../../errors.ts';
import { isCallFailure } from '../../../marketplace/index.ts';
import type { Message } from '../../../slack/blocks.ts';
import type { Click, Command } from '../../../slack/feature.ts';
import { notice } from '../../../slack/notice.ts';
import { doneBy } from '../../shared/audited-act.ts';
import type { CampaignListings, CampaignSnapshot, ResolvedCampaign } from '../../shared/campaign-listings.ts';
import type { FeatureContext } from '../../shared/context.ts';
import { answerBudget } from '../../shared/time-budget.ts';
import { campaignValue } from '../button-values.ts';
import type { CampaignChooser } from '../choose-campaign.ts';
import { type Requester, replaceOrAnswer } from '../requester.ts';
import type { RetargetPlanner } from '../retarget/retarget-planner.ts';
import { statusMessage } from './status.view.ts';

/** `/campaign status [id or part of the title]`, and the Status buttons. */
export function createStatus(
  { claimOnce, tasks }: Pick<FeatureContext, 'claimOnce' | 'tasks'>,
  listings: CampaignListings,
  chooser: CampaignChooser,
  planner: Pick<RetargetPlanner, 'cancel' | 'planOf'>,
) {
  /** Returns when the oldest stored task that waits in a campaign was submitted (ms). */
  async function oldestWaiting(ref: AccountRef, campaign: Campaign): Promise<number | undefined> {
    const ids = await tasks.find(ref, 'open');
    const waiting = (await tasks.getMany(ref, ids)).filter(
      (task) => task.campaign === campaign.id && isOpen(task),
    );
    const times = waiting.flatMap(({ proof }) => proof.finishedAt ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async function render(
    ref: AccountRef,
    { campaign, lastSeen }: CampaignSnapshot,
    done?: string,
  ): Promise<Message> {
    const [ratings, oldest, plan] = await Promise.all([
      tasks.knownRatings(ref, campaign.id),
      oldestWaiting(ref, campaign),
      planner.planOf(ref, campaign.id),
    ]);
    const inCorrection = [...ratings.values()].filter((rating) => rating === 'REVISE').length;
    return statusMessage({ campaign, inCorrection, oldestWaiting: oldest, lastSeen, plan, done });
  }

  /** Renders the status below what was just done; that alone when the marketplace cannot be asked for the rest. */
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

  return {
    show,

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
      if (!(await claimOnce(click.workspace, `status ${click.id}`))) return;
      await click.answer(await render(ref, await listings.snapshot(ref, campaign)));
    },

    /** Cancels the planned change of countries, and shows the status without it in the same message. */
    async cancelRetarget(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await click.authorize();
      if (!(await claimOnce(click.workspace, `status cancel ${click.id}`))) return;
      const sentence = await planner.cancel(ref, campaign, doneBy(click));
      await replaceOrAnswer(click, await renderAfter(ref, campaign, sentence));
    },
  };
}
