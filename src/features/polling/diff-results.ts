import { type Campaign, countsOf } from '../../domain/campaign.ts';
import { examineRow } from '../../domain/confirmed-transition.ts';
import type { SeenRow } from '../../domain/events.ts';
import { chunksOf } from '../../domain/group.ts';
import { isSubmittedLater } from '../../domain/resubmission.ts';
import { type EarlierRound, filledSlots } from '../../domain/task.ts';
import type { AccountRef, CampaignId, Rating, TaskId } from '../../domain/terms.ts';
import { workersOf } from '../../domain/worker.ts';
import type { MarketplaceClient, ResultRow, ResultsProblem } from '../../marketplace/index.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { PollingContext } from './context.ts';

/** Fewer rows than this part of what the list says are not explained by a source that lags. */
const farFewer = 0.9;
/** How many records are loaded at once. */
const recordsAtOnce = 200;

/** A row that is to be applied, without what its task gets. */
export type RowOfDiff = Omit<SeenRow, 'want'>;

/** How a campaign's results differ from what is known. */
export interface ResultsDiff {
  readonly campaign: CampaignId;
  /** When the read began (ms). */
  readonly readAt: number;
  /** Rows of tasks that are not known yet, to be applied as `seen` events, oldest first. */
  readonly rows: readonly RowOfDiff[];
  /** Tasks in REVISE that unknown ones seem to correct, by the unknown one's id. */
  readonly corrected: ReadonlyMap<TaskId, { readonly id: TaskId; readonly round: EarlierRound }>;
  /** Rows that would change known tasks if get_task_info agreed, oldest first. */
  readonly suspicions: readonly RowOfDiff[];
  /** Rows that are older than what is known, or cannot be so. */
  readonly stale: number;
  /** The ratings that were known when the results were read. */
  readonly known: ReadonlyMap<TaskId, Rating>;
  /** How many rows there are. */
  readonly size: number;
  /** The size of the results. */
  readonly bytes: number;
  /** Why the results are not complete. */
  readonly problems: readonly ResultsProblem[];
  /** The campaign's counts in the list, '' when it was not listed, and in the results. */
  readonly counts: { readonly listed: string; readonly read: string };
}

/**
 * Reads a campaign's results and compares them with what is known.
 * @param found cards of unknown tasks: these count as new even when they have been rated meanwhile
 */
export async function readChanges(
  context: Pick<PollingContext, 'campaigns' | 'now' | 'tasks' | 'workers'>,
  marketplace: MarketplaceClient,
  ref: AccountRef,
  id: CampaignId,
  found: ReadonlyMap<TaskId, FoundCard>,
): Promise<ResultsDiff> {
  const { tasks, campaigns, now } = context;
  const listed = await campaigns.get(ref, id);
  const readAt = now();
  const { rows, bytes, problems: ownProblems } = await marketplace.campaignResults(id);
  const problems = withFewerRows(ownProblems, rows, listed);
  // A worker whose rows are missing would lose their record.
  if (problems.length === 0) await context.workers.storeCampaign(ref, id, workersOf(rows));
  const known = await tasks.knownRatings(ref, id);
  const waiting = rows.filter(({ taskId, rating }) => rating === 'NOTRATED' && known.get(taskId) === rating);
  const submittedAt = await tasks.submittedAt(
    ref,
    waiting.map(({ taskId }) => taskId),
  );
  const ratedBefore = new Map<TaskId, Rating>();
  const fresh: ResultRow[] = [];
  const differing: ResultRow[] = [];
  for (const row of rows) {
    const last = known.get(row.taskId);
    if (last === row.rating && !isSubmittedLater(submittedAt.get(row.taskId), row.finishedAt?.getTime()))
      continue;
    if (last !== undefined) differing.push(row);
    else if (row.rating !== 'NOTRATED' && !found.has(row.taskId)) ratedBefore.set(row.taskId, row.rating);
    else fresh.push(row);
  }
  await tasks.recordRatings(ref, id, ratedBefore, known);
  const toRow = (row: ResultRow) => seenRow(id, row, readAt);
  const examined = await examine(tasks, ref, differing.map(toRow), known);
  const revised = revisedTasks(rows);
  return {
    campaign: id,
    readAt,
    rows: byAge([...fresh.map(toRow), ...examined.unknown]),
    corrected: new Map(
      fresh.flatMap((row) => {
        const earlier = revised.get(correctionKey(row));
        return earlier ? [[row.taskId, earlier] as const] : [];
      }),
    ),
    suspicions: byAge(examined.suspicions),
    stale: examined.stale,
    known,
    size: rows.length,
    bytes,
    problems,
    counts: { listed: listed ? countsOf(listed) : '', read: countsIn(rows) },
  };
}

