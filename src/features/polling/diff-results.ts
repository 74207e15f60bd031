import { setTimeout as delay } from 'node:timers/promises';
import { type Campaign, countsOf } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import {
  type ConfirmedRow,
  confirm,
  examineRow,
  isSubmittedLater,
  type TaskAnswer,
} from '../../domain/confirmed-transition.ts';
import { type EarlierRound, filledSlots, type SeenRow } from '../../domain/task.ts';
import type { AccountRef, CampaignId, Rating, TaskId, WorkerId } from '../../domain/terms.ts';
import { createWorkerTally } from '../../domain/worker.ts';
import type { Modules } from '../../kit/modules.ts';
import { isFileProofStatusFine } from '../../marketplace/api-assumptions.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError, TransportError } from '../../marketplace/errors.ts';
import type { ResultsProblem } from '../../marketplace/results-problems.ts';
import type { ResultRow } from '../../marketplace/types.ts';

/** Below this fraction of the listed count, missing rows are not explained by a lagging source. */
const farFewer = 0.9;
/** Batch size for loading records. */
const recordsAtOnce = 200;

/** A row to apply, before it is decided whether its task gets a card. */
export type RowOfDiff = Omit<SeenRow, 'want'>;

/** Differences between a campaign's results and the records. */
export interface ResultsDiff {
  readonly campaign: CampaignId;
  /** When the read began (ms). */
  readonly readAt: number;
  /** Rows of unknown tasks, to be applied as `seen` events, oldest first. */
  readonly rows: readonly RowOfDiff[];
  /** Tasks in REVISE that unknown tasks seem to correct, by the unknown task's id. */
  readonly corrected: ReadonlyMap<TaskId, { readonly id: TaskId; readonly round: EarlierRound }>;
  /** Rows that would change known tasks if get_task_info agreed, oldest first. */
  readonly suspicions: readonly RowOfDiff[];
  /** Number of rows that are older than the records, or impossible. */
  readonly stale: number;
  /** The recorded ratings, as of the read, of tasks whose rows differ. */
  readonly known: ReadonlyMap<TaskId, Rating>;
  /** Number of rows. */
  readonly size: number;
  /** Size of the results on the wire, in bytes. */
  readonly bytes: number;
  /** Why the results are incomplete. */
  readonly problems: readonly ResultsProblem[];
  /** The campaign's counts from the list ('' when it was not listed) and from the results. */
  readonly counts: { readonly listed: string; readonly read: string };
}

/** Reads a campaign's results and compares them with the records. @param listed the campaign as of the last poll */
export async function readChanges(
  context: Modules,
  marketplace: MarketplaceClient,
  ref: AccountRef,
  id: CampaignId,
  listed: Campaign | undefined,
): Promise<ResultsDiff> {
  const { tasks, clock } = context;
  const readAt = clock.now();
  let changes = createChanges(context, ref, id);
  const { wireBytes, counts, doubtful, ...read } = await marketplace.campaignResults(id, {
    into() {
      changes = createChanges(context, ref, id);
      return changes;
    },
  });
  const size = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const problems = withFewerRows(read.problems, size, listed);
  // Otherwise, a worker whose rows are missing would lose their record.
  if (problems.every(({ kind }) => kind === 'undecodable'))
    await context.campaigns.workers.storeCampaign(ref, id, changes.workers());
  const { fresh, differing, ratedBefore, revised, known } = changes.found(doubtful);
  await tasks.recordRatings(ref, id, ratedBefore, known);
  const toRow = (row: ResultRow) => seenRow(id, row, readAt);
  const examined = await examine(tasks, ref, differing.map(toRow), known);
  return {
    campaign: id,
    readAt,
    rows: byAge([...fresh.map(toRow), ...examined.unknown]),
    corrected: new Map(
      fresh.flatMap((row) => {
        const earlier = revised.get(correctionKey(row.workerId, row.csvRow));
        return earlier ? [[row.taskId, earlier] as const] : [];
      }),
    ),
    suspicions: byAge(examined.suspicions),
    stale: examined.stale,
    known,
    size,
    bytes: wireBytes,
    problems,
    counts: {
      listed: listed ? countsOf(listed) : '',
      read: [counts.OK, counts.NOK, counts.NOTRATED, counts.NOTREVIEWED].join('/'),
    },
  };
}

