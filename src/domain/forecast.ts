/** Hours and days, in milliseconds. */
export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How many days are looked back: whole weeks, so that each hour of the week counts equally often. */
export const historyDays = 14;
/** How far is looked ahead: what is decided at this hour of this weekday is known from the weeks before. */
export const horizonDays = 7;

/** With less than this the past says nothing of what comes. */
const enough = { decisions: 50, days: 4 } as const;

/** What was decided within one hour of the clock, which began at `at` (ms). */
export interface DecidedHour {
  readonly at: number;
  readonly decisions: number;
  /** How many people made them. */
  readonly reviewers: number;
}

/** How many of the open tasks have run out by a time (ms). */
export interface DueBy {
  readonly at: number;
  readonly tasks: number;
}

export interface ForecastInput {
  readonly now: number;
  /** Since when decisions are counted (ms). */
  readonly since: number | undefined;
  readonly history: readonly DecidedHour[];
  /** Later times have at least as many tasks. */
  readonly due: readonly DueBy[];
}

/** Whether what is open will be decided in time, at the pace of the last two weeks. */
export interface Forecast {
  /** The time by which most is missing; absent when everything will be decided in time. */
  readonly short?: {
    readonly at: number;
    /** How many tasks will have run out by then without a decision. */
    readonly tasks: number;
    /** How many hours of one reviewer that is. */
    readonly reviewerHours: number;
  };
  /** What it rests on. */
  readonly basis: {
    readonly decisions: number;
    readonly reviewerHours: number;
    /** Decisions that one reviewer makes in an hour in which they review at all. */
    readonly perReviewerHour: number;
  };
}

/**
 * Forecasts whether the open tasks will be decided in time: what was decided in each hour of the week is expected in the same
 * hour of the next one. Tasks that arrive meanwhile are not known, so the truth can only be worse. Pure.
 * @returns undefined when there is too little history to say anything: decisions have to be counted for two weeks, on several
 * days
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

/** Returns how many decisions are expected from `now` until `until` (ms), at most a week later. */
function expected(history: readonly DecidedHour[], now: number, until: number): number {
  const weeks = historyDays / 7;
  return (
    sum(
      history.map(({ at, decisions }) => {
        // The next time that it is this hour of the week; the hour that has begun counts with what is left of it.
        const again = at + Math.ceil((now - hourMs + 1 - at) / (7 * dayMs)) * 7 * dayMs;
        return decisions * overlap(again, now, until) + decisions * overlap(again + 7 * dayMs, now, until);
      }),
    ) / weeks
  );
}

/** Returns which part of the hour that begins at `at` lies within the times. */
function overlap(at: number, from: number, until: number): number {
  return Math.max(0, Math.min(at + hourMs, until) - Math.max(at, from)) / hourMs;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
