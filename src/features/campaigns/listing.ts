import { type Campaign, campaignOf } from '../../domain/campaign.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { TransportError } from '../../marketplace/index.ts';
import { inline } from '../../slack/mrkdwn.ts';
import type { CampaignsDeps } from './deps.ts';
import { byUrgency } from './figures.ts';
import { filterAsked } from './filter.ts';
import type { ListFilter } from './values.ts';
import { formWait, type Wait } from './waits.ts';

/** People wait for the answer. */
const patienceMs = 2_500;
/** A form that can be filled in from what was last seen does not wait longer for what is now. */
const briefPatienceMs = 1_500;

/** All campaigns of an account, the most urgent first. */
export interface Listing {
  readonly campaigns: readonly Campaign[];
  /** The marketplace did not answer: these are as seen then (ms). */
  readonly lastSeen: number | undefined;
}

/** A campaign that was found; fresh: the marketplace has named it just now. */
export interface Known {
  readonly campaign: Campaign;
  readonly isFresh: boolean;
}

/** A campaign as it is now. */
export interface Standing {
  readonly campaign: Campaign;
  /** The marketplace did not answer: this is as seen then (ms). */
  readonly lastSeen: number | undefined;
}

/** Whether the marketplace has to be asked: what is kept here knows no folders, and no days but that of the creation. */
function needsMarketplace({ folder, created, restarted, finished }: ListFilter): boolean {
  return [folder, created, restarted, finished].some((part) => part !== undefined);
}

/** Campaigns by what somebody typed: an id, or part of a title. */
export type Found =
  | ({ readonly kind: 'id' | 'title' } & Known)
  | { readonly kind: 'several'; readonly campaigns: readonly Campaign[] };

export type Listings = ReturnType<typeof createListings>;

