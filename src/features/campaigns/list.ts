import { type Campaign, campaignOf } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { byUrgency, type CampaignListing, listTimeoutMs } from '../../kit/campaign-listings.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Authorized, Click, Command, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import {
  campaignListCodec,
  daysReversed,
  filterFormState,
  filterIn,
  filterView,
  type ListState,
  listMessage,
  marketplaceFilter,
  parseStatus,
  reversedDays,
} from './list.view.ts';

/** Creates `/campaign list [status]`, its filter, and its pages. */
export function createList({ campaigns: { listings }, marketplace }: Modules) {
  /** Returns the campaigns that match a filter; a filter by status alone works even if the marketplace does not answer. */
  async function matching(ref: AccountRef, list: ListState): Promise<CampaignListing> {
    const filter = marketplaceFilter(list, marketplace.zone);
    if (filter === undefined) {
      const { campaigns, lastSeen } = await listings.list(ref);
      const { status } = list;
      const matches = (one: Campaign) => status === undefined || one.status === status;
      return { campaigns: campaigns.filter(matches), lastSeen };
    }
    const client = await marketplace.of(ref);
    const listed = await client.listCampaignsExtended(filter, { deadlineMs: listTimeoutMs });
    return { campaigns: byUrgency(listed.map(campaignOf)), lastSeen: undefined };
  }

  async function render({ authorize }: Authorized, list: ListState): Promise<Message> {
    const ref = await authorize();
    return listMessage({ ...(await matching(ref, list)), list });
  }

  const clicked = ({ blockId }: Click): ListState => campaignListCodec.decode(blockId) ?? { page: 0 };

  return {
    async command(command: Command): Promise<void> {
      await command.answer(await render(command, { status: parseStatus(command.text), page: 0 }));
    },

    /** Shows the list from a button outside it. */
    async show(click: Click): Promise<void> {
      await click.answer(await render(click, { page: 0 }));
    },

    async showPage(click: Click): Promise<void> {
      await click.show(await render(click, campaignListCodec.update(clicked(click), { page: click.value })));
    },

    async clearFilter(click: Click): Promise<void> {
      await click.show(await render(click, { page: 0 }));
    },

    async openFilter(click: Click): Promise<void> {
      await click.open(filterView(clicked(click), marketplace.zone, filterFormState.encode(click.origin)));
    },

    async filter(submission: Submission): Promise<SubmissionAnswer> {
      const { state, values } = submission;
      const origin = filterFormState.decode(state);
      const list = filterIn(values);
      const reversed = reversedDays(list);
      if (reversed.length > 0)
        return { errors: Object.fromEntries(reversed.map((name) => [name, daysReversed])) };
      return {
        async afterwards() {
          await submission.show(await render(submission, list), undefined, origin);
        },
      };
    },
  };
}
