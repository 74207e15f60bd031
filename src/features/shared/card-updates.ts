import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import { Limited, Reschedule } from '../../jobs/runner.ts';
import type { CardUpdates, WaitingCard } from '../../store/card-updates.ts';
import type { FeatureContext } from './context.ts';
import { createLimitedCards } from './limited-cards.ts';

/** Updates requested within this window share a job (ms). */
const togetherMs = 50;

/**
 * How many cards a job updates concurrently, reading their records together; `beside` applies while interactions are
 * being handled.
 */
const atOnce = { usual: 6, beside: 2 };

/** Maximum run time of a job that keeps taking new updates (ms): a burst then needs few jobs. */
const longestJobMs = 5_000;

/** How long a job with no cards left waits for another one (ms). */
const usualLingerMs = 250;

/**
 * Maximum time the next updates yield to interactions being handled (ms), so that a clicked card is updated first and
 * other updates do not slow the click down. Two cards every 250 ms still exceed what Slack accepts per workspace.
 */
const forInteractionsMs = 250;

/** When the current cards take longer than this (ms), a second job takes the waiting ones. */
const helpAfterMs = 1_000;

/** Maximum concurrent jobs of an account in this process; another one would only wait behind them. */
const enoughJobs = 2;

export type CardUpdateLine = ReturnType<typeof createCardUpdateLine>;

/** The fields of a task that locate its card. */
export type TaskWithCard = Pick<Task, 'id' | 'card'>;

/**
 * Creates the queue of card updates: cards just clicked come first, latest click first, then background changes, oldest
 * first. A job takes several cards at a time, since one job per card would cost Redis many times as much as the update.
 *
 * Cards of a rate-limited channel wait in a queue of that channel, in the same order.
 */
