import type { Settings } from './model.ts';

/** Calls per minute in each of Slack's tiers. `posting` has its own limit: one per second and channel. */
const PER_MINUTE = { tier2: 20, tier3: 50, tier4: 100, special: 600 };

/** Messages per minute in the whole workspace. */
const POSTS_PER_MINUTE = 300;
/** Posts in a burst before the limit of one per second applies. */
const POST_BURST = 3;

export type Tier = keyof typeof PER_MINUTE | 'posting' | 'none';

export type RateLimits = {
  /** Takes a token for a call. Returns undefined, or the seconds to wait if the bucket is empty. */
  take: (method: string, tier: Tier, channel: string | undefined) => number | undefined;
  reset: () => void;
};

/** Creates rate limits per method and, for posting, per channel: token buckets. */
export function createRateLimits(setting: () => Settings['rateLimits'], now = Date.now): RateLimits {
  const buckets = new Map<string, { left: number; at: number }>();

  const wait = (name: string, capacity: number, perSecond: number): number => {
    const bucket = buckets.get(name) ?? { left: capacity, at: now() };
    bucket.left = Math.min(capacity, bucket.left + ((now() - bucket.at) / 1000) * perSecond);
    bucket.at = now();
    buckets.set(name, bucket);
    return bucket.left >= 1 ? 0 : (1 - bucket.left) / perSecond;
  };
  const spend = (name: string): void => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) bucket.left -= 1;
  };

  return {
    take: (method, tier, channel) => {
      const value = setting();
      if (value === 'off' || tier === 'none') return undefined;
      const factor = value === 'on' ? 1 : value;
      const rules: [string, number, number][] =
        tier === 'posting'
          ? [
              [`post:${channel ?? ''}`, Math.max(1, POST_BURST * factor), factor],
              ['post', Math.max(1, POSTS_PER_MINUTE * factor), (POSTS_PER_MINUTE * factor) / 60],
            ]
          : [[method, Math.max(1, PER_MINUTE[tier] * factor), (PER_MINUTE[tier] * factor) / 60]];
      const seconds = Math.max(...rules.map((rule) => wait(...rule)));
      if (seconds > 0) return Math.max(1, Math.ceil(seconds));
      for (const [name] of rules) spend(name);
      return undefined;
    },
    reset: () => buckets.clear(),
  };
}
