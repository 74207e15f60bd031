import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf, groupBy } from '../domain/collections.ts';
import type { CampaignCounts } from '../domain/daily-summary.ts';
import { dayMs, keyOf, quarterMs } from '../domain/index-changes.ts';
import { amountOf } from '../domain/spending.ts';
import {
  type AccountRef,
  CampaignId,
  MemberId,
  TaskId,
  type Verdict,
  verdicts,
  type WorkspaceId,
} from '../domain/terms.ts';
import { accountKey, createCodec } from './format.ts';
import { keysOfAccounts } from './scripts.ts';

const decidedByKey = (ref: AccountRef, member: MemberId) => accountKey(ref, keyOf.decidedBy(member));

/** Somebody's decision, and when it was made (ms); its result is in the record of its task. */
export interface MemberDecision {
  readonly task: TaskId;
  readonly decision: string;
  readonly at: number;
}

/** Members of a sorted set: their text is their identity, so their format must not change. */
export const memberDecisionCodec = createCodec(
  'member-decision',
  z.object({ task: TaskId, decision: z.string() }).readonly(),
);

/** Creates the reader of members' last decisions. */
export function createMemberDecisions(redis: Redis) {
  return {
    /** Returns a member's last decisions, latest first. */
    async latest(ref: AccountRef, member: MemberId): Promise<MemberDecision[]> {
      const found = await redis.zrevrange(decidedByKey(ref, member), 0, -1, 'WITHSCORES');
      return chunksOf(found, 2).flatMap(([text = '', at = '0']) => {
        const entry = memberDecisionCodec.decode(text);
        return entry.ok ? [{ ...entry.value, at: Number(at) }] : [];
      });
    },
  };
}

/** Removes the lists of a member's last decisions, in all accounts of the workspace. */
export async function eraseMemberDecisions(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  for await (const { key } of keysOfAccounts(redis, workspace, 'decided-by', member)) await redis.unlink(key);
}

const dayKey = (ref: AccountRef, day: number) => accountKey(ref, keyOf.reviewed(day));
const quarterOf = (at: number) => Math.floor(at / quarterMs);

/** A decoded field of a day. */
interface Counted {
  readonly campaign: CampaignId;
  readonly what: string;
  readonly detail: string;
  readonly count: number;
}

/** Creates the reader of the number of decisions that became ratings: a week of them. */
export function createReviewCounts(redis: Redis) {
  async function read(ref: AccountRef, from: number, until: number): Promise<Counted[]> {
    const [first, last] = [from, until].map((at) => Math.floor(at / dayMs)) as [number, number];
    const keys = Array.from({ length: last - first + 1 }, (_, day) => dayKey(ref, first + day));
    const days = await Promise.all(keys.map((key) => redis.hgetall(key)));
    return days.flatMap((fields) =>
      Object.entries(fields).flatMap(([field, text]) => {
        const [quarter = '', what = '', detail = '', ...campaign] = field.split(' ');
        const isWithin = Number(quarter) >= quarterOf(from) && Number(quarter) < quarterOf(until);
        if (!isWithin) return [];
        return [{ campaign: CampaignId.parse(campaign.join(' ')), what, detail, count: Number(text) }];
      }),
    );
  }

  return {
    /**
     * Returns the counts from one time to another (ms), both rounded down to the quarter of an hour: the part omitted at the
     * end of one span is at the beginning of the next.
     */
    async between(ref: AccountRef, from: number, until: number): Promise<CampaignCounts[]> {
      const byCampaign = groupBy(await read(ref, from, until), ({ campaign }) => campaign);
      return [...byCampaign].map(([campaign, counted]) => {
        const of = (what: string) => counted.filter((one) => one.what === what);
        return {
          campaign,
          ratings: of('rated').flatMap(({ detail, count }) => {
            const found = withVerdict(detail);
            return found ? [{ verdict: found.verdict, by: MemberId.parse(found.rest), tasks: count }] : [];
          }),
          reasons: of('why').flatMap(({ detail, count }) => {
            const found = withVerdict(detail);
            if (found === undefined) return [];
            const reason = found.rest === '' ? {} : { reason: decodeURIComponent(found.rest) };
            return [{ verdict: found.verdict, ...reason, tasks: count }];
          }),
          bonuses: amountOf(String(of('bonus').reduce((all, { count }) => all + count, 0))),
        };
      });
    },
  };
}

function withVerdict(detail: string): { readonly verdict: Verdict; readonly rest: string } | undefined {
  const [name, ...rest] = detail.split(':');
  const verdict = verdicts.find((one) => one === name);
  return verdict && { verdict, rest: rest.join(':') };
}
