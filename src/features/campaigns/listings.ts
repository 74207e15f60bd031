import { type Campaign, campaignOf, searchCampaigns } from '../../domain/campaign.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { modalDeadlineMs } from '../../kit/budgets.ts';
import type { Stores } from '../../kit/modules.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import { TransportError } from '../../marketplace/index.ts';
import { inline } from '../../slack/mrkdwn.ts';

/** Timeout of one list request that somebody is waiting for. */
export const listTimeoutMs = 2_500;
/** Timeout of one request for a form that can fall back to stored data. */
const refreshTimeoutMs = 1_500;
/** Characters from which a select searches the marketplace too. */
const fewestSearched = 3;

/** All campaigns of an account, most urgent first. */
export interface CampaignListing {
  readonly campaigns: readonly Campaign[];
  /** Set when the marketplace did not answer: the time of the stored data (ms). */
  readonly lastSeen: number | undefined;
}

/** A campaign as it is now, or as last seen. */
export interface CampaignSnapshot extends Pick<CampaignListing, 'lastSeen'> {
  readonly campaign: Campaign;
}

/** A resolved campaign; fresh: the marketplace has just listed it. */
export interface ResolvedCampaign {
  readonly campaign: Campaign;
  readonly isFresh: boolean;
}

/** The campaign with a typed id or part of a title, or the several that it may be. */
type CampaignMatch = ResolvedCampaign | { readonly several: readonly Campaign[] };

