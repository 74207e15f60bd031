import { countsOf } from '../../domain/campaign.ts';
import type { SeenRow } from '../../domain/events.ts';
import type { EarlierRound } from '../../domain/task.ts';
import type { AccountRef, CampaignId, Rating, TaskId } from '../../domain/terms.ts';
import { workersOf } from '../../domain/worker.ts';
import type { MarketplaceClient, ResultRow } from '../../marketplace/index.ts';
import type { Campaigns, FoundCard } from '../../store/campaigns.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Workers } from '../../store/workers.ts';

/** What of a campaign's results is not known yet. */
export interface News {
  readonly campaign: CampaignId;
  /** Rows to be applied as `seen`, oldest first. */
  readonly rows: readonly Omit<SeenRow, 'want'>[];
  /** What was known when they were read. */
  readonly known: ReadonlyMap<TaskId, Rating>;
  /** How large the results are. */
  readonly bytes: number;
  /** Writes down that the read was taken in: `complete` false makes the next look read again. */
  readonly done: (complete: boolean) => Promise<void>;
}

/**
 * Reads a campaign's results and finds what differs from what is known.
 * @param found cards of unknown tasks: those tasks are news even when they have been rated meanwhile
 */
export async function readCampaign(
  deps: { tasks: Tasks; campaigns: Campaigns; workers: Workers; now: () => number },
  marketplace: MarketplaceClient,
  ref: AccountRef,
  id: CampaignId,
  found: ReadonlyMap<TaskId, FoundCard>,
): Promise<News> {
  const { tasks, campaigns, now } = deps;
  const listed = await campaigns.get(ref, id);
  const readAt = now();
  const { rows, bytes } = await marketplace.campaignResults(id);
  await deps.workers.storeCampaign(ref, id, workersOf(rows));
  const known = await tasks.knownRatings(ref, id);
  const noted = new Map<TaskId, Rating>();
  const news: Omit<SeenRow, 'want'>[] = [];
  const revised = revisedTasks(rows);
  const waiting = rows.filter(({ taskId, rating }) => rating === 'NOTRATED' && known.get(taskId) === rating);
  const submittedAt = await tasks.submittedAt(
    ref,
    waiting.map(({ taskId }) => taskId),
  );
  for (const row of rows) {
    const last = known.get(row.taskId);
    if (last === row.rating && !isResubmitted(row, submittedAt.get(row.taskId))) continue;
    if (last === undefined && row.rating !== 'NOTRATED' && !found.has(row.taskId))
      noted.set(row.taskId, row.rating);
    else
      news.push(seenRow(id, row, readAt, last === undefined ? revised.get(correctionKey(row)) : undefined));
  }
  await tasks.recordRatings(ref, id, noted, known);
  news.sort((a, b) => (a.proof.finishedAt ?? 0) - (b.proof.finishedAt ?? 0));
  return {
    campaign: id,
    rows: news,
    known,
    bytes,
    async done(complete) {
      const counts = complete && listed ? countsOf(listed) : '';
      await campaigns.recordImport(ref, id, { counts, at: readAt, bytes });
    },
  };
}

/** Sent back and corrected elsewhere since the last read: the task itself tells. @param last when it was then (ms) */
function isResubmitted({ finishedAt }: ResultRow, last: number | undefined): boolean {
  return last !== undefined && finishedAt !== undefined && finishedAt.getTime() > last;
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