/**
 * Creates the comparison of rows with the records, in batches as rows arrive. Only records that differ are loaded in
 * full and kept.
 */
function createChanges({ tasks }: Modules, ref: AccountRef, id: CampaignId) {
  const tally = createWorkerTally();
  const known = new Map<TaskId, Rating>();
  const ratedBefore = new Map<TaskId, Rating>();
  const fresh: ResultRow[] = [];
  const differing: ResultRow[] = [];
  /** Tasks in REVISE by worker and CSV row: a new task with the same two is most likely the correction. */
  const revised = new Map<string | undefined, { id: TaskId; round: EarlierRound }>();

  function recordRevised({ taskId, workerId, csvRow, proof, employerComment }: ResultRow): void {
    const key = correctionKey(workerId, csvRow);
    if (key === undefined) return;
    revised.set(key, { id: taskId, round: { slots: proof, comment: employerComment, likely: true } });
  }

  /** Returns which tasks recorded as waiting have been resubmitted. */
  async function submittedAgain(
    rows: readonly ResultRow[],
    last: readonly (Rating | undefined)[],
  ): Promise<ReadonlySet<TaskId>> {
    const waiting = rows.filter(({ rating }, index) => last[index] === 'NOTRATED' && rating === 'NOTRATED');
    if (waiting.length === 0) return new Set();
    const submittedAt = await tasks.submittedAt(
      ref,
      waiting.map(({ taskId }) => taskId),
    );
    const again = waiting.filter(({ taskId, finishedAt }) =>
      isSubmittedLater(submittedAt.get(taskId), finishedAt?.getTime()),
    );
    return new Set(again.map(({ taskId }) => taskId));
  }

  return {
    async onRows(rows: readonly ResultRow[]): Promise<void> {
      const last = await tasks.knownRatingsOf(
        ref,
        id,
        rows.map(({ taskId }) => taskId),
      );
      const again = await submittedAgain(rows, last);
      for (const [index, row] of rows.entries()) {
        const { taskId, workerId, username, rating } = row;
        tally.add(workerId, username, rating);
        if (rating === 'REVISE') recordRevised(row);
        const before = last[index];
        if (before === rating && !again.has(taskId)) continue;
        if (before !== undefined) {
          known.set(taskId, before);
          differing.push(row);
        } else if (rating !== 'NOTRATED') ratedBefore.set(taskId, rating);
        else fresh.push(row);
      }
    },

    workers: tally.workers,

    /** Returns the differences. @param doubtful tasks with contradictory rows, which are ignored */
    found(doubtful: ReadonlySet<TaskId>) {
      const isClear = ({ taskId }: ResultRow) => !doubtful.has(taskId);
      for (const task of doubtful) ratedBefore.delete(task);
      for (const [key, { id: task }] of revised) if (doubtful.has(task)) revised.delete(key);
      return {
        fresh: fresh.filter(isClear),
        differing: differing.filter(isClear),
        ratedBefore,
        revised,
        known,
      };
    },
  };
}

