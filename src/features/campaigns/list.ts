import { type Campaign, campaignOf } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { byUrgency, type CampaignListing, listTimeoutMs } from '../../kit/campaign-listings.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCommand, onForm, onList } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import { createList } from '../../ui/list.ts';
import {
  campaignListCodec,
  daysReversed,
  filterFormState,
  filterIn,
  filterView,
  firstList,
  type ListState,
  listMessage,
  marketplaceFilter,
  parseStatus,
} from './list.view.ts';

/** Creates `/campaign list [status]`, its filter, and its pages. */
export function createCampaignList({ campaigns: { listings }, marketplace }: Modules): Feature {
  /** Returns the campaigns that match a filter; a filter by status alone works even if the marketplace does not answer. */
  async function matching(ref: AccountRef, shown: ListState): Promise<CampaignListing> {
    const filter = marketplaceFilter(shown, marketplace.zone);
    if (filter === undefined) {
      const { campaigns, lastSeen } = await listings.list(ref);
      const { status } = shown;
      const matches = (one: Campaign) => status === undefined || one.status === status;
      return { campaigns: campaigns.filter(matches), lastSeen };
    }
    const client = await marketplace.of(ref);
    const listed = await client.listCampaignsExtended(filter, { deadlineMs: listTimeoutMs });
    return { campaigns: byUrgency(listed.map(campaignOf)), lastSeen: undefined };
  }

  const list = createList<ListState>({
    codec: campaignListCodec,
    command: '/campaign list',
    render: async (ref, shown) => listMessage({ ...(await matching(ref, shown)), list: shown }),
  });

  const command = (word: '' | 'list', usage: string, help: string) =>
    onCommand({ command: '/campaign', word, usage, help, needs: 'see' }, async (asked) => {
      const { ref, text, answer } = asked;
      await answer(await list.render(ref, firstList(ref.account, parseStatus(text)), asked));
    });

  return {
    commands: [
      command('', '', ''),
      command('list', '[status]', 'Lists your campaigns, those with waiting tasks first.'),
    ],
    clicks: {
      'campaign.list': {
        needs: 'see',
        isSlow: true,
        once: true,
        run: list.open((account) => firstList(account)),
      },
      'campaign.filter': onList(campaignListCodec, 'see', async ({ list: shown, ref, origin, open }) => {
        const state = filterFormState.encode({ account: ref.account, origin });
        await open(filterView(shown, marketplace.zone, state));
      }),
      'campaign.filter.clear': onList(campaignListCodec, 'see', async (click) =>
        click.replace(await list.render(click.ref, firstList(click.ref.account), click)),
      ),
      ...list.pages('campaign.page'),
    },
    submissions: {
      'campaign.filter': onForm(filterFormState, 'see', async (submission) => {
        const { ref, state, values } = submission;
        const chosen = filterIn(ref.account, values);
        if (chosen.from && chosen.to && chosen.to < chosen.from) return { errors: { to: daysReversed } };
        return {
          async afterwards() {
            await submission.show(await list.render(ref, chosen, submission), undefined, state.origin);
          },
        };
      }),
    },
  };
}
