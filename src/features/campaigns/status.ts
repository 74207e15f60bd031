import type { Campaign } from '../../domain/campaign.ts';
import { isOpen } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Command } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import type { Asker, CampaignsDeps } from './deps.ts';
import type { Known, Listings, Standing } from './listing.ts';
import { replaceOrSay } from './outcome.ts';
import type { Pick } from './pick.ts';
import type { RetargetLater } from './retarget-later.ts';
import { statusMessage } from './status.view.ts';
import { isCallFailure } from './told.ts';
import { campaignValue } from './values.ts';
import { answerWait } from './waits.ts';

/** `/campaign status [id or part of the title]`, and the Status buttons. */
export function createStatus(
  { accounts, claimOnce, tasks }: CampaignsDeps,
  listings: Listings,
  pick: Pick,
  later: RetargetLater,
) {
  /** When the oldest task that waits in a campaign was handed in, by what is known here. */
  async function oldestWaiting(ref: AccountRef, campaign: Campaign): Promise<number | undefined> {
    const ids = await tasks.find(ref, 'open');
    const waiting = (await tasks.getMany(ref, ids)).filter(
      (task) => task.campaign === campaign.id && isOpen(task),
    );
    const times = waiting.flatMap(({ proof }) => proof.finishedAt ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async function draw(ref: AccountRef, { campaign, lastSeen }: Standing, done?: string): Promise<Message> {
    const [ratings, oldest, plan] = await Promise.all([
      tasks.knownRatings(ref, campaign.id),
      oldestWaiting(ref, campaign),
      later.planOf(ref, campaign.id),
    ]);
    const inCorrection = [...ratings.values()].filter((rating) => rating === 'REVISE').length;
    return statusMessage({ campaign, inCorrection, oldestWaiting: oldest, lastSeen, plan, done });
  }

  /** The status after something was done; what was done alone when the marketplace cannot be asked for the rest. */
  async function afterwards(ref: AccountRef, id: CampaignId, done: string): Promise<Message> {
    try {
      return await draw(ref, await listings.standing(ref, id), done);
    } catch (error) {
      if (!isCallFailure(error) && !(error instanceof UserError)) throw error;
      return notice(done);
    }
  }

  async function show(asker: Asker, ref: AccountRef, { campaign, isFresh }: Known): Promise<void> {
    const standing = isFresh ? { campaign, lastSeen: undefined } : await listings.standing(ref, campaign.id);
    await asker.answer(await draw(ref, standing));
  }

  return {
    show,

    async command(command: Command): Promise<void> {
      const ref = await accounts.require(command.workspace, command.member);
      if (command.text === '') return pick.open(command, 'status');
      const found = await pick.resolve(command, ref, command.text, 'status', { wait: answerWait() });
      if (found !== undefined) await show(command, ref, found);
    },

    async click(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await accounts.require(click.workspace, click.member);
      if (!(await claimOnce(click.workspace, `status ${click.id}`))) return;
      await click.answer(await draw(ref, await listings.standing(ref, campaign)));
    },

    /** Cancels the planned change of countries, and shows the status without it in the same place. */
    async cancelRetarget(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await accounts.require(click.workspace, click.member);
      if (!(await claimOnce(click.workspace, `status cancel ${click.id}`))) return;
      const done = await later.cancelled(ref, campaign);
      await replaceOrSay(click, await afterwards(ref, campaign, done));
    },
  };
}
