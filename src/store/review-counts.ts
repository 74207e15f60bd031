import type { Redis } from 'ioredis';
import { groupBy } from '../domain/group.ts';
import { money } from '../domain/money.ts';
import { type CampaignCounts, type SettledDecision, timeStep } from '../domain/review-counts.ts';
import { type AccountRef, CampaignId, MemberId, type Verdict, verdicts } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

const dayMs = 86_400_000;
/** Decisions are counted per quarter of an hour: all time zone offsets are multiples of it. */
const quarterMs = 900_000;
/** A day's counts are stored for two days longer than a summary may reach back (s). */
const storedSeconds = 9 * 86_400;
/** Bonuses are counted in the marketplace's smallest amount. */
const unitsPerMoney = 100_000;

const dayKey = (ref: AccountRef, day: number) => accountKey(ref, 'reviewed', String(day));
const quarterOf = (at: number) => Math.floor(at / quarterMs);

/**
 * Returns the step that counts a decision which has become a rating, made together with the change of the task's record, so
 * that each counts once. Fields are `<quarter> <what> <detail> <campaign>`.
 */
export function reviewStep(ref: AccountRef, settled: SettledDecision | undefined): CommitStep | undefined {
  if (settled === undefined) return undefined;
  const { at, campaign, by, verdict, reason, tookMs, bonus } = settled;
  const field = (what: string, detail: string) => `${quarterOf(at)} ${what} ${detail} ${campaign}`;
  const units = bonus === undefined ? 0 : Number(money(bonus).times(unitsPerMoney).round().toFixed());
  const counted: [string, number][] = [
    [field('rated', `${verdict}:${by}`), 1],
    ...(tookMs === undefined ? [] : [[field('took', String(timeStep(tookMs))), 1] as [string, number]]),
    ...(verdict === 'OK'
      ? []
      : [[field('why', `${verdict}:${encodeURIComponent(reason ?? '')}`), 1] as [string, number]]),
    ...(units > 0 ? [[field('bonus', '-'), units] as [string, number]] : []),
  ];
  return {
    keys: [dayKey(ref, Math.floor(at / dayMs))],
    args: [storedSeconds, counted.length, ...counted.flat()],
    lua: (key, arg) => `
for i = 1, tonumber(ARGV[${arg + 1}]) do
  redis.call('HINCRBY', KEYS[${key}], ARGV[${arg} + 2 * i], ARGV[${arg} + 2 * i + 1])
end
redis.call('EXPIRE', KEYS[${key}], ARGV[${arg}])`,
  };
}

/** A decoded field of a day. */
interface Counted {
  readonly campaign: CampaignId;
  readonly what: string;
  readonly detail: string;
  readonly count: number;
}

export type ReviewCounts = ReturnType<typeof createReviewCounts>;

/** Creates the reader of the number of decisions that became ratings: a week of them. */
export function createReviewCounts(redis: Redis) {
  async function read(ref: AccountRef, from: number, until: number): Promise<Counted[]> {
    const pipeline = redis.pipeline();
    for (let day = Math.floor(from / dayMs); day <= Math.floor(until / dayMs); day += 1)
      pipeline.hgetall(dayKey(ref, day));
    const days = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
      if (error) throw error;
      return answer as Record<string, string>;
    });
    return days.flatMap((fields) =>
      Object.entries(fields).flatMap(([field, text]) => {
        const [quarter = '', what = '', detail = '', ...campaign] = field.split(' ');
        const isWithin = Number(quarter) >= quarterOf(from) && Number(quarter) < quarterOf(until);
        const count = Number(text);
        if (!isWithin || !Number.isFinite(count)) return [];
        return [{ campaign: CampaignId.parse(campaign.join(' ')), what, detail, count }];
      }),
    );
  }

  return {
    /** Returns the counts since a time (ms), rounded down to the quarter of an hour, up to now. */
    since(ref: AccountRef, from: number, now: number): Promise<CampaignCounts[]> {
      return this.between(ref, from, now + quarterMs);
    },

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
          times: of('took').map(({ detail, count }) => ({ step: Number(detail), tasks: count })),
          reasons: of('why').flatMap(({ detail, count }) => {
            const found = withVerdict(detail);
            if (found === undefined) return [];
            const reason = found.rest === '' ? {} : { reason: decodeURIComponent(found.rest) };
            return [{ verdict: found.verdict, ...reason, tasks: count }];
          }),
          bonuses: money(of('bonus').reduce((all, { count }) => all + count, 0)).div(unitsPerMoney),
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