export function createCardUpdateLine({
  cardUpdates,
  interactionsHandled,
  jobs,
  logger,
  now,
  lingerMs = usualLingerMs,
}: Pick<FeatureContext, 'jobs' | 'logger' | 'now'> & {
  readonly cardUpdates: CardUpdates;
  /** Resolves when the interactions currently being handled are done, after this many ms at the latest. */
  readonly interactionsHandled: (ms: number) => Promise<void>;
  readonly lingerMs?: number;
}) {
  /** Accounts whose job was just queued, and whether more updates were requested since. */
  const queued = new Map<string, { hasMore: boolean }>();

  /** Accounts with jobs running in this process. */
  const running = new Map<string, Running>();

  const limited = createLimitedCards({ cardUpdates, howMany, jobs });

  const nameOf = ({ workspace, account }: AccountRef) => [workspace, account].join(' ');

  /**
   * Hands waiting updates to a job running here, or else queues one: immediately, then at most once per batching window.
   */
  async function queueJob(ref: AccountRef): Promise<void> {
    const name = nameOf(ref);
    const ours = running.get(name);
    if (ours !== undefined) return wakeOrQueueJob(ref, ours);
    const found = queued.get(name);
    if (found !== undefined) {
      found.hasMore = true;
      return;
    }
    const state = { hasMore: false };
    queued.set(name, state);
    setTimeout(() => {
      queued.delete(name);
      if (state.hasMore) queueJob(ref).catch(notQueued);
    }, togetherMs).unref();
    await addJob(ref);
  }

  /** Notifies the jobs running here of waiting updates. If they take too long, queues another job. */
  function wakeOrQueueJob(ref: AccountRef, ours: Running): void {
    const lingering = ours.lingering.pop();
    if (lingering !== undefined) {
      lingering();
      return;
    }
    ours.hasMore = true;
    if (ours.isHelpComing || ours.jobs >= enoughJobs) return;
    ours.isHelpComing = true;
    setTimeout(() => {
      ours.isHelpComing = false;
      if (ours.jobs > 0 && ours.hasMore) addJob(ref).catch(notQueued);
    }, helpAfterMs).unref();
  }

  const addJob = ({ workspace, account }: AccountRef) => jobs.add('update-cards', { workspace, account });

  /** The next poll queues it. */
  const notQueued = (error: unknown) =>
    logger.warn({ reason: messageOf(error) }, 'update of cards not queued');

  async function add(ref: AccountRef, tasks: readonly TaskWithCard[], rank: number): Promise<void> {
    limited.remember(ref, tasks);
    const others = await limited.withoutLimited(
      ref,
      tasks.map(({ id }) => ({ task: id, rank })),
    );
    if (others.length === 0) return;
    await cardUpdates.add(ref, others);
    await queueJob(ref);
  }

  /**
   * Updates a card. If the update fails or is rescheduled for anything but a channel's rate limit, the card gets its own
   * job.
   */
  async function updateOne(ref: AccountRef, card: WaitingCard, update: Update): Promise<void> {
    try {
      await update(card.task);
    } catch (error) {
      if (error instanceof Limited && error.channel !== undefined)
        return limited.wait(ref, card, error.channel, error.limitedMs);
      const payload = { ...ref, task: card.task };
      const delayMs = error instanceof Reschedule ? error.delayMs : 0;
      await jobs.add('redraw', payload, { delayMs, uniqueKey: cardJobKey(payload) });
    }
  }

  /** Yields to interactions being handled. Returns how many cards may be updated concurrently afterwards. */
  async function howMany(): Promise<number> {
    const asked = performance.now();
    await interactionsHandled(forInteractionsMs);
    return performance.now() - asked < forInteractionsMs ? atOnce.usual : atOnce.beside;
  }

  /**
   * Updates cards concurrently; one after the other while Slack limits updates somewhere, so that cards of a channel that it
   * limits as well are not all refused. Returns how many it has tried.
   */
  async function updateTaken(
    ref: AccountRef,
    taken: readonly WaitingCard[],
    update: Update,
  ): Promise<number> {
    // Slack may have limited their channels since they were queued.
    const free = await limited.withoutLimited(ref, taken);
    if (!limited.isAny(ref)) {
      limited.forget(ref, free);
      await Promise.all(free.map((card) => updateOne(ref, card, update)));
      return free.length;
    }
    let tried = 0;
    for (const one of free) {
      const [card] = await limited.withoutLimited(ref, [one]);
      if (card === undefined) continue;
      limited.forget(ref, [card]);
      await updateOne(ref, card, update);
      tried += 1;
    }
    return tried;
  }

  /** Updates waiting cards in batches until the job's time is up. Returns how many. */
  async function updateNext(ref: AccountRef, ours: Running, update: Update): Promise<number> {
    let done = 0;
    for (const began = performance.now(); performance.now() - began < longestJobMs; ) {
      const most = await howMany();
      ours.hasMore = false;
      const taken = await cardUpdates.take(ref, most);
      if (taken.length === 0 && !(await waitForAnother(ours, lingerMs))) return done;
      if (taken.length === most) wakeOrQueueJob(ref, ours);
      done += await updateTaken(ref, taken, update);
    }
    await addJob(ref);
    return done;
  }

  return {
    /** Queues the update of a card that was just clicked, ahead of all others. */
    clicked: (ref: AccountRef, task: TaskWithCard) => add(ref, [task], now()),

    /** Returns the tasks whose cards are queued, and requeues their jobs, which may have been lost. */
    async waiting(ref: AccountRef): Promise<ReadonlySet<TaskId>> {
      const { tasks, isAnyElsewhere, isAnyInChannels } = await cardUpdates.waiting(ref);
      if (isAnyElsewhere) await queueJob(ref);
      if (isAnyInChannels) await limited.ensureJob(ref);
      return tasks;
    },

    /** Queues updates for cards whose tasks changed without a click. */
    changed: (ref: AccountRef, tasks: readonly TaskWithCard[]) => add(ref, tasks, -now()),

    /** Processes queued updates of an account or of its limited channels. Returns how many cards were taken. */
    async run({ isLimited, ...ref }: Payload<'update-cards'>, update: Update): Promise<number> {
      if (isLimited) return limited.updateNext(ref, (card) => updateOne(ref, card, update));
      const name = nameOf(ref);
      const ours = running.get(name) ?? { jobs: 0, hasMore: false, isHelpComing: false, lingering: [] };
      running.set(name, ours);
      ours.jobs += 1;
      try {
        return await updateNext(ref, ours, update);
      } finally {
        ours.jobs -= 1;
        if (ours.jobs === 0) running.delete(name);
        const { hasMore } = ours;
        ours.hasMore = false;
        if (hasMore) await addJob(ref);
      }
    },
  };
}

type Update = (task: TaskId) => Promise<void>;

/** The jobs of an account that run in this process. */
interface Running {
  jobs: number;
  /** Whether cards are waiting that no job has taken yet. */
  hasMore: boolean;
  /** Whether another job is about to be queued for them. */
  isHelpComing: boolean;
  /** Wakes jobs that ran out of cards. */
  readonly lingering: (() => void)[];
}

/** Waits for another card. Resolves to whether this process added one. */
function waitForAnother({ lingering }: Running, lingerMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      const at = lingering.indexOf(wake);
      if (at >= 0) lingering.splice(at, 1);
      resolve(false);
    }, lingerMs);
    lingering.push(wake);
  });
}
