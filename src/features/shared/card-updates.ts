import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { CardUpdates } from '../../store/card-updates.ts';
import type { FeatureContext } from './context.ts';

/** Cards that are to be updated within this share a job (ms). */
const togetherMs = 50;

/** How many cards one job updates before it lets others run. */
const perJob = 25;

/** A job that finds no card left waits so long for another one (ms): in a burst, few jobs are needed. */
const usualLingerMs = 250;

/** While so many jobs of an account run in this process, another one would only wait behind them. */
const enoughJobs = 8;

export type CardUpdateLine = ReturnType<typeof createCardUpdateLine>;

/**
 * Creates the line in which cards wait to be updated: those that somebody has just clicked first, the latest of them before
 * the others, and then what has happened by itself, the oldest first. A job takes many of them, since a job of its own costs
 * Redis three times what the update costs.
 */
export function createCardUpdateLine({
  cardUpdates,
  jobs,
  logger,
  now,
  lingerMs = usualLingerMs,
}: Pick<FeatureContext, 'jobs' | 'logger' | 'now'> & {
  readonly cardUpdates: CardUpdates;
  readonly lingerMs?: number;
}) {
  /** Accounts whose job was queued just now, and whether there has been more since. */
  const queued = new Map<string, { hasMore: boolean }>();

  /**
   * Accounts with jobs that run in this process: how many, whether they have to leave one behind for what came since, and what
   * lets those go on that wait for another card.
   */
  const running = new Map<string, Running>();
  const nameOf = ({ workspace, account }: AccountRef) => `${workspace} ${account}`;

  /** Queues a job that updates what waits: at once, and then as often as cards may share one. */
  async function queueJob({ workspace, account }: AccountRef): Promise<void> {
    const ref = { workspace, account };
    const key = nameOf(ref);
    const ours = running.get(key);
    const goOn = ours?.waiting.pop();
    if (goOn !== undefined) {
      goOn(true);
      return;
    }
    if (ours !== undefined && ours.jobs >= enoughJobs) {
      ours.hasMore = true;
      return;
    }
    const found = queued.get(key);
    if (found !== undefined) {
      found.hasMore = true;
      return;
    }
    const state = { hasMore: false };
    queued.set(key, state);
    setTimeout(() => {
      queued.delete(key);
      if (!state.hasMore) return;
      queueJob(ref).catch((error: unknown) =>
        // The next poll queues it.
        logger.warn({ reason: messageOf(error) }, 'update of cards not queued'),
      );
    }, togetherMs).unref();
    await jobs.add('update-cards', ref);
  }

  async function add(ref: AccountRef, tasks: readonly TaskId[], rank: number): Promise<void> {
    if (tasks.length === 0) return;
    await cardUpdates.add(ref, tasks, rank);
    await queueJob(ref);
  }

  return {
    /** Has the card updated that somebody has clicked: before all that wait. */
    clicked: (ref: AccountRef, task: TaskId) => add(ref, [task], now()),

    /** Has cards updated whose tasks have changed by themselves. */
    changed: (ref: AccountRef, tasks: readonly TaskId[]) => add(ref, tasks, -now()),

    /**
     * Updates what waits. A card that has to wait, or whose update fails, goes on in a job of its own. Returns how many cards
     * were taken.
     */
    async run(ref: AccountRef, update: (task: TaskId) => Promise<void>): Promise<number> {
      const key = nameOf(ref);
      const ours = running.get(key) ?? { jobs: 0, hasMore: false, waiting: [] };
      running.set(key, ours);
      ours.jobs += 1;
      try {
        return await updateSome(ref, ours, update);
      } finally {
        ours.jobs -= 1;
        if (ours.jobs === 0) running.delete(key);
        const hasMore = ours.hasMore;
        ours.hasMore = false;
        if (hasMore) await jobs.add('update-cards', ref);
      }
    },
  };

  /** Updates what comes first, as many cards as one job may. */
  async function updateSome(
    ref: AccountRef,
    ours: Running,
    update: (task: TaskId) => Promise<void>,
  ): Promise<number> {
    for (let done = 0; done < perJob; ) {
      const task = await cardUpdates.take(ref);
      if (task === undefined && (await isAnother(ours, lingerMs))) continue;
      if (task === undefined) return done;
      done += 1;
      await update(task).catch(async (error: unknown) => {
        const payload = { ...ref, task };
        const delayMs = error instanceof Reschedule ? error.delayMs : 0;
        await jobs.add('redraw', payload, { delayMs, uniqueKey: cardJobKey(payload) });
      });
    }
    await jobs.add('update-cards', ref);
    return perJob;
  }
}

interface Running {
  jobs: number;
  hasMore: boolean;
  readonly waiting: ((isAnother: boolean) => void)[];
}

/** Waits for another card. Resolves to whether this process has added one. */
function isAnother({ waiting }: Running, lingerMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const goOn = (is: boolean) => {
      clearTimeout(timer);
      resolve(is);
    };
    const timer = setTimeout(() => {
      const at = waiting.indexOf(goOn);
      if (at >= 0) waiting.splice(at, 1);
      resolve(false);
    }, lingerMs);
    waiting.push(goOn);
  });
}
