import { type Campaign, campaignOf } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { TransportError } from '../../marketplace/index.ts';
import { inline } from '../../slack/mrkdwn.ts';
import type { CampaignsDeps } from './deps.ts';
import { byUrgency } from './figures.ts';
import { filterAsked } from './filter.ts';
import type { ListFilter } from './values.ts';

/** People wait for the answer, and a modal must open within 3 seconds. */
const patienceMs = 2_500;
const formPatienceMs = 2_000;
const briefPatienceMs = 1_500;

/** All campaigns of an account, the most urgent first. */
export interface Listing {
  readonly campaigns: readonly Campaign[];
  /** The marketplace did not answer: these are as seen then (ms). */
  readonly lastSeen: number | undefined;
}

/** Whether the marketplace has to be asked: what is kept here knows no folders, and no days but that of the creation. */
function needsMarketplace({ folder, created, restarted, finished }: ListFilter): boolean {
  return [folder, created, restarted, finished].some((part) => part !== undefined);
}

/** Campaigns by what somebody typed: an id, or part of a title. */
export type Found =
  | { readonly kind: 'id' | 'title'; readonly campaign: Campaign }
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
    await campaigns.keep(ref, seen);
    return byUrgency(seen);
  }

  /** Which campaigns the marketplace gives when no folder is asked for, it does not say: the archive is asked for by name. */
  async function archived(ref: AccountRef): Promise<Campaign[]> {
    const client = await marketplaceOf(ref);
    const found = await client.listCampaignsExtended({ folder: 'ARCHIVE' }, { deadlineMs: briefPatienceMs });
    return found.map(campaignOf);
  }

  /** What was last seen; where nothing was yet, what the marketplace says. */
  async function known(ref: AccountRef): Promise<Campaign[]> {
    const kept = await campaigns.all(ref);
    return kept.length > 0 ? byUrgency(kept) : ask(ref, formPatienceMs);
  }

  /** Asks the marketplace; when it does not answer in time, gives what was last seen, and says so. */
  async function fresh(ref: AccountRef): Promise<Listing> {
    try {
      return { campaigns: await ask(ref, patienceMs), lastSeen: undefined };
    } catch (error) {
      const kept = error instanceof TransportError ? await campaigns.all(ref) : [];
      if (kept.length === 0) throw error;
      logger.warn({ err: error }, 'campaigns are shown as last seen');
      return { campaigns: byUrgency(kept), lastSeen: (await campaigns.keptAt(ref)) ?? 0 };
    }
  }

  return {
    known,

    fresh,

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
    async find(ref: AccountRef, text: string): Promise<Found> {
      const kept = await campaigns.all(ref);
      const found =
        among(kept, text) ?? among(await ask(ref, formPatienceMs), text) ?? among(await archived(ref), text);
      if (found !== undefined) return found;
      throw new UserError(
        `No campaign of your account has the id “${inline(text, 80)}”, or that in its title. See them all with \`/campaign list\`.`,
      );
    },

    /** The campaign as it is now, for a form that shows it; as last seen when the marketplace takes long. */
    async current(ref: AccountRef, last: Campaign): Promise<Campaign> {
      try {
        return (await ask(ref, briefPatienceMs)).find(({ id }) => id === last.id) ?? last;
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        return last;
      }
    },

    /** The campaign of a button or form. Throws a UserError when the account has none of that id. */
    async byId(ref: AccountRef, id: string): Promise<Campaign> {
      const isIt = (one: Campaign) => one.id === id;
      const found =
        (await campaigns.get(ref, id)) ??
        (await ask(ref, formPatienceMs)).find(isIt) ??
        (await archived(ref)).find(isIt);
      if (found !== undefined) return found;
      throw new UserError(
        'Your account has no such campaign. You may be connected to another account: see its campaigns with `/campaign list`.',
      );
    },
  };
}

/** Those with the text in their title, whatever its capitals. */
export function withTitle(campaigns: readonly Campaign[], text: string): Campaign[] {
  const sought = text.trim().toLowerCase();
  return campaigns.filter(({ title }) => title.toLowerCase().includes(sought));
}

function among(campaigns: readonly Campaign[], text: string): Found | undefined {
  const sought = text.trim();
  const byId = campaigns.find(({ id }) => id === sought);
  if (byId !== undefined) return { kind: 'id', campaign: byId };
  const matching = byUrgency(withTitle(campaigns, sought));
  const whole = matching.filter(({ title }) => title.trim().toLowerCase() === sought.toLowerCase());
  const [campaign, ...others] = whole.length > 0 ? whole : matching;
  if (campaign === undefined) return undefined;
  return others.length === 0 ? { kind: 'title', campaign } : { kind: 'several', campaigns: matching };
}
