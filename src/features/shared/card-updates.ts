import { setTimeout as pause } from 'node:timers/promises';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import { Limited, Reschedule } from '../../jobs/runner.ts';
import type { CardUpdates, WaitingCard } from '../../store/card-updates.ts';
import type { FeatureContext } from './context.ts';

/** Cards that are to be updated within this share a job (ms). */
const togetherMs = 50;

/** How many cards a job updates at once: their records are read together. While interactions are being handled, they are fewer. */
const atOnce = { usual: 6, beside: 2 };

/** So long a job goes on with what comes meanwhile (ms): in a burst, few jobs are needed. */
const longestJobMs = 5_000;

/** A job that finds no card left waits so long for another one (ms). */
const usualLingerMs = 250;

/**
 * So long the next updates wait at most for interactions that are being handled (ms): a click has its own card updated next, and
 * is not slowed down by updates of others. Even two cards every 250 ms are more updates than Slack accepts of a workspace.
 */
const forInteractionsMs = 250;

/** When the cards under way take longer than this (ms), another job updates those that wait. */
const helpAfterMs = 1_000;

/** While so many jobs of an account run in this process, another one would only wait behind them. */
const enoughJobs = 2;

/** For so long after Slack has limited updates in a channel, cards may still wait in its line (ms). */
const rememberedMs = 60_000;

/** So often it is made sure that the cards in lines of channels have their job (ms): it may have been lost. */
const ensureMs = 1_000;

/** After an update that Slack has limited, all channels that it has limited lately wait (ms): Slack's limit is that of a workspace. */
const betweenTriesMs = 1_000;

/** As long as Slack limits none of the updates, so many more channels are tried at once the next time. */
const moreChannels = 2;

/** Of so many cards that wait, it is remembered at most in which channel they stand. */
const mostRemembered = 10_000;

/** A job waits so long for a limit to be over (ms), and comes back where it takes longer: another channel may have one that ends. */
const longestWaitMs = 1_500;

export type CardUpdateLine = ReturnType<typeof createCardUpdateLine>;

/** As much of a task as says where its card stands. */
export type TaskWithCard = Pick<Task, 'id' | 'card'>;