/** The campaigns of an account: asked for, or as last seen. */
export function createListings({
  campaigns,
  marketplaceOf,
  logger,
  zone,
}: Pick<CampaignsDeps, 'campaigns' | 'marketplaceOf' | 'logger' | 'zone'>) {
  async function ask(ref: AccountRef, deadlineMs: number): Promise<Campaign[]> {
    const client = await marketplaceOf(ref);
    const seen = (await client.listCampaignsExtended({}, { deadlineMs })).map(campaignOf);
    await campaigns.store(ref, seen);
    return byUrgency(seen);
  }

  async function archived(
    ref: AccountRef,
    options: { readonly deadlineMs: number; readonly signal?: AbortSignal },
  ): Promise<Campaign[]> {
    const client = await marketplaceOf(ref);
    return (await client.listCampaignsExtended({ folder: 'ARCHIVE' }, options)).map(campaignOf);
  }

  /**
   * Looks for something in the list, else in the archive: which campaigns the marketplace gives when no folder is asked
   * for, it does not say. Both are asked at once, since there is time for one after the other only while it is quick.
   * Throws why one of them could not be asked when it is not in the other.
   */
  async function everywhere<T>(
    ref: AccountRef,
    wait: Wait,
    pick: (among: readonly Campaign[]) => T | undefined,
  ): Promise<T | undefined> {
    const deadlineMs = wait.leftMs();
    const found = new AbortController();
    const asked = Promise.allSettled([archived(ref, { deadlineMs, signal: found.signal })]);
    const [list] = await Promise.allSettled([ask(ref, deadlineMs)]);
    const listed = list.status === 'fulfilled' ? pick(list.value) : undefined;
    if (listed !== undefined) {
      found.abort();
      return listed;
    }
    const [archive] = await asked;
    const stored = archive.status === 'fulfilled' ? pick(archive.value) : undefined;
    if (stored !== undefined) return stored;
    for (const part of [list, archive]) if (part.status === 'rejected') throw part.reason;
    return undefined;
  }

  /** Asks the marketplace; when it does not answer in time, gives what was last seen, and says so. */
  async function fresh(ref: AccountRef): Promise<Listing> {
    try {
      return { campaigns: await ask(ref, patienceMs), lastSeen: undefined };
    } catch (error) {
      const kept = error instanceof TransportError ? await campaigns.all(ref) : [];
      if (kept.length === 0) throw error;
      logger.warn({ err: error }, 'campaigns are shown as last seen');
      return { campaigns: byUrgency(kept), lastSeen: (await campaigns.storedAt(ref)) ?? 0 };
    }
  }

  /** The campaign of a button or form, as last seen. Throws a UserError when the account has none of that id. */
  async function lookUp(ref: AccountRef, id: CampaignId, wait: Wait): Promise<Known> {
    const kept = await campaigns.get(ref, id);
    if (kept !== undefined) return { campaign: kept, isFresh: false };
    const campaign = await everywhere(ref, wait, (among) => among.find((one) => one.id === id));
    if (campaign === undefined) throw new UserError(noSuchCampaign);
    return { campaign, isFresh: true };
  }

  return {
    fresh,

    lookUp,

    /** What was last seen; where nothing was yet, what the marketplace says. */
    async known(ref: AccountRef): Promise<Campaign[]> {
      const kept = await campaigns.all(ref);
      return kept.length > 0 ? byUrgency(kept) : ask(ref, formWait().leftMs());
    },

    /** The campaigns that fit a filter; one by status alone also when the marketplace does not answer. */
    async filtered(ref: AccountRef, filter: ListFilter): Promise<Listing> {
      const { status } = filter;
      if (!needsMarketplace(filter)) {
        const listing = await fresh(ref);
        const fits = (one: Campaign) => status === undefined || one.status === status;
        return { ...listing, campaigns: listing.campaigns.filter(fits) };
      }
      const client = await marketplaceOf(ref);
      const found = await client.listCampaignsExtended(filterAsked(filter, zone), { deadlineMs: patienceMs });
      return { campaigns: byUrgency(found.map(campaignOf)), lastSeen: undefined };
    },

    /**
     * Finds what somebody means by an id or part of a title. Throws a UserError when there is no such campaign, also
     * after asking the marketplace, or what that call throws.
     */
    async find(ref: AccountRef, text: string, wait: Wait = formWait()): Promise<Found> {
      const found =
        among(await campaigns.all(ref), text, false) ??
        (await everywhere(ref, wait, (some) => among(some, text, true)));
      if (found !== undefined) return found;
      throw new UserError(
        `No campaign of your account has the id “${inline(text, 80)}”, or that in its title. See them all with \`/campaign list\`.`,
      );
    },

    /** The campaign as it is now, for a form that shows it; as last seen when the marketplace takes long. */
    async current(ref: AccountRef, { campaign, isFresh }: Known, wait: Wait): Promise<Standing> {
      if (isFresh) return { campaign, lastSeen: undefined };
      try {
        const listed = await ask(ref, Math.min(briefPatienceMs, wait.leftMs()));
        return { campaign: listed.find(({ id }) => id === campaign.id) ?? campaign, lastSeen: undefined };
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        return { campaign, lastSeen: await campaigns.storedAt(ref) };
      }
    },

    /**
     * The campaign as it is now, for an answer that tells all of it; as last seen when the marketplace does not answer.
     * Throws a UserError when the account has none of that id.
     */
    async standing(ref: AccountRef, id: CampaignId): Promise<Standing> {
      const isIt = (one: Campaign) => one.id === id;
      const { campaigns: listed, lastSeen } = await fresh(ref);
      const campaign = listed.find(isIt);
      if (campaign !== undefined) return { campaign, lastSeen };
      const kept = await campaigns.get(ref, id);
      try {
        const found = (await archived(ref, { deadlineMs: patienceMs })).find(isIt) ?? kept;
        if (found !== undefined) return { campaign: found, lastSeen: undefined };
      } catch (error) {
        if (!(error instanceof TransportError) || kept === undefined) throw error;
        return { campaign: kept, lastSeen: await campaigns.storedAt(ref) };
      }
      throw new UserError(noSuchCampaign);
    },

    /** The campaign of a button or form, as last seen. Throws a UserError when the account has none of that id. */
    async byId(ref: AccountRef, id: CampaignId, wait: Wait = formWait()): Promise<Campaign> {
      return (await lookUp(ref, id, wait)).campaign;
    },
  };
}

const noSuchCampaign =
  'Your account has no such campaign. You may be connected to another account: see its campaigns with `/campaign list`.';

/** Those with the text in their title, whatever its capitals. */
export function withTitle(campaigns: readonly Campaign[], text: string): Campaign[] {
  const sought = text.trim().toLowerCase();
  return campaigns.filter(({ title }) => title.toLowerCase().includes(sought));
}

function among(campaigns: readonly Campaign[], text: string, isFresh: boolean): Found | undefined {
  const sought = text.trim();
  const byId = campaigns.find(({ id }) => id === sought);
  if (byId !== undefined) return { kind: 'id', campaign: byId, isFresh };
  const matching = byUrgency(withTitle(campaigns, sought));
  const whole = matching.filter(({ title }) => title.trim().toLowerCase() === sought.toLowerCase());
  const [campaign, ...others] = whole.length > 0 ? whole : matching;
  if (campaign === undefined) return undefined;
  return others.length === 0
    ? { kind: 'title', campaign, isFresh }
    : { kind: 'several', campaigns: matching };
}
