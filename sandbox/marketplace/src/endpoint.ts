import type { Answer } from './answers.ts';
import { Refusal } from './answers.ts';
import { parseDatetime } from './datetime.ts';
import type { Form } from './form.ts';
import type { Account, Campaign, World } from './model.ts';
import type { Settings } from './settings.ts';

/** One request to one endpoint, parsed and authenticated. */
export interface Call {
  /** The id at the end of the path; empty if the path has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Form;
  readonly account: Account;
  readonly world: World;
  readonly settings: Settings;
  readonly now: number;
  /** The time whose state the answer shows: now, or earlier if a fault says so. */
  readonly asOf: number;
}

/** An operation of the API, as data and one function. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:id` stands for the last segment. */
  readonly path: string;
  /** Present if only one role may call it ("Authentication"). */
  readonly role?: Account['role'];
  /** Synchronous, so that requests cannot interleave. */
  readonly handle: (call: Call) => Answer;
}

/** Returns the account's own campaign. *Assumed*: campaigns of other accounts answer NO SUCH CAMPAIGN. */
export function ownCampaign(call: Call): Campaign {
  const campaign = call.world.campaigns.get(call.id);
  if (campaign?.owner !== call.account.id) throw new Refusal('NO SUCH CAMPAIGN', { campaign_id: call.id });
  return campaign;
}

/** Returns the account's campaigns, newest first. */
export function ownCampaigns({ world, account }: Call): Campaign[] {
  return [...world.campaigns.values()]
    .filter((campaign) => campaign.owner === account.id)
    .sort((one, other) => other.created - one.created);
}

/** Reads query parameters and collects the texts of errors_list. Empty parameters count as absent. */
export function createChecks(query: Readonly<Record<string, string>>): {
  readonly errors: string[];
  choice<T extends string>(name: string, allowed: readonly T[], label: string): T | undefined;
  datetime(name: string, label: string): number | undefined;
} {
  const errors: string[] = [];
  return {
    errors,
    choice(name, allowed, label) {
      const text = query[name] ?? '';
      const found = allowed.find((value) => value === text);
      if (text !== '' && found === undefined) errors.push(`${label} has invalid value`);
      return found;
    },
    datetime(name, label) {
      const text = query[name] ?? '';
      if (text === '') return undefined;
      const at = parseDatetime(text);
      if (at === undefined) errors.push(`${label} is invalid datetime`);
      return at;
    },
  };
}

/** Returns whether a time lies within inclusive bounds; null never does. */
export function within(at: number | null, from: number | undefined, to: number | undefined): boolean {
  if (from === undefined && to === undefined) return true;
  if (at === null) return false;
  const second = Math.floor(at / 1000) * 1000;
  return second >= (from ?? Number.NEGATIVE_INFINITY) && second <= (to ?? Number.POSITIVE_INFINITY);
}
