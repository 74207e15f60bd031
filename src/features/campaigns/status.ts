import type { Campaign } from '../../domain/campaign.ts';
import { isOpen } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Click, Command } from '../../slack/feature.ts';
import type { Asker, CampaignsDeps } from './deps.ts';
import type { Listings } from './listing.ts';
import type { Pick } from './pick.ts';
import { statusMessage } from './status.view.ts';
import { campaignValue } from './values.ts';

/** `/campaign status [id or part of the title]`, and the Status buttons. */
export function createStatus(
  { accounts, firstDelivery, tasks }: CampaignsDeps,
  listings: Listings,
  pick: Pick,
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

  async function show(asker: Asker, ref: AccountRef, id: string): Promise<void> {
    const { campaigns, lastSeen } = await listings.fresh(ref);
    const campaign = campaigns.find((one) => one.id === id) ?? (await listings.byId(ref, id));
    const [ratings, oldest] = await Promise.all([
      tasks.knownRatings(ref, campaign.id),
      oldestWaiting(ref, campaign),
    ]);
    const inCorrection = [...ratings.values()].filter((rating) => rating === 'REVISE').length;
    await asker.answer(statusMessage({ campaign, inCorrection, oldestWaiting: oldest, lastSeen }));
  }

  return {
    show,

    async command(command: Command): Promise<void> {
      const ref = await accounts.require(command.workspace, command.member);
      if (command.text === '') return pick.open(command, 'status');
      const found = await pick.resolve(command, ref, command.text, 'status');
      if (found !== undefined) await show(command, ref, found.campaign.id);
    },

    async click(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await accounts.require(click.workspace, click.member);
      if (await firstDelivery(`status ${click.id}`)) await show(click, ref, campaign);
    },
  };
}
