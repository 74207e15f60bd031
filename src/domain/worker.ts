import { z } from 'zod';
import { type CampaignId, MemberId, type Rating, ratings, type WorkerId } from './terms.ts';

/** How many tasks of a worker have which rating. */
export type RatingCounts = Readonly<Record<Rating, number>>;

/** What a card says of its worker's tasks: how many have which rating, and in how many campaigns. */
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
  })
  .readonly();
export type ShownRecord = z.infer<typeof ShownRecord>;

/** What is known of a worker: their tasks in every campaign that was imported. */
export interface WorkerRecord {
  readonly id: WorkerId;
  readonly name?: string;
  readonly counts: RatingCounts;
  /** Campaigns in which they have tasks. */
  readonly campaigns: number;
}

/** Who put a worker on a list, and when (ms). `by` absent: the worker was on the marketplace's list before. */
export const Listing = z.object({ by: MemberId.exactOptional(), at: z.number() }).readonly();
export type Listing = z.infer<typeof Listing>;

/** A worker on a list that is mirrored here. */
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

/** Counts the workers of a campaign, from all of its tasks one after the other. */
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

/** Returns a worker's record over several campaigns. @param known the worker's tasks in each of them */
export function recordOf(id: WorkerId, known: ReadonlyMap<CampaignId, WorkerInCampaign>): WorkerRecord {
  const counts = { ...noTasks };
  let name = '';
  for (const worker of known.values()) {
    if (worker.name !== '') name = worker.name;
    for (const rating of ratings) counts[rating] += worker.counts[rating];
  }
  return { id, ...(name === '' ? {} : { name }), counts, campaigns: known.size };
}
