import { z } from 'zod';
import { type CampaignStatus, campaignStatuses } from './terms.ts';

const Status = z.enum(campaignStatuses);

/** A campaign's confirmed status, and other statuses listed meanwhile. */
export const CampaignState = z
  .object({
    status: Status,
    /** When it was confirmed (ms). */
    since: z.number(),
    /** Previous statuses, and until when (ms) they held: a lagging list shows one of them again. */
    former: z.array(z.object({ status: Status, until: z.number() }).readonly()).readonly(),
    /** Another status currently listed, and since when (ms). */
    seen: z.object({ status: Status, since: z.number() }).readonly().exactOptional(),
    /** Whether people have yet to be told of the status. */
    untold: z.literal(true).exactOptional(),
  })
  .readonly();
export type CampaignState = z.infer<typeof CampaignState>;

/** A status that held shortly before (ms) must be shown by both lists for this long, because either may lag. */
const lagMs = 600_000;
const maxFormer = 5;

/** The statuses announced to people. */
const told: ReadonlySet<CampaignStatus> = new Set([
  'FINISHED',
  'BLOCKED',
  'PAUSED',
  'PAUSED_ADMIN',
  'PAUSED_SYSTEM',
]);

/** Returns the state after a poll has listed a campaign. The first status counts as known, and is not announced. Pure. */
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
  return before.seen?.status === status ? before : { ...before, seen: { status, since: at } };
}

/**
 * Returns the status to confirm in the other list now; undefined while the first may just lag, or err.
 * @param listedAt when the first list was last read (ms): it must have shown the status twice in a row
 */
export function toBeProved(
  { former, seen }: CampaignState,
  at: number,
  listedAt: number,
): CampaignStatus | undefined {
  if (seen === undefined || listedAt <= seen.since) return undefined;
  const isRecent = former.some(({ status, until }) => status === seen.status && at - until < lagMs);
  return isRecent && at - seen.since < lagMs ? undefined : seen.status;
}

/** Returns the state after the other list was read. @param status listed there; absent: it lacks the campaign */
export function proved(before: CampaignState, status: CampaignStatus | undefined, at: number): CampaignState {
  const { seen, ...rest } = before;
  if (seen === undefined || status !== seen.status) return rest;
  return changedTo(before, status, at, told.has(status));
}

/** Returns whether work is left for a campaign: a status to confirm, or to announce. */
export function isUnsettled({ seen, untold }: CampaignState): boolean {
  return seen !== undefined || untold === true;
}

/** Returns the state after people were told. */
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
