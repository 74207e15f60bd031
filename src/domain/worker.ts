import { z } from 'zod';
import { type CampaignId, MemberId, type Rating, ratings, type WorkerId } from './terms.ts';

/** Number of a worker's tasks per rating. */
export type RatingCounts = Readonly<Record<Rating, number>>;

/** A worker's record on a card: tasks per rating, number of campaigns, and tasks in this campaign. */
export const ShownRecord = z
  .object({
    counts: z
      .object({
        NOTREVIEWED: z.number(),
        NOTRATED: z.number(),
        OK: z.number(),
        NOK: z.number(),
        REVISE: z.number(),
      })
      .readonly(),
    campaigns: z.number(),
    /** Those of the task's own campaign, if there are others. */
    here: z.object({ OK: z.number(), NOK: z.number(), REVISE: z.number() }).readonly().exactOptional(),
  })
  .readonly();
export type ShownRecord = z.infer<typeof ShownRecord>;

/** A worker's record: their tasks in every imported campaign. */
export interface WorkerRecord {
  readonly id: WorkerId;
  readonly name?: string;
  readonly counts: RatingCounts;
  /** Number of campaigns with their tasks. */
  readonly campaigns: number;
  /** Those of the campaign in which it is shown, if there are others. */
  readonly here?: NonNullable<ShownRecord['here']>;
}

/** Who put a worker on a list, and when (ms). `by` absent: the worker was already on the marketplace's list. */
export const Listing = z.object({ by: MemberId.exactOptional(), at: z.number() }).readonly();
export type Listing = z.infer<typeof Listing>;

/** A worker on a mirrored list. */
export interface ListedWorker extends Listing {
  readonly worker: WorkerId;
}

/** A worker's tasks in one campaign. */
export interface WorkerInCampaign {
  readonly name: string;
  readonly counts: RatingCounts;
}

export const noTasks: RatingCounts = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };

/** The workers of a campaign. */
export type WorkersInCampaign = ReadonlyMap<WorkerId, WorkerInCampaign>;

/** Creates a tally of a campaign's workers, fed with all of its tasks. */
export function createWorkerTally() {
  const found = new Map<WorkerId, { name: string; counts: Record<Rating, number> }>();
  return {
    add(id: WorkerId, name: string, rating: Rating): void {
      const known = found.get(id);
      if (known === undefined) {
        found.set(id, { name, counts: { ...noTasks, [rating]: 1 } });
        return;
      }
      if (name !== '') known.name = name;
      known.counts[rating] += 1;
    },
    workers: (): WorkersInCampaign => found,
  };
}

/**
 * Returns a worker's record over several campaigns.
 * @param known the worker's tasks in each of them
 * @param here the campaign in which it is shown
 */
export function recordOf(
  id: WorkerId,
  known: ReadonlyMap<CampaignId, WorkerInCampaign>,
  here?: CampaignId,
): WorkerRecord {
  const counts = { ...noTasks };
  let name = '';
  for (const worker of known.values()) {
    if (worker.name !== '') name = worker.name;
    for (const rating of ratings) counts[rating] += worker.counts[rating];
  }
  return {
    id,
    ...(name === '' ? {} : { name }),
    counts,
    campaigns: known.size,
    ...(here === undefined || known.size < 2 ? {} : { here: ratedOf(known.get(here)?.counts ?? noTasks) }),
  };
}

function ratedOf({ OK, NOK, REVISE }: RatingCounts): NonNullable<ShownRecord['here']> {
  return { OK, NOK, REVISE };
}
