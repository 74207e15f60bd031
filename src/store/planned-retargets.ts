import type { Redis } from 'ioredis';
import type { AccountRef, CampaignId, MemberId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** How a planned retarget ended. `nextAt`: refused until then (ms). `sentence`: mrkdwn. */
export type RetargetEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'unsure' }
  | { readonly kind: 'refused'; readonly sentence: string; readonly nextAt?: number };

/**
 * A change of a campaign's countries that is to be made later, since the marketplace refused it until then.
 * `planned` is made at `dueAt` · `sending` is under way; past `until` nobody knows how it ended · `ended` is only kept
 * until that was told.
 */
export interface PlannedRetarget {
  readonly id: string;
  readonly campaign: CampaignId;
  readonly title: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly by: MemberId;
  /** When it was first to be made, and when it is now (ms). */
  readonly firstDueAt: number;
  readonly dueAt: number;
  readonly stage:
    | { readonly state: 'planned' }
    | { readonly state: 'sending'; readonly until: number }
    | { readonly state: 'ended'; readonly end: RetargetEnd };
}

/** KEYS: plans. ARGV: campaign, what is kept now ('' for nothing), what shall be ('' for nothing). Gives 1 when it was so. */
const swapScript = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`;

export type PlannedRetargets = ReturnType<typeof createPlannedRetargets>;

/** The changes of countries that wait for their time: one per campaign, listed by account. */
export function createPlannedRetargets(redis: Redis) {
  const key = (ref: AccountRef) => accountKey(ref, 'planned-retargets');
  const textOf = (plan: PlannedRetarget | undefined) => (plan === undefined ? '' : JSON.stringify(plan));

  return {
    async get(ref: AccountRef, campaign: CampaignId): Promise<PlannedRetarget | undefined> {
      const text = await redis.hget(key(ref), campaign);
      return text === null ? undefined : (JSON.parse(text) as PlannedRetarget);
    },

    /** All of an account, the next one first. */
    async all(ref: AccountRef): Promise<PlannedRetarget[]> {
      const texts = await redis.hvals(key(ref));
      return texts
        .map((text) => JSON.parse(text) as PlannedRetarget)
        .sort((a, b) => a.dueAt - b.dueAt || a.campaign.localeCompare(b.campaign));
    },

    /**
     * Puts `after` in the place of `before` (undefined: none), as it was read. Gives false when it has changed since:
     * whoever was first has it.
     */
    async swap(
      ref: AccountRef,
      campaign: CampaignId,
      before: PlannedRetarget | undefined,
      after: PlannedRetarget | undefined,
    ): Promise<boolean> {
      return (await redis.eval(swapScript, 1, key(ref), campaign, textOf(before), textOf(after))) === 1;
    },
  };
}
