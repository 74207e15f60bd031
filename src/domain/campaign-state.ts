import { z } from 'zod';
import { type CampaignStatus, campaignStatuses } from './terms.ts';

const Status = z.enum(campaignStatuses);

/** A campaign's status as it was confirmed, and what the list says meanwhile. */
export const CampaignState = z
  .object({
    status: Status,
    /** When it was confirmed (ms). */
    since: z.number(),
    /** The statuses before, until when (ms) they held: a list that lags shows one of them again. */
    former: z.array(z.object({ status: Status, until: z.number() }).readonly()).readonly(),
    /** Another status that the list shows: since when (ms), and at how many polls in a row. */
    seen: z.object({ status: Status, since: z.number(), polls: z.number() }).readonly().exactOptional(),
    /** People are still to be told of the status. */
    untold: z.literal(true).exactOptional(),
  })
  .readonly();
export type CampaignState = z.infer<typeof CampaignState>;

/** A status that differs must be listed at so many polls in a row before it is looked up in the other list. */
const pollsBeforeProof = 2;
/** A status that held shortly before (ms) must be shown by both lists for as long: either may lag. */
const lagMs = 600_000;
const maxFormer = 5;

/** The statuses that people are told of. */
const told: ReadonlySet<CampaignStatus> = new Set([
  'FINISHED',
  'BLOCKED',
  'PAUSED',
  'PAUSED_ADMIN',
  'PAUSED_SYSTEM',
]);

/** Returns the state after a poll has listed a campaign. What is seen first is how it is: nobody is told of that. Pure. */
export function observed(
  before: CampaignState | undefined,
  status: CampaignStatus,
  at: number,
): CampaignState {
  if (before === undefined) return { status, since: at, former: [] };
  if (before.status === status) {
    if (before.seen === undefined) return before;
    const { seen: _, ...rest } = before;
    return rest;
  }
  const { seen } = before;
  if (seen?.status !== status) return { ...before, seen: { status, since: at, polls: 1 } };
  return { ...before, seen: { ...seen, polls: seen.polls + 1 } };
}

/** Returns the status that is to be looked up in the other list now; undefined while the first may only lag, or err. */
export function toBeProved({ former, seen }: CampaignState, at: number): CampaignStatus | undefined {
  if (seen === undefined || seen.polls < pollsBeforeProof) return undefined;
  const isRecent = former.some(({ status, until }) => status === seen.status && at - until < lagMs);
  return isRecent && at - seen.since < lagMs ? undefined : seen.status;
}

/** Returns the state once the other list was read. @param status what that one says; absent: it lacks the campaign */
export function proved(before: CampaignState, status: CampaignStatus | undefined, at: number): CampaignState {
  const { seen, ...rest } = before;
  if (seen === undefined || status !== seen.status) return rest;
  return changedTo(before, status, at, told.has(status));
}

/** Returns the state of a campaign of which people were told this status before Redis lost that. */
export function restoredState(
  before: CampaignState | undefined,
  status: CampaignStatus,
  at: number,
): CampaignState | undefined {
  if (before === undefined) return { status, since: at, former: [] };
  if (before.since >= at) return undefined;
  return before.status === status ? withoutUntold(before) : changedTo(before, status, at, false);
}

/** Returns the state once people were told. */
export function withoutUntold(state: CampaignState): CampaignState {
  const { untold: _, ...rest } = state;
  return rest;
}

function changedTo(
  { status: was, former }: CampaignState,
  status: CampaignStatus,
  at: number,
  isTold: boolean,
): CampaignState {
  return {
    status,
    since: at,
    former: [...former, { status: was, until: at }].slice(-maxFormer),
    ...(isTold ? { untold: true } : {}),
  };
}