/** Sorts rows about tasks whose rating is known by what is to be done with them. */
async function examine(
  tasks: PollingContext['tasks'],
  ref: AccountRef,
  rows: readonly RowOfDiff[],
  known: ReadonlyMap<TaskId, Rating>,
) {
  const suspicions: RowOfDiff[] = [];
  const unknown: RowOfDiff[] = [];
  let stale = 0;
  for (const some of chunksOf(rows, recordsAtOnce)) {
    const loaded = await tasks.getMany(
      ref,
      some.map(({ id }) => id),
    );
    const records = new Map(loaded.map((task) => [task.id, task]));
    for (const row of some) {
      const task = records.get(row.id);
      if (task === undefined) {
        // Of the task nothing but its rating is known. That one which was rated waits again is to be proven.
        const wasRated = known.get(row.id) !== 'NOTREVIEWED' && known.get(row.id) !== 'NOTRATED';
        if (wasRated && row.rating === 'NOTRATED') suspicions.push(row);
        else unknown.push(row);
        continue;
      }
      const result = examineRow(task, { ...row, want: 'card' });
      if (result === 'ask') suspicions.push(row);
      if (result === 'stale') stale += 1;
    }
  }
  return { suspicions, unknown, stale };
}

function byAge(rows: readonly RowOfDiff[]): RowOfDiff[] {
  return [...rows].sort((a, b) => (a.proof.finishedAt ?? 0) - (b.proof.finishedAt ?? 0));
}

/**
 * Adds that there are far fewer rows than the list says. The list was read before, and a task that was submitted never
 * goes; whether the results have the tasks that the marketplace reviews first is not described, so these are not counted.
 */
function withFewerRows(
  problems: readonly ResultsProblem[],
  rows: readonly ResultRow[],
  listed: Campaign | undefined,
): readonly ResultsProblem[] {
  if (listed === undefined || problems.length > 0) return problems;
  const expected = listed.tasksOk + listed.tasksNok + listed.tasksNotRated;
  if (rows.length >= expected * farFewer) return problems;
  return [{ kind: 'fewer rows', read: rows.length, expected }];
}

/** Returns the counts of a campaign as its results have them, in the words of `countsOf`. */
function countsIn(rows: readonly ResultRow[]): string {
  const counts: Record<Rating, number> = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };
  for (const { rating } of rows) counts[rating] += 1;
  return [counts.OK, counts.NOK, counts.NOTRATED, counts.NOTREVIEWED].join('/');
}

function seenRow(campaign: CampaignId, row: ResultRow, readAt: number): RowOfDiff {
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
      ...filledSlots(row.proof),
      files: [],
      ...(row.finishedAt ? { finishedAt: row.finishedAt.getTime() } : {}),
    },
  };
}

/** Tasks in REVISE by worker and CSV row: a new task of the same two is most likely their correction. */
function revisedTasks(rows: readonly ResultRow[]) {
  const revised = new Map<string | undefined, { id: TaskId; round: EarlierRound }>();
  for (const row of rows) {
    const key = row.rating === 'REVISE' ? correctionKey(row) : undefined;
    const round = { slots: row.proof, comment: row.employerComment, likely: true } as const;
    if (key) revised.set(key, { id: row.taskId, round });
  }
  return revised;
}

/** Undefined where a campaign has no template: then a worker's tasks cannot be told apart. */
function correctionKey({ workerId, csvRow }: ResultRow): string | undefined {
  return csvRow === '' || csvRow === '0' ? undefined : `${workerId}\0${csvRow}`;
}
