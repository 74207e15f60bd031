import type { CampaignId } from './terms.ts';

/**
 * Returns the campaigns that prove that two lists belong to one account; empty if they do not. The marketplace's ids are
 * unique and an account sees only its own campaigns, so different accounts share none. Still, more than half of the
 * shorter list must match: the lists may be from different days, and one may omit archived campaigns.
 */
export function commonCampaigns(
  known: ReadonlySet<CampaignId>,
  seen: ReadonlySet<CampaignId>,
): readonly CampaignId[] {
  const common = [...seen].filter((id) => known.has(id));
  return common.length * 2 > Math.min(known.size, seen.size) ? common : [];
}
