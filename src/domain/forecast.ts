/** Hours and days, in milliseconds. */
export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Number of past days considered: whole weeks, so that each hour of the week counts equally often. */
export const historyDays = 14;
/** Forecast horizon in days: the same hour of the same weekday is known from past weeks. */
export const horizonDays = 7;

/** With less history, there is no forecast. */
const enough = { decisions: 50, days: 4 } as const;

/** Decisions within one clock hour, which began at `at` (ms). */
export interface DecidedHour {
  readonly at: number;
  readonly decisions: number;
  /** Number of people who made them. */
  readonly reviewers: number;
}

/** Number of open tasks that are overdue at a time (ms). */
export interface DueBy {
  readonly at: number;
  readonly tasks: number;
}

export interface ForecastInput {
  readonly now: number;
  /** Start of the recorded decisions (ms). */
  readonly since: number | undefined;
  readonly history: readonly DecidedHour[];
  /** Cumulative: later times have at least as many tasks. */
  readonly due: readonly DueBy[];
}

/** Whether open tasks will be decided in time, at the pace of the last two weeks. */
export interface Forecast {
  /** The time with the largest shortage; absent if everything will be decided in time. */
  readonly short?: {
    readonly at: number;
    /** Number of tasks that will be overdue by then without a decision. */
    readonly tasks: number;
    /** The same in hours of one reviewer. */
    readonly reviewerHours: number;
  };
  /** The basis of the forecast. */
  readonly basis: {
    readonly decisions: number;
    readonly reviewerHours: number;
    /** Decisions of one reviewer per hour in which they review at all. */
    readonly perReviewerHour: number;
  };
}

/**
 * Forecasts whether the open tasks will be decided in time: the decisions of each hour of the week are expected again in
 * the same hour of the next one. Newly arriving tasks are unknown, so reality can only be worse. Pure.
 * @returns undefined with too little history: decisions have to be counted for two weeks, on several days
 */
export function forecast({ now, since, history, due }: ForecastInput): Forecast | undefined {
  const end = Math.floor(now / hourMs) * hourMs;
  const from = end - historyDays * dayMs;
  if (since === undefined || since > from) return undefined;
  const counted = history.filter(({ at }) => at >= from && at < end);
  const decisions = sum(counted.map((hour) => hour.decisions));
  const days = new Set(counted.map(({ at }) => Math.floor(at / dayMs)));
  if (decisions < enough.decisions || days.size < enough.days) return undefined;
  const reviewerHours = sum(counted.map(({ reviewers }) => reviewers));
  const perReviewerHour = decisions / reviewerHours;
  const missing = due
    .filter(({ at }) => at > now && at <= now + horizonDays * dayMs)
    .map(({ at, tasks }) => ({ at, tasks: Math.ceil(tasks - expected(counted, now, at)) }));
  const worst = missing.reduce<DueBy | undefined>(
    (most, one) => (one.tasks > (most?.tasks ?? 0) ? one : most),
    undefined,
  );
  return {
    ...(worst ? { short: { ...worst, reviewerHours: worst.tasks / perReviewerHour } } : {}),
    basis: { decisions, reviewerHours, perReviewerHour },
  };
}

/** Returns the number of decisions expected from `now` until `until` (ms), at most a week later. */
function expected(history: readonly DecidedHour[], now: number, until: number): number {
  const weeks = historyDays / 7;
  return (
    sum(
      history.map(({ at, decisions }) => {
        // The next occurrence of this hour of the week; a started hour counts with its remaining part.
        const again = at + Math.ceil((now - hourMs + 1 - at) / (7 * dayMs)) * 7 * dayMs;
        return decisions * overlap(again, now, until) + decisions * overlap(again + 7 * dayMs, now, until);
      }),
    ) / weeks
  );
}

/** Returns the fraction of the hour beginning at `at` that lies within the times. */
function overlap(at: number, from: number, until: number): number {
  return Math.max(0, Math.min(at + hourMs, until) - Math.max(at, from)) / hourMs;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