/**
 * Creates the line in which cards wait to be updated: those that somebody has just clicked first, the latest of them before
 * the others, and then what has happened by itself, the oldest first. A job takes what waits, several cards at a time, since
 * a job for each would cost Redis many times what the update costs.
 *
 * Cards of a channel in which Slack limits updates wait in a line of the channel, in the same order. One job for all such
 * channels tries the first card of each again when the limit is over: a thousand cards cost no more tries than one.
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

  /** Accounts with jobs that run in this process. */
  const running = new Map<string, Running>();

  /** Channels in which Slack has limited updates lately, by what this process has heard. */
  const limited = new Map<string, LimitedChannel>();

  /** In which channels cards stand that this process has added to the account's own line. */
  const channelOf = new Map<string, ChannelId>();

  /** When the job for the limited channels of an account was queued last (ms of this process's own clock). */
  const limitedQueuedAt = new Map<string, number>();
  const nameOf = ({ workspace, account }: AccountRef, ...rest: string[]) =>
    [workspace, account, ...rest].join(' ');

  /** Has what waits updated by a job that runs here, or else by one that is queued: at once, and then as often as cards may share one. */
  async function queueJob(ref: AccountRef): Promise<void> {
    const name = nameOf(ref);
    const ours = running.get(name);
    if (ours !== undefined) return goOn(ref, ours);
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

  /** Has the jobs that run here go on with what waits. Where they do not come to it soon, another one is queued. */
  function goOn(ref: AccountRef, ours: Running): void {
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
    if (channelOf.size > mostRemembered) channelOf.clear();
    for (const { id, card } of tasks)
      if (card.state === 'posted') channelOf.set(nameOf(ref, id), card.channel);
    const others = await withoutLimited(
      ref,
      tasks.map(({ id }) => ({ task: id, rank })),
    );
    if (others.length === 0) return;
    await cardUpdates.add(ref, others);
    await queueJob(ref);
  }

  /** Has cards wait behind others of their channel, where there are any. Returns those that do not. */
  async function withoutLimited(ref: AccountRef, cards: readonly WaitingCard[]): Promise<WaitingCard[]> {
    const isBehind = await Promise.all(
      cards.map(async (card) => {
        const channel = channelOf.get(nameOf(ref, card.task));
        if (channel === undefined || !limited.has(nameOf(ref, channel))) return false;
        if (!(await cardUpdates.addBehindOthers(ref, channel, [card]))) return false;
        channelOf.delete(nameOf(ref, card.task));
        await ensureLimitedJob(ref);
        return true;
      }),
    );
    return cards.filter((_, index) => !isBehind[index]);
  }

  /** Updates a card. One whose update fails, or has to wait for something else than Slack's limit in a channel, goes on in a job of its own. */
  async function updateOne(ref: AccountRef, card: WaitingCard, update: Update): Promise<void> {
    try {
      await update(card.task);
    } catch (error) {
      if (error instanceof Limited && error.channel !== undefined)
        return waitForChannel(ref, card, error.channel, error.limitedMs);
      const payload = { ...ref, task: card.task };
      const delayMs = error instanceof Reschedule ? error.delayMs : 0;
      await jobs.add('redraw', payload, { delayMs, uniqueKey: cardJobKey(payload) });
    }
  }

  /** Has a card wait until Slack takes updates in its channel again. */
  async function waitForChannel(
    ref: AccountRef,
    card: WaitingCard,
    channel: ChannelId,
    limitedMs: number,
  ): Promise<void> {
    await cardUpdates.addInChannel(ref, channel, [card]);
    const at = performance.now();
    for (const [name, { until }] of limited) if (until <= at) limited.delete(name);
    limited.set(nameOf(ref, channel), { freeAt: at + limitedMs, until: at + limitedMs + rememberedMs });
    await ensureLimitedJob(ref, Math.min(limitedMs, longestWaitMs));
  }

  /** Makes sure that there is a job for the cards in lines of channels. */
  async function ensureLimitedJob(ref: AccountRef, delayMs = 0): Promise<void> {
    const [name, at] = [nameOf(ref), performance.now()];
    if (at - (limitedQueuedAt.get(name) ?? Number.NEGATIVE_INFINITY) < ensureMs) return;
    limitedQueuedAt.set(name, at + delayMs);
    const { workspace, account } = ref;
    const payload = { workspace, account, isLimited: true } as const;
    await jobs.add('update-cards', payload, { delayMs, uniqueKey: `${account} limited` });
  }

  /** Waits for the interactions that are being handled. Returns how many cards may be updated beside those that still are. */
  async function howMany(): Promise<number> {
    const asked = performance.now();
    await interactionsHandled(forInteractionsMs);
    return performance.now() - asked < forInteractionsMs ? atOnce.usual : atOnce.beside;
  }

  /** Updates what comes first, several cards at a time, as long as a job may. Returns how many. */
  async function updateNext(ref: AccountRef, ours: Running, update: Update): Promise<number> {
    let done = 0;
    for (const began = performance.now(); performance.now() - began < longestJobMs; ) {
      const most = await howMany();
      ours.hasMore = false;
      const taken = await cardUpdates.take(ref, most);
      if (taken.length === 0 && !(await isAnother(ours, lingerMs))) return done;
      if (taken.length === most) goOn(ref, ours);
      // Since they were added, Slack may have limited updates in their channels.
      const free = await withoutLimited(ref, taken);
      for (const { task } of free) channelOf.delete(nameOf(ref, task));
      await Promise.all(free.map((card) => updateOne(ref, card, update)));
      done += free.length;
    }
    await addJob(ref);
    return done;
  }

  /**
   * Updates the first card of each channel in which Slack has limited updates and takes them again, and so on until none waits
   * there. As many channels are tried at once as Slack has taken updates of before, and a few more. Returns how many cards were taken. Throws {@link Reschedule} when it goes on later.
   */
  async function updateLimited(ref: AccountRef, update: Update): Promise<number> {
    let [done, most] = [0, Number.POSITIVE_INFINITY];
    const triedAt = new Map<ChannelId, number>();
    for (const began = performance.now(); performance.now() - began < longestJobMs; ) {
      limitedQueuedAt.set(nameOf(ref), performance.now());
      const channels = await cardUpdates.channels(ref);
      if (channels.length === 0) return done;
      const waits = channels.map((channel) => waitOf(ref, channel));
      const waitMs = Math.min(...waits);
      if (waitMs > longestWaitMs) throw new Reschedule(longestWaitMs);
      await pause(waitMs);
      const atMost = Math.min(most, 2 * (await howMany()));
      const free = channels
        .filter((channel) => waitOf(ref, channel) <= 0)
        .sort((one, other) => (triedAt.get(one) ?? 0) - (triedAt.get(other) ?? 0))
        .slice(0, atMost);
      for (const channel of free) triedAt.set(channel, performance.now());
      const taken = await cardUpdates.takeInChannels(ref, free);
      await Promise.all(taken.map((card) => updateOne(ref, card, update)));
      done += taken.length;
      const limitedAgain = free.filter((channel) => waitOf(ref, channel) > 0).length;
      most = limitedAgain === 0 ? most + moreChannels : Math.max(1, free.length - limitedAgain);
      // Slack limits a workspace: what the others try now would be refused as well.
      if (limitedAgain > 0) await pause(betweenTriesMs);
    }
    throw new Reschedule(1);
  }

  /** Returns for how long Slack limits updates in a channel, by what this process has heard (ms). */
  function waitOf(ref: AccountRef, channel: ChannelId): number {
    return Math.max(0, (limited.get(nameOf(ref, channel))?.freeAt ?? 0) - performance.now());
  }

  return {
    /** Has the card updated that somebody has clicked: before all that wait. */
    clicked: (ref: AccountRef, task: TaskWithCard) => add(ref, [task], now()),

    /** Returns the tasks whose cards wait already, and makes sure that they have jobs: these may have been lost. */
    async waiting(ref: AccountRef): Promise<ReadonlySet<TaskId>> {
      const { tasks, isAnyElsewhere, isAnyInChannels } = await cardUpdates.waiting(ref);
      if (isAnyElsewhere) await queueJob(ref);
      if (isAnyInChannels) await ensureLimitedJob(ref);
      return tasks;
    },

    /** Has cards updated whose tasks have changed by themselves. */
    changed: (ref: AccountRef, tasks: readonly TaskWithCard[]) => add(ref, tasks, -now()),

    /** Updates what waits, of an account or of its channels in which Slack has limited updates. Returns how many cards were taken. */
    async run({ isLimited, ...ref }: Payload<'update-cards'>, update: Update): Promise<number> {
      if (isLimited) return updateLimited(ref, update);
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

/** A time is one of this process's own clock (ms). */
interface LimitedChannel {
  /** When Slack takes updates there again. */
  readonly freeAt: number;
  /** When it is forgotten. */
  readonly until: number;
}

/** The jobs of an account that run in this process. */
interface Running {
  jobs: number;
  /** Whether cards wait that none of them has come to yet. */
  hasMore: boolean;
  /** Whether another job is queued soon if they do not come to them. */
  isHelpComing: boolean;
  /** What lets those go on that have found no card left. */
  readonly lingering: (() => void)[];
}

/** Waits for another card. Resolves to whether this process has added one. */
function isAnother({ lingering }: Running, lingerMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const goOn = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      const at = lingering.indexOf(goOn);
      if (at >= 0) lingering.splice(at, 1);
      resolve(false);
    }, lingerMs);
    lingering.push(goOn);
  });
}
