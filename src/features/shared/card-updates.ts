import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import { Limited, Reschedule } from '../../jobs/runner.ts';
import type { CardUpdates, TakenCard } from '../../store/card-updates.ts';
import type { FeatureContext } from './context.ts';

/** Cards that are to be updated within this share a job (ms). */
const togetherMs = 50;

/** How many cards one job updates before it lets others run. */
const perJob = 25;

/** A job that finds no card left waits so long for another one (ms): in a burst, few jobs are needed. */
const usualLingerMs = 250;

/**
 * So long the next update waits at most for interactions that are being handled (ms): a click has its own card updated next, and
 * is not slowed down by updates of others.
 */
const forInteractionsMs = 100;

/** For so long after Slack has limited updates in a channel, cards may still wait in its line (ms). */
const rememberedMs = 60_000;

/** So often it is made sure that a channel in whose line cards wait has its job (ms): it may have been lost. */
const ensureMs = 1_000;

/** While so many jobs of an account run in this process, another one would only wait behind them. */
const enoughJobs = 8;

export type CardUpdateLine = ReturnType<typeof createCardUpdateLine>;

/** As much of a task as says where its card stands. */
export type TaskWithCard = Pick<Task, 'id' | 'card'>;

/**
 * Creates the line in which cards wait to be updated: those that somebody has just clicked first, the latest of them before
 * the others, and then what has happened by itself, the oldest first. A job takes many of them, since a job of its own costs
 * Redis three times what the update costs.
 *
 * Cards of a channel in which Slack limits updates wait in a line of the channel, in the same order. One job for each such
 * channel tries again when the limit is over: a thousand cards cost no more tries than one.
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
  /** Resolves when the interactions of members that are being handled now have been, after so long (ms) at the latest. */
  readonly interactionsHandled: (ms: number) => Promise<void>;
  readonly lingerMs?: number;
}) {
  /** Accounts whose job was queued just now, and whether there has been more since. */
  const queued = new Map<string, { hasMore: boolean }>();

  /**
   * Accounts with jobs that run in this process: how many, whether they have to leave one behind for what came since, and what
   * lets those go on that wait for another card.
   */
  const running = new Map<string, Running>();

  /** Channels in which Slack has limited updates lately, by what this process has heard (ms of its own clock). */
  const limited = new Map<string, LimitedChannel>();
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

  async function add(ref: AccountRef, tasks: readonly TaskWithCard[], rank: number): Promise<void> {
    const others: TaskId[] = [];
    const byChannel = new Map<ChannelId, TaskId[]>();
    for (const { id, card } of tasks) {
      const channel = card.state === 'posted' ? card.channel : undefined;
      if (channel === undefined || !limited.has(limitedName(ref, channel))) others.push(id);
      else byChannel.set(channel, [...(byChannel.get(channel) ?? []), id]);
    }
    for (const [channel, ids] of byChannel) {
      if (await cardUpdates.addBehindOthers(ref, channel, ids, rank)) await ensureChannelJob(ref, channel);
      else others.push(...ids);
    }
    if (others.length === 0) return;
    await cardUpdates.add(ref, others, rank);
    await queueJob(ref);
  }

  /** Has a card wait until Slack takes updates in its channel again. */
  async function waitForChannel(ref: AccountRef, card: TakenCard, error: Limited): Promise<void> {
    const { channel, delayMs, limitedMs } = error;
    if (channel === undefined) return updateAlone(ref, card.task, error);
    const isFirst = await cardUpdates.addInChannel(ref, channel, card);
    remember(ref, channel, limitedMs);
    if (isFirst) await queueChannelJob(ref, channel, delayMs);
    else await ensureChannelJob(ref, channel);
  }

  async function queueChannelJob(ref: AccountRef, channel: ChannelId, delayMs = 0): Promise<void> {
    const known = limited.get(limitedName(ref, channel));
    if (known) known.queuedAt = performance.now();
    const uniqueKey = `${ref.account} ${channel}`;
    await jobs.add('update-cards', { ...ref, channel }, { delayMs, uniqueKey });
  }

  async function ensureChannelJob(ref: AccountRef, channel: ChannelId): Promise<void> {
    const { queuedAt } = limited.get(limitedName(ref, channel)) ?? {};
    if (queuedAt === undefined || performance.now() - queuedAt > ensureMs)
      await queueChannelJob(ref, channel);
  }

  function remember(ref: AccountRef, channel: ChannelId, limitedMs: number): void {
    const at = performance.now();
    for (const [name, { until }] of limited) if (until <= at) limited.delete(name);
    const name = limitedName(ref, channel);
    limited.set(name, { ...limited.get(name), until: at + limitedMs + rememberedMs });
  }

  /** Has a card updated by a job of its own. */
  async function updateAlone(ref: AccountRef, task: TaskId, error: unknown): Promise<void> {
    const payload = { ...ref, task };
    const delayMs = error instanceof Reschedule ? error.delayMs : 0;
    await jobs.add('redraw', payload, { delayMs, uniqueKey: cardJobKey(payload) });
  }

  return {
    /** Has the card updated that somebody has clicked: before all that wait. */
    clicked: (ref: AccountRef, task: TaskWithCard) => add(ref, [task], now()),

    /** Returns the tasks whose cards wait already, and makes sure that they have jobs: these may have been lost. */
    async waiting(ref: AccountRef): Promise<ReadonlySet<TaskId>> {
      const { tasks, isAnyElsewhere, channels } = await cardUpdates.waiting(ref);
      if (isAnyElsewhere) await queueJob(ref);
      for (const channel of channels) await ensureChannelJob(ref, channel);
      return tasks;
    },

    /** Has cards updated whose tasks have changed by themselves. */
    changed: (ref: AccountRef, tasks: readonly TaskWithCard[]) => add(ref, tasks, -now()),

    /**
     * Updates what waits, of an account or of a channel in which Slack has limited updates. A card whose update fails, or has
     * to wait for something else than such a limit, goes on in a job of its own. Returns how many cards were taken.
     */
    async run(
      { channel, ...ref }: Payload<'update-cards'>,
      update: (task: TaskId) => Promise<void>,
    ): Promise<number> {
      if (channel !== undefined) return updateInChannel(ref, channel, update);
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
      await interactionsHandled(forInteractionsMs);
      const taken = await cardUpdates.take(ref);
      if (taken === undefined && (await isAnother(ours, lingerMs))) continue;
      if (taken === undefined) return done;
      done += 1;
      await update(taken.task).catch((error: unknown) =>
        error instanceof Limited ? waitForChannel(ref, taken, error) : updateAlone(ref, taken.task, error),
      );
    }
    await jobs.add('update-cards', ref);
    return perJob;
  }

  /** Updates what waits for a channel, until Slack limits it again. Throws {@link Reschedule} then. */
  async function updateInChannel(
    ref: AccountRef,
    channel: ChannelId,
    update: (task: TaskId) => Promise<void>,
  ): Promise<number> {
    for (let done = 0; done < perJob; done += 1) {
      await interactionsHandled(forInteractionsMs);
      const taken = await cardUpdates.take(ref, channel);
      if (taken === undefined) return done;
      try {
        await update(taken.task);
      } catch (error) {
        if (!(error instanceof Limited)) await updateAlone(ref, taken.task, error);
        else if (error.channel !== channel) await waitForChannel(ref, taken, error);
        else {
          await cardUpdates.addInChannel(ref, channel, taken);
          remember(ref, channel, error.limitedMs);
          throw error;
        }
      }
    }
    await queueChannelJob(ref, channel);
    return perJob;
  }
}

const limitedName = ({ workspace, account }: AccountRef, channel: ChannelId) =>
  `${workspace} ${account} ${channel}`;

interface LimitedChannel {
  /** When it is forgotten. */
  readonly until: number;
  /** When its job was queued, as far as this process has done so. */
  queuedAt?: number;
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
