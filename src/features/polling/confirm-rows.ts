import { setTimeout as delay } from 'node:timers/promises';
import { chunksOf } from '../../domain/collections.ts';
import { type ConfirmedRow, confirm, type TaskAnswer } from '../../domain/confirmed-transition.ts';
import { filledSlots, type SeenRow } from '../../domain/task.ts';
import type { Rating, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import {
  isFileProofStatusFine,
  type MarketplaceClient,
  MarketplaceError,
  TransportError,
} from '../../marketplace/index.ts';

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
      const from = rows.length === 0 ? 0 : (turn * pieceSize) % rows.length;
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