/** Creates the lookup of an account's campaigns, from the marketplace or from the last stored list. */
export function createCampaignListings(
  { campaigns, logger }: Stores,
  marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>,
) {
  async function fetchAll(ref: AccountRef, deadlineMs: number): Promise<Campaign[]> {
    const client = await marketplaceOf(ref);
    let isComplete = true;
    const onIncomplete = () => {
      isComplete = false;
    };
    const listed = (await client.listCampaignsExtended({}, { deadlineMs, onIncomplete })).map(campaignOf);
    await campaigns.store(ref, listed);
    // An incomplete list removes nothing: missing campaigns are shown as last seen.
    return byUrgency(isComplete ? listed : await campaigns.all(ref));
  }

  async function fetchArchive(
    ref: AccountRef,
    options: { readonly deadlineMs: number; readonly signal?: AbortSignal },
  ): Promise<Campaign[]> {
    const client = await marketplaceOf(ref);
    return (await client.listCampaignsExtended({ folder: 'ARCHIVE' }, options)).map(campaignOf);
  }

  /**
   * Searches the list and the archive in parallel: the API does not say which campaigns it lists without a folder, and
   * sequential requests would take too long. Throws the error of a failed request if the other one finds nothing.
   */
  async function searchEverywhere<T>(
    ref: AccountRef,
    deadlineMs: number,
    search: (among: readonly Campaign[]) => T | undefined,
  ): Promise<T | undefined> {
    const abort = new AbortController();
    const archiveRequest = Promise.allSettled([fetchArchive(ref, { deadlineMs, signal: abort.signal })]);
    const [list] = await Promise.allSettled([fetchAll(ref, deadlineMs)]);
    const listed = list.status === 'fulfilled' ? search(list.value) : undefined;
    if (listed !== undefined) {
      abort.abort();
      return listed;
    }
    const [archive] = await archiveRequest;
    const archived = archive.status === 'fulfilled' ? search(archive.value) : undefined;
    if (archived !== undefined) return archived;
    for (const request of [list, archive]) if (request.status === 'rejected') throw request.reason;
    return undefined;
  }

  /** Returns all campaigns; if the marketplace does not answer, those last seen and the time. */
  async function list(ref: AccountRef): Promise<CampaignListing> {
    try {
      return { campaigns: await fetchAll(ref, listTimeoutMs), lastSeen: undefined };
    } catch (error) {
      const stored = error instanceof TransportError ? await campaigns.all(ref) : [];
      if (stored.length === 0) throw error;
      logger.warn({ err: error }, 'campaign list request failed, showing last seen');
      return { campaigns: byUrgency(stored), lastSeen: (await campaigns.storedAt(ref)) ?? 0 };
    }
  }

  /** Returns the campaign with an id, from the store if present. Throws a UserError when the account has none. */
  async function resolve(
    ref: AccountRef,
    id: CampaignId,
    deadlineMs = modalDeadlineMs,
  ): Promise<ResolvedCampaign> {
    const stored = await campaigns.get(ref, id);
    if (stored !== undefined) return { campaign: stored, isFresh: false };
    const campaign = await searchEverywhere(ref, deadlineMs, (among) => among.find((one) => one.id === id));
    if (campaign === undefined) throw new UserError(noSuchCampaign);
    return { campaign, isFresh: true };
  }

  /** Returns the current campaign; as last seen when the marketplace does not answer. */
  async function refresh(
    ref: AccountRef,
    { campaign, isFresh }: ResolvedCampaign,
    deadlineMs = refreshTimeoutMs,
  ): Promise<CampaignSnapshot> {
    if (isFresh) return { campaign, lastSeen: undefined };
    try {
      const found = await searchEverywhere(ref, deadlineMs, (among) =>
        among.find(({ id }) => id === campaign.id),
      );
      return { campaign: found ?? campaign, lastSeen: undefined };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return { campaign, lastSeen: await campaigns.storedAt(ref) };
    }
  }

  return {
    list,
    resolve,
    refresh,

    /** Returns the campaigns in the archive, most urgent first. */
    archived: async (ref: AccountRef): Promise<Campaign[]> =>
      byUrgency(await fetchArchive(ref, { deadlineMs: listTimeoutMs })),

    /** Returns the current campaign with an id for a full report. Throws a UserError when the account has none. */
    snapshot: async (ref: AccountRef, id: CampaignId): Promise<CampaignSnapshot> =>
      refresh(ref, await resolve(ref, id, listTimeoutMs), listTimeoutMs),

    /** Like {@link resolve}, but returns only the campaign. */
    async byId(ref: AccountRef, id: CampaignId, deadlineMs = modalDeadlineMs): Promise<Campaign> {
      return (await resolve(ref, id, deadlineMs)).campaign;
    },

    /** Returns the campaigns that a text typed into a select may mean. Asks the marketplace for those not yet seen. */
    async offered(ref: AccountRef, text: string): Promise<readonly Campaign[]> {
      const stored = await campaigns.all(ref);
      const known = stored.length > 0 ? byUrgency(stored) : await fetchAll(ref, modalDeadlineMs);
      const { found } = searchCampaigns(known, text);
      if (found.length > 0 || text.trim().length < fewestSearched) return found;
      const everywhere = await searchEverywhere(ref, modalDeadlineMs, (among) => {
        const { found: there } = searchCampaigns(among, text);
        return there.length > 0 ? byUrgency(there) : undefined;
      });
      return everywhere ?? [];
    },

    /**
     * Returns the matches of an id or part of a title. Throws a UserError if neither the store nor the marketplace has a
     * match, or the error of that request.
     */
    async find(ref: AccountRef, text: string, deadlineMs = modalDeadlineMs): Promise<CampaignMatch> {
      const match =
        matchIn(await campaigns.all(ref), text, false) ??
        (await searchEverywhere(ref, deadlineMs, (among) => matchIn(among, text, true)));
      if (match !== undefined) return match;
      throw new UserError(
        `Your account has no campaign with the id “${inline(text)}”, and none with that in its title. See them all with \`/campaign list\`.`,
      );
    },
  };
}

const noSuchCampaign =
  'Your account has no such campaign. You may be connected to a different account. See its campaigns with `/campaign list`.';

function byUrgency(campaigns: readonly Campaign[]): Campaign[] {
  return [...campaigns].sort(
    (a, b) =>
      b.tasksNotRated - a.tasksNotRated ||
      (b.createdAt ?? 0) - (a.createdAt ?? 0) ||
      a.title.localeCompare(b.title, 'en', { numeric: true }) ||
      a.id.localeCompare(b.id),
  );
}

function matchIn(campaigns: readonly Campaign[], text: string, isFresh: boolean): CampaignMatch | undefined {
  const { found, only } = searchCampaigns(byUrgency(campaigns), text);
  if (only) return { campaign: only, isFresh };
  return found.length > 0 ? { several: found } : undefined;
}
