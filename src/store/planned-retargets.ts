import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, CampaignId, MemberId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** The outcome of a planned retarget. `nextAt`: refused until then (ms). `sentence`: mrkdwn. */
const RetargetEnd = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('done') }),
    z.object({ kind: z.literal('unsure') }),
    z.object({ kind: z.literal('refused'), sentence: z.string(), nextAt: z.number().exactOptional() }),
  ])
  .readonly();
export type RetargetEnd = z.infer<typeof RetargetEnd>;

/**
 * A change of a campaign's countries that is made later, because the marketplace refuses it until then. `planned` is made at
 * `dueAt` · `sending` is in progress; after `until` its outcome is unknown · `ended` is stored only until people were
 * notified.
 */
const PlannedRetarget = z
  .object({
    id: z.string(),
    campaign: CampaignId,
    title: z.string(),
    include: z.array(z.string()).readonly(),
    exclude: z.array(z.string()).readonly(),
    by: MemberId,
    /** When it was first due, and when it is due now (ms). */
    firstDueAt: z.number(),
    dueAt: z.number(),
    stage: z
      .discriminatedUnion('state', [
        z.object({ state: z.literal('planned') }),
        z.object({ state: z.literal('sending'), until: z.number() }),
        z.object({ state: z.literal('ended'), end: RetargetEnd }),
      ])
      .readonly(),
  })
  .readonly();
export type PlannedRetarget = z.infer<typeof PlannedRetarget>;

export const plannedRetargetCodec = createCodec('planned-retarget', PlannedRetarget);

export type PlannedRetargets = ReturnType<typeof createPlannedRetargets>;

/** Creates the store of planned country changes: one per campaign, listed by account. */
export function createPlannedRetargets(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'planned-retargets');
  const stored = createStoredHash(redis, { codec: plannedRetargetCodec, field: CampaignId }, logger);

  return {
    async get(ref: AccountRef, campaign: CampaignId): Promise<PlannedRetarget | undefined> {
      return stored.get(key(ref), campaign);
    },

    /** Returns all plans of an account, the next one first. */
    async all(ref: AccountRef): Promise<PlannedRetarget[]> {
      const plans = [...(await stored.all(key(ref))).values()];
      return plans.sort((a, b) => a.dueAt - b.dueAt || a.campaign.localeCompare(b.campaign));
    },

    /**
     * Replaces `before`, as it was read, by `after`; undefined stands for no plan. Resolves to false when the plan has
     * changed since it was read.
     * @param step an audit entry that is added with it
     */
    async swap(
      ref: AccountRef,
      campaign: CampaignId,
      before: PlannedRetarget | undefined,
      after: PlannedRetarget | undefined,
      step?: AuditStep,
    ): Promise<boolean> {
      return stored.replace(key(ref), campaign, before, after, step);
    },
  };
}
