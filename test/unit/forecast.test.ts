import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DecidedHour,
  type DueBy,
  type ForecastInput,
  forecast,
  hourMs,
} from '../../src/domain/forecast.ts';

const day = 24 * hourMs;
/** A Monday, in the middle of an hour. */
const now = Date.UTC(2026, 10, 16, 8, 30);
const since = now - 30 * day;

/** Two reviewers who decide 40 tasks an hour together, from 9 to 12 every day. */
const history: DecidedHour[] = Array.from({ length: 14 }, (_, ago) =>
  [9, 10, 11].map((hour) => ({
    at: Date.UTC(2026, 10, 2 + ago, hour),
    decisions: 40,
    reviewers: 2,
  })),
).flat();

const input = (due: readonly DueBy[], others: Partial<ForecastInput> = {}): ForecastInput => ({
  now,
  since,
  history,
  due,
  ...others,
});

describe('a forecast', () => {
  test('says by when how many reviewer-hours are missing', () => {
    const thursday = Date.UTC(2026, 10, 19, 23);
    // Four mornings of 120 decisions.
    const found = forecast(input([{ at: thursday, tasks: 520 }]));
    expect(found).toEqual({
      short: { at: thursday, tasks: 40, reviewerHours: 2 },
      basis: { decisions: 1_680, reviewerHours: 84, perReviewerHour: 20 },
    });
    expect(forecast(input([{ at: thursday, tasks: 480 }]))?.short).toBeUndefined();
  });

  test('counts the part of an hour that is left, and that the next hour of the week may be today', () => {
    const half = Date.UTC(2026, 10, 16, 9, 30);
    expect(forecast(input([{ at: half, tasks: 21 }]))?.short?.tasks).toBe(1);
    const inside = input([{ at: half, tasks: 21 }], { now: Date.UTC(2026, 10, 16, 9, 15) });
    expect(forecast(inside)?.short?.tasks).toBe(11);
  });

  test('names the time by which most is missing', () => {
    const tuesday = Date.UTC(2026, 10, 17, 23);
    const friday = Date.UTC(2026, 10, 20, 23);
    const due = [
      { at: tuesday, tasks: 300 },
      { at: friday, tasks: 601 },
    ];
    expect(forecast(input(due))?.short).toMatchObject({ at: tuesday, tasks: 60 });
  });

  test('is not made from too little', () => {
    const due = [{ at: now + day, tasks: 1_000 }];
    expect(forecast(input(due, { since: undefined }))).toBeUndefined();
    expect(forecast(input(due, { since: now - 13 * day }))).toBeUndefined();
    expect(forecast(input(due, { history: [] }))).toBeUndefined();
    expect(forecast(input(due, { history: history.slice(0, 9) }))).toBeUndefined();
    const few = history.map((hour) => ({ ...hour, decisions: 1 }));
    expect(forecast(input(due, { history: few }))).toBeUndefined();
    // What is older than two weeks says nothing.
    const old = history.map((hour) => ({ ...hour, at: hour.at - 15 * day }));
    expect(forecast(input(due, { history: old }))).toBeUndefined();
  });
});

const hours = fc.uniqueArray(
  fc.record({
    at: fc.integer({ min: 1, max: 14 * 24 }).map((ago) => Math.floor(now / hourMs) * hourMs - ago * hourMs),
    decisions: fc.integer({ min: 1, max: 200 }),
    reviewers: fc.integer({ min: 1, max: 5 }),
  }),
  { selector: ({ at }) => at, maxLength: 60 },
);
const dues = fc.array(fc.record({ at: fc.nat(9 * day).map((ms) => now + ms), tasks: fc.nat(3_000) }), {
  maxLength: 8,
});
const example: [DecidedHour[], DueBy[], number] = [history, [{ at: now + 2 * day, tasks: 900 }], 100];

describe('whatever was decided and is due', () => {
  test('what is missing is never less than nothing, nor more than what is due', () => {
    fc.assert(
      fc.property(hours, dues, (past, due) => {
        const found = forecast(input(due, { history: past }));
        if (found?.short === undefined) return;
        const { at, tasks, reviewerHours } = found.short;
        expect(tasks).toBeGreaterThan(0);
        expect(reviewerHours).toBeCloseTo(tasks / found.basis.perReviewerHour);
        expect(due.some((one) => one.at === at && one.tasks >= tasks)).toBe(true);
      }),
      { examples: [[history, example[1]]] },
    );
  });

  test('more to decide is never forecast as less missing, more hours of work never as more', () => {
    fc.assert(
      fc.property(hours, dues, fc.nat(500), (past, due, more) => {
        const found = forecast(input(due, { history: past }));
        if (found === undefined) return;
        const missing = found.short?.tasks ?? 0;
        const added = due.map((one) => ({ ...one, tasks: one.tasks + more }));
        expect(forecast(input(added, { history: past }))?.short?.tasks ?? 0).toBeGreaterThanOrEqual(missing);
        const harder = past.map((hour) => ({ ...hour, decisions: hour.decisions + more }));
        expect(forecast(input(due, { history: harder }))?.short?.tasks ?? 0).toBeLessThanOrEqual(missing);
      }),
      { examples: [example] },
    );
  });

  test('exactly what two weeks have brought is expected of the next week', () => {
    fc.assert(
      fc.property(hours, (past) => {
        const total = past.reduce((sum, { decisions }) => sum + decisions, 0);
        const end = { at: now + 7 * day, tasks: Math.ceil(total / 2) + 3 };
        const found = forecast(input([end], { history: past }));
        if (found !== undefined) expect(found.short?.tasks).toBe(Math.ceil(end.tasks - total / 2));
      }),
      { examples: [[history]] },
    );
  });
});
