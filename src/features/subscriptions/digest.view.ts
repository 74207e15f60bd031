import type { Campaign } from '../../domain/campaign.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { number } from '../../ui/words.ts';

const howToStop = 'To stop, type `/proofdesk unsubscribe`.';

/** The keyword before a campaign that requests its digest. */
export const digestWord = 'digest';

/**
 * Returns the answer to `/proofdesk subscribe digest`, in mrkdwn. @param mustWait an owner has to confirm the channel
 * first
 */
export function digestSubscribed(campaign: Campaign | undefined, mustWait: boolean): string {
  const what = campaign
    ? `One message in this channel says what waits in *${titleOf(campaign)}*`
    : 'One message per campaign in this channel says what waits there';
  const shared = mustWait
    ? ' This channel is shared with another company, so nothing is posted here until an owner of the account confirms it.'
    : '';
  return `${what}, and no cards are posted for it.${shared} ${howToStop}`;
}

export const hasDigest = `This channel has that digest already. ${howToStop}`;

/** The channel already shows what a digest would. */
export const hasCards =
  'This channel already gets these cards, and one message per campaign counts the other waiting tasks. A digest would add nothing.';

/** A digest needs the data that the bot reads for the card channel. */
export const noCardChannel =
  'A digest needs a channel that gets the cards, and none does yet. Type `/proofdesk subscribe` in that channel, then try again.';

/** Returns a channel's digests, for a list; '' for none. @param campaigns undefined stands for the whole account */
export function digestsText(campaigns: readonly (Pick<Campaign, 'id' | 'title'> | undefined)[]): string {
  if (campaigns.length === 0) return '';
  const named = campaigns.map((campaign) =>
    campaign === undefined ? 'all campaigns' : `*${titleOf(campaign)}*`,
  );
  const shown = named.slice(0, namedCampaigns);
  const more = named.length - shown.length;
  return `Digest: ${[...shown, ...(more > 0 ? [`${number(more)} more`] : [])].join(', ')}`;
}

/** Maximum number of campaigns named. */
const namedCampaigns = 5;

function titleOf({ id, title }: Pick<Campaign, 'id' | 'title'>): string {
  return inline(title, 80) || `Campaign ${inline(id, 80)}`;
}
