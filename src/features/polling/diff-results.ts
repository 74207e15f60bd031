import { countsOf } from '../../domain/campaign.ts';
import type { SeenRow } from '../../domain/events.ts';
import { isSubmittedLater } from '../../domain/resubmission.ts';
import type { EarlierRound } from '../../domain/task.ts';
import type { AccountRef, CampaignId, Rating, TaskId } from '../../domain/terms.ts';
import { workersOf } from '../../domain/worker.ts';
import type { MarketplaceClient, ResultRow } from '../../marketplace/index.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { PollingContext } from './context.ts';

/** How a campaign's results differ from what is known. */
export interface ResultsDiff {
  readonly campaign: CampaignId;
  /** Rows to be applied as `seen` events, oldest first. */
  readonly rows: readonly Omit<SeenRow, 'want'>[];
  /** The ratings that were known when the results were read. */
  readonly known: ReadonlyMap<TaskId, Rating>;
  /** The size of the results. */
  readonly bytes: number;
  /**
   * Records the import; an incomplete one is repeated at the next poll. Resolves false when the data are no longer those
   * that it began with: then it is repeated as well.
   */
  readonly recordImport: (isComplete: boolean) => Promise<boolean>;
}

/**
 * Reads a campaign's results and compares them with what is known.
 * @param found cards of unknown tasks: these count as new even when they have been rated meanwhile
 * @param epoch the data that the import began with
 */
export async function readChanges(
  context: Pick<PollingContext, 'campaigns' | 'now' | 'tasks' | 'workers'>,
  marketplace: MarketplaceClient,
  ref: AccountRef,
  id: CampaignId,
  found: ReadonlyMap<TaskId, FoundCard>,
  epoch: DataEpoch,
): Promise<ResultsDiff> {
  const { tasks, campaigns, now } = context;
  const listed = await campaigns.get(ref, id);
  const readAt = now();
  const { rows, bytes } = await marketplace.campaignResults(id);
  await context.workers.storeCampaign(ref, id, workersOf(rows));
  const known = await tasks.knownRatings(ref, id);
  const ratedBefore = new Map<TaskId, Rating>();
  const changed: Omit<SeenRow, 'want'>[] = [];
  const revised = revisedTasks(rows);
  const waiting = rows.filter(({ taskId, rating }) => rating === 'NOTRATED' && known.get(taskId) === rating);
  const submittedAt = await tasks.submittedAt(
    ref,
    waiting.map(({ taskId }) => taskId),
  );
  for (const row of rows) {
    const last = known.get(row.taskId);
    if (last === row.rating && !isSubmittedLater(submittedAt.get(row.taskId), row.finishedAt?.getTime()))
      continue;
    if (last === undefined && row.rating !== 'NOTRATED' && !found.has(row.taskId))
      ratedBefore.set(row.taskId, row.rating);
    else
      changed.push(
        seenRow(id, row, readAt, last === undefined ? revised.get(correctionKey(row)) : undefined),
      );
  }
  await tasks.recordRatings(ref, id, ratedBefore, known);
  changed.sort((a, b) => (a.proof.finishedAt ?? 0) - (b.proof.finishedAt ?? 0));
  return {
    campaign: id,
    rows: changed,
    known,
    bytes,
    async recordImport(isComplete) {
      const counts = isComplete && listed ? countsOf(listed) : '';
      return campaigns.recordImport(ref, id, { counts, at: readAt, bytes }, epoch);
    },
  };
}

function seenRow(
  campaign: CampaignId,
  row: ResultRow,
  readAt: number,
  corrects: EarlierRound | undefined,
): Omit<SeenRow, 'want'> {
  return {
    readAt,
    id: row.taskId,
    campaign,
    rating: row.rating,
    comment: row.employerComment,
    csvRow: row.csvRow,
    ...(row.finishedAt ? { submittedAt: row.finishedAt.getTime() } : {}),
    worker: {
      id: row.workerId,
      ...(row.username ? { name: row.username } : {}),
      country: row.countryCode,
      ip: row.ip,
    },
    proof: {
      slots: row.proof.filter((slot) => slot.trim() !== ''),
      files: [],
      ...(row.finishedAt ? { finishedAt: row.finishedAt.getTime() } : {}),
    },
    ...(corrects ? { corrects } : {}),
  };
}

/** Tasks in REVISE by worker and CSV row: a new task of the same two is most likely their correction. */
function revisedTasks(rows: readonly ResultRow[]): Map<string | undefined, EarlierRound> {
  const revised = new Map<string | undefined, EarlierRound>();
  for (const row of rows) {
    const key = row.rating === 'REVISE' ? correctionKey(row) : undefined;
    if (key) revised.set(key, { slots: row.proof, comment: row.employerComment, likely: true });
  }
  return revised;
}

/** Undefined where a campaign has no template: then a worker's tasks cannot be told apart. */
function correctionKey({ workerId, csvRow }: ResultRow): string | undefined {
  return csvRow === '' || csvRow === '0' ? undefined : `${workerId}\0${csvRow}`;
}
