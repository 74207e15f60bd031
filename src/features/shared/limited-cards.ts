import { setTimeout as pause } from 'node:timers/promises';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { CardUpdates, WaitingCard } from '../../store/card-updates.ts';
import type { TaskWithCard } from './card-updates.ts';
import type { FeatureContext } from './context.ts';
import { createLimitedChannels } from './limited-channels.ts';

/** Maximum run time of the job (ms). */
const longestJobMs = 5_000;

/** How often the job is ensured (ms), since it may have been lost. */
const ensureMs = 1_000;

/** Backoff of all recently limited channels after another rate-limited update (ms): Slack's limit is per workspace. */
const betweenTriesMs = 1_000;

/** How many channels the first batch tries. */
const firstChannels = 6;

/** How many channels are tried at least: the one whose card comes first, and one that waits for its turn. */
const fewestChannels = 2;

/** How many channels the next batch adds while Slack limits none. */
const moreChannels = 2;

/** Maximum number of waiting cards whose channel is cached. */
const mostRemembered = 10_000;

/**
 * Maximum wait for a rate limit within a job (ms); for longer ones the job is rescheduled, since another channel may be
 * free sooner.
 */
const longestWaitMs = 1_500;

/**
 * Creates the queues of cards in channels where Slack limits updates. One job per account retries their first cards when the
 * limit ends, so a thousand waiting cards cost no more retries than one.
 */
export function createLimitedCards({
  cardUpdates,
  howMany,
  jobs,
}: Pick<FeatureContext, 'jobs'> & {
  readonly cardUpdates: CardUpdates;
  /** Resolves to how many cards may be updated next. */
  readonly howMany: () => Promise<number>;
}) {
  const limited = createLimitedChannels();

  /** The channel of each card that this process added to the account's queue. */
  const channelOf = new Map<string, ChannelId>();

  /** When the job of an account was last queued (monotonic clock of this process, ms). */
  const queuedAt = new Map<string, number>();

  const nameOf = ({ workspace, account }: AccountRef, ...rest: string[]) =>
    [workspace, account, ...rest].join(' ');

  /** Ensures that the job exists. */
  async function ensureJob(ref: AccountRef, delayMs = 0): Promise<void> {
    const [name, at] = [nameOf(ref), performance.now()];
    if (at - (queuedAt.get(name) ?? Number.NEGATIVE_INFINITY) < ensureMs) return;
    queuedAt.set(name, at + delayMs);
    const { workspace, account } = ref;
    const payload = { workspace, account, isLimited: true } as const;
    await jobs.add('update-cards', payload, { delayMs, uniqueKey: `${account} limited` });
  }

  return {
    /** Returns whether Slack has recently limited updates in any channel. */
    isAny: limited.isAny,

    ensureJob,

    /** Caches the channels of cards that are about to be queued. */
    remember(ref: AccountRef, tasks: readonly TaskWithCard[]): void {
      if (channelOf.size > mostRemembered) channelOf.clear();
      for (const { id, card } of tasks)
        if (card.state === 'posted') channelOf.set(nameOf(ref, id), card.channel);
    },

    /** Forgets the channels of cards that are about to be updated. */
    forget(ref: AccountRef, cards: readonly WaitingCard[]): void {
      for (const { task } of cards) channelOf.delete(nameOf(ref, task));
    },

    /** Moves cards into their channel's queue if it has one. Returns the others. */
    async withoutLimited(ref: AccountRef, cards: readonly WaitingCard[]): Promise<WaitingCard[]> {
      const isBehind = await Promise.all(
        cards.map(async (card) => {
          const channel = channelOf.get(nameOf(ref, card.task));
          if (channel === undefined || !limited.has(ref, channel)) return false;
          if (!(await cardUpdates.addBehindOthers(ref, channel, [card]))) return false;
          channelOf.delete(nameOf(ref, card.task));
          await ensureJob(ref);
          return true;
        }),
      );
      return cards.filter((_, index) => !isBehind[index]);
    },

    /** Queues a card until Slack accepts updates in its channel again. */
    async wait(ref: AccountRef, card: WaitingCard, channel: ChannelId, limitedMs: number): Promise<void> {
      await cardUpdates.addInChannel(ref, channel, [card]);
      limited.record(ref, channel, limitedMs);
      await ensureJob(ref, Math.min(limitedMs, longestWaitMs));
    },

    /**
     * Repeatedly updates the first cards of the channels that Slack accepts updates in again, until none waits. After a
     * refusal, the card with the highest rank is tried alone, since Slack may accept only one, and then the others. How many
     * follows the number of updates Slack last accepted, plus a few. Returns how many cards were taken. Throws
     * {@link Reschedule} to continue later.
     */
    async updateNext(ref: AccountRef, updateOne: (card: WaitingCard) => Promise<void>): Promise<number> {
      let [done, most, isRefused] = [0, firstChannels, true];
      for (const began = performance.now(); performance.now() - began < longestJobMs; ) {
        queuedAt.set(nameOf(ref), performance.now());
        const channels = await cardUpdates.channels(ref);
        if (channels.length === 0) return done;
        const waitMs = Math.min(...channels.map((channel) => limited.waitOf(ref, channel)));
        if (waitMs > longestWaitMs) throw new Reschedule(longestWaitMs);
        await pause(waitMs);
        const atMost = Math.min(most, await howMany());
        const free = channels.filter((channel) => limited.waitOf(ref, channel) <= 0);
        const tried = limited.next(ref, free, atMost);
        const taken = await cardUpdates.takeInChannels(ref, tried);
        const alone = isRefused ? 1 : 0;
        for (const card of taken.slice(0, alone)) await updateOne(card);
        await Promise.all(taken.slice(alone).map(updateOne));
        done += taken.length;
        const refused = tried.filter((channel) => limited.waitOf(ref, channel) > 0).length;
        isRefused = refused > 0;
        most = isRefused ? Math.max(fewestChannels, tried.length - refused) : most + moreChannels;
        // The limit is per workspace: more tries now would be refused as well.
        if (isRefused) await pause(betweenTriesMs);
      }
      throw new Reschedule(1);
    },
  };
}
