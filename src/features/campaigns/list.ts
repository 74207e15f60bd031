import type { AccountRef } from '../../domain/terms.ts';
import type { CampaignListing } from '../../kit/campaign-listings.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCommand } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import { createList } from '../../ui/list.ts';
import { campaignListCodec, type ListState, listMessage, parseFilter } from './list.view.ts';

/** Creates `/campaign list [status]`, its filter, and its pages. */
export function createCampaignList({ campaigns: { listings } }: Modules): Feature {
  /** Returns the campaigns that match a filter; those of a status even if the marketplace does not answer. */
  async function matching(ref: AccountRef, { filter }: ListState): Promise<CampaignListing> {
    if (filter === 'ARCHIVE') return { campaigns: await listings.archived(ref), lastSeen: undefined };
    const { campaigns, lastSeen } = await listings.list(ref);
    return { campaigns: campaigns.filter(({ status }) => (filter ?? status) === status), lastSeen };
  }

  const list = createList<ListState>({
    codec: campaignListCodec,
    command: '/campaign list',
    render: async (ref, shown) => listMessage({ ...(await matching(ref, shown)), list: shown }),
  });

  const command = (word: '' | 'list', usage: string, help: string) =>
    onCommand({ command: '/campaign', word, usage, help, needs: 'see' }, async (asked) => {
      const { ref, text, answer } = asked;
      await answer(
        await list.render(ref, { account: ref.account, filter: parseFilter(text), page: 0 }, asked),
      );
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
        run: list.open((account) => ({ account, page: 0 })),
      },
      'campaign.filter': list.change((filter) => ({ filter })),
      ...list.pages('campaign.page'),
    },
  };
}
