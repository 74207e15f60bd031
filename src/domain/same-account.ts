import type { CampaignId } from './terms.ts';

/**
 * Returns the campaigns that prove that two lists are of one account; empty when they do not prove it. The marketplace's
 * ids are unique and an account sees only its own campaigns, so accounts share none. Required are more than half of the
 * shorter list all the same: the lists may be of different days, and one of them may leave archived campaigns out.
 */
export function commonCampaigns(
  known: ReadonlySet<CampaignId>,
  seen: ReadonlySet<CampaignId>,
): readonly CampaignId[] {
  const common = [...seen].filter((id) => known.has(id));
  return common.length * 2 > Math.min(known.size, seen.size) ? common : [];
}
