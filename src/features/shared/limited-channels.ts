import type { AccountRef, ChannelId } from '../../domain/terms.ts';

/** How long after a rate limit a channel may still have cards in its queue (ms). */
const rememberedMs = 60_000;

/** Times are on this process's monotonic clock (ms). */
interface LimitedChannel {
  /** When Slack accepts updates there again. */
  readonly freeAt: number;
  /** When this entry expires. */
  readonly until: number;
}

/** Creates the memory of the channels in which Slack has recently limited updates, as observed by this process. */
export function createLimitedChannels() {
  const limited = new Map<string, LimitedChannel>();
  /** When each channel was last tried. */
  const triedAt = new Map<string, number>();
  const nameOf = ({ workspace, account }: AccountRef, channel: ChannelId) =>
    [workspace, account, channel].join(' ');

  return {
    /** Records that Slack accepts no updates in a channel for `limitedMs`. */
    record(ref: AccountRef, channel: ChannelId, limitedMs: number): void {
      const at = performance.now();
      for (const [name, { until }] of limited) if (until <= at) limited.delete(name);
      limited.set(nameOf(ref, channel), { freeAt: at + limitedMs, until: at + limitedMs + rememberedMs });
    },

    /**
     * Chooses the channels to try next, at most `most` of `channels`, which are in the order of their first cards: the first
     * ones, and last the one that has not been tried for longest, so that none waits for a channel that Slack limits alone.
     */
    next(ref: AccountRef, channels: readonly ChannelId[], most: number): ChannelId[] {
      const at = performance.now();
      for (const [name, tried] of triedAt) if (at - tried > rememberedMs) triedAt.delete(name);
      const lastTry = (channel: ChannelId) => triedAt.get(nameOf(ref, channel)) ?? 0;
      const first = channels.slice(0, most - 1);
      const others = channels.slice(most - 1).sort((one, other) => lastTry(one) - lastTry(other));
      const chosen = [...first, ...others.slice(0, 1)];
      for (const channel of chosen) triedAt.set(nameOf(ref, channel), at);
      return chosen;
    },

    /** Returns whether cards may still wait in a channel's queue. */
    has: (ref: AccountRef, channel: ChannelId): boolean => limited.has(nameOf(ref, channel)),

    /** Returns whether Slack has recently limited any channel of an account. */
    isAny({ workspace, account }: AccountRef): boolean {
      const [at, prefix] = [performance.now(), `${workspace} ${account} `];
      return [...limited].some(([name, { until }]) => until > at && name.startsWith(prefix));
    },

    /** Returns the remaining rate limit of a channel (ms); 0 when there is none. */
    waitOf(ref: AccountRef, channel: ChannelId): number {
      return Math.max(0, (limited.get(nameOf(ref, channel))?.freeAt ?? 0) - performance.now());
    },
  };
}
