import type { Redis } from 'ioredis';
import type { TaskEvent } from '../domain/events.ts';
import { type DecidedHour, historyDays, hourMs } from '../domain/forecast.ts';
import type { Task } from '../domain/task.ts';
import type { AccountRef, MemberId } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';
import { decidedByKey, listedSeconds } from './member-decisions.ts';

const dayMs = 86_400_000;
/** Counts are stored a day longer than they are read (s). */
const storedSeconds = (historyDays + 2) * 86_400;

const dayKey = (ref: AccountRef, at: number) => accountKey(ref, 'decisions', String(Math.floor(at / dayMs)));
const sinceKey = (ref: AccountRef) => accountKey(ref, 'decisions', 'since');

/**
 * Returns the step that adds a decision to its hour's count, or subtracts it when it is undone; undefined for other events.
 * Made together with the change of the task's record, so that each counts once. The first one of an hour extends the time to
 * live of the list of their last decisions.
 */
export function decisionStep(
  ref: AccountRef,
  event: TaskEvent,
  before: Task | undefined,
): CommitStep | undefined {
  const counted = countedIn(event, before);
  return counted && stepOf(ref, counted.at, counted.by, counted.change);
}

/** Returns the decision that an event makes or undoes. */
function countedIn(
  event: TaskEvent,
  before: Task | undefined,
): { readonly at: number; readonly by: MemberId; readonly change: 1 | -1 } | undefined {
  if (event.type === 'decided') return { at: event.at, by: event.decision.by, change: 1 };
  const { decision } = before ?? {};
  if (event.type !== 'undone' || decision?.id !== event.decision) return undefined;
  return { at: decision.at, by: decision.by, change: -1 };
}

function stepOf(ref: AccountRef, at: number, by: MemberId, change: 1 | -1): CommitStep {
  const hour = Math.floor(at / hourMs);
  return {
    keys: [dayKey(ref, at), sinceKey(ref), decidedByKey(ref, by)],
    args: [`${hour} ${by}`, change, storedSeconds, hour * hourMs],
    lua: (key, arg) => `
count(KEYS[${key}], ARGV[${arg}], tonumber(ARGV[${arg + 1}]), function(total, by)
  if total > math.max(by, 1) then return end
  redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 2}])
  redis.call('EXPIRE', KEYS[${key + 2}], ${listedSeconds})
  redis.call('SET', KEYS[${key + 1}], ARGV[${arg + 3}], 'NX')
end)`,
  };
}

export type DecisionCounts = ReturnType<typeof createDecisionCounts>;

/** Creates the reader of the number of decisions per person and hour: two weeks of them, a few fields a day. */
export function createDecisionCounts(redis: Redis) {
  return {
    /** Returns the hours before `now` (ms) in which somebody decided, and since when decisions are counted. */
    async history(
      ref: AccountRef,
      now: number,
    ): Promise<{ readonly since: number | undefined; readonly hours: DecidedHour[] }> {
      const pipeline = redis.pipeline();
      pipeline.get(sinceKey(ref));
      for (let ago = historyDays; ago >= 0; ago -= 1) pipeline.hgetall(dayKey(ref, now - ago * dayMs));
      const [since, ...days] = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
        if (error) throw error;
        return answer;
      });
      const hours = new Map<number, DecidedHour>();
      for (const [field, text] of days.flatMap((day) => Object.entries(day as Record<string, string>))) {
        const at = Number(field.split(' ')[0]) * hourMs;
        const count = Number(text);
        if (!(count > 0) || !Number.isFinite(at)) continue;
        const { decisions = 0, reviewers = 0 } = hours.get(at) ?? {};
        hours.set(at, { at, decisions: decisions + count, reviewers: reviewers + 1 });
      }
      return { since: since === null ? undefined : Number(since), hours: [...hours.values()] };
    },
  };
}