/** Classifies rows of tasks with a recorded rating. */
async function examine(
  tasks: Modules['tasks'],
  ref: AccountRef,
  rows: readonly RowOfDiff[],
  known: ReadonlyMap<TaskId, Rating>,
) {
  const suspicions: RowOfDiff[] = [];
  const unknown: RowOfDiff[] = [];
  let stale = 0;
  for (const some of chunksOf(rows, recordsAtOnce)) {
    const records = await tasks.byId(
      ref,
      some.map(({ id }) => id),
    );
    for (const row of some) {
      const task = records.get(row.id);
      if (task === undefined) {
        // Only the task's rating is recorded. A rated task that seems to wait again must be verified.
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
 * Adds the problem that far fewer rows arrived than listed. The list was read earlier, and submitted tasks never
 * disappear. It is undocumented whether the results include tasks that the marketplace reviews first, so these are not
 * counted.
 */
function withFewerRows(
  problems: readonly ResultsProblem[],
  size: number,
  listed: Campaign | undefined,
): readonly ResultsProblem[] {
  if (listed === undefined || problems.length > 0) return problems;
  const expected = listed.tasksOk + listed.tasksNok + listed.tasksNotRated;
  if (size >= expected * farFewer) return problems;
  return [{ kind: 'fewer rows', read: size, expected }];
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

/** Undefined for a campaign without a template, where a worker's tasks cannot be told apart. */
function correctionKey(workerId: WorkerId, csvRow: string): string | undefined {
  return csvRow === '' || csvRow === '0' ? undefined : `${workerId}\0${csvRow}`;
}

/** Maximum number of tasks verified per import, and the time limit (ms); the rest waits for the next import. */
const maxAsked = 300;
const longestMs = 15_000;
/** Batch size. If no answer of a batch agrees, the results lag behind. */
const pieceSize = 20;
/** Concurrent requests, limited so that other requests with the same key get their turn. */
const atOnce = 3;
/** Errors equivalent to a differing rating: this source does not have the task. */
const unknownCodes = new Set<string>(['NO_SUCH_TASK', 'NOT_A_CAMPAIGN_OWNER']);

/** Creates the verification of result rows with get_task_info. */
export function createRowConfirmation({ log, clock }: Modules) {
  /** Resolves undefined when there is no such task. */
  async function ask(marketplace: MarketplaceClient, id: TaskId): Promise<TaskAnswer | undefined> {
    const askedAt = clock.now();
    try {
      const info = await marketplace.getTaskInfo(id);
      return {
        askedAt,
        id: info.taskId,
        rating: info.rating,
        comment: info.employerComment,
        worker: { id: info.workerId, country: info.country, ip: info.ip },
        proof: {
          ...filledSlots(info.proof),
          files: info.files,
          ...(info.finishedAt ? { finishedAt: info.finishedAt.getTime() } : {}),
          ...(isFileProofStatusFine(info.fileProofStatus) ? {} : { filesWarning: info.fileProofStatus }),
        },
      };
    } catch (error) {
      if (error instanceof MarketplaceError && unknownCodes.has(error.code)) return undefined;
      throw error;
    }
  }

  return {
    /**
     * Verifies rows in batches, and passes on those on which both sources agree.
     * @param turn how many consecutive reads of this campaign were incomplete: each starts with another batch, so that
     *   tasks on which the sources never agree do not block the others
     * @param hasNewTasks asked after each batch: whether new tasks wait for another read, which then comes first
     * @returns the number of rows on which they agree
     */
    async confirmRows<Row extends SeenRow>(
      marketplace: MarketplaceClient,
      rows: readonly Row[],
      turn: number,
      hasNewTasks: () => Promise<boolean>,
      onConfirmed: (row: ConfirmedRow) => Promise<void>,
    ): Promise<number> {
      const from = (turn * pieceSize) % rows.length;
      const inTurn = [...rows.slice(from), ...rows.slice(0, from)].slice(0, maxAsked);
      const until = performance.now() + longestMs;
      let agreed = 0;
      try {
        for (const piece of chunksOf(inTurn, pieceSize)) {
          const before = agreed;
          await inParallel(piece, async (row) => {
            const answer = await ask(marketplace, row.id);
            const confirmed = answer && confirm(row, answer);
            if (confirmed === undefined) return;
            await onConfirmed(confirmed);
            agreed += 1;
          });
          if (agreed === before || performance.now() > until || (await hasNewTasks())) break;
          // Yields to other work in this process.
          await delay(0);
        }
      } catch (error) {
        if (!(error instanceof MarketplaceError) && !(error instanceof TransportError)) throw error;
        log.warn({ err: error, asked: inTurn.length }, 'results not confirmed');
      }
      return agreed;
    },

    /** Returns whether get_task_info reports a given rating; false also if it cannot be asked. */
    async hasRating(marketplace: MarketplaceClient, id: TaskId, rating: Rating): Promise<boolean> {
      try {
        return (await ask(marketplace, id))?.rating === rating;
      } catch (error) {
        if (!(error instanceof MarketplaceError) && !(error instanceof TransportError)) throw error;
        return false;
      }
    },
  };
}

async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  async function work(): Promise<void> {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
  }
  await Promise.all(Array.from({ length: atOnce }, work));
}
