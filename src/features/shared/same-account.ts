import { commonCampaigns } from '../../domain/same-account.ts';
import type { AccountRef, CampaignId, WorkspaceId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/** The account a key was recognized as, by the campaigns both can see. */
export interface RecognizedAccount {
  readonly ref: AccountRef;
  readonly common: readonly CampaignId[];
}

type Deps = Pick<FeatureContext, 'accounts' | 'campaigns' | 'subscriptions'>;

/** Returns the workspace's accounts with known campaigns, and the ids of these. */
export async function accountsWithCampaigns(
  { accounts, campaigns, subscriptions }: Deps,
  workspace: WorkspaceId,
): Promise<(readonly [AccountRef, ReadonlySet<CampaignId>])[]> {
  const refs = new Map((await accounts.all(workspace)).map((ref) => [ref.account, ref]));
  // An account whose last key was deleted is still polled while it has subscriptions, or unfinished work.
  for (const ref of await subscriptions.polledAccounts()) {
    if (ref.workspace === workspace) refs.set(ref.account, ref);
  }
  const known = await Promise.all(
    [...refs.values()].map(async (ref) => [ref, new Set(await campaigns.ids(ref))] as const),
  );
  return known.filter(([, ids]) => ids.size > 0);
}

/** Returns the workspace's account that shares most campaigns with a key; undefined if none does. */
export async function recognizeAccount(
  deps: Deps,
  workspace: WorkspaceId,
  seen: ReadonlySet<CampaignId>,
): Promise<RecognizedAccount | undefined> {
  const [best] = (await accountsWithCampaigns(deps, workspace))
    .map(([ref, known]) => ({ ref, common: commonCampaigns(known, seen) }))
    .filter(({ common }) => common.length > 0)
    .sort((a, b) => b.common.length - a.common.length);
  return best;
}
