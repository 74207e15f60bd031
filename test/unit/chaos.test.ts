import { describe, expect, test } from 'vitest';
import { readArguments } from '../chaos/arguments.ts';
import { sentAgain } from '../chaos/check-sends.ts';
import type { MarketplaceTask, RatingRequest } from '../chaos/evidence.ts';
import { outageKinds, schedule } from '../chaos/schedule.ts';
import { longSettings, shortSettings } from '../chaos/settings.ts';

const kinds = Object.values(outageKinds).flat();

describe('the schedule of outages', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(schedule(7, shortSettings)).toEqual(schedule(7, shortSettings));
    expect(schedule(7, shortSettings)).not.toEqual(schedule(8, shortSettings));
  });

  test.each([
    ['short', shortSettings],
    ['long', longSettings],
  ])('has every kind on each day of the %s run', (_, settings) => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const outages = schedule(seed, settings);
      for (let day = 1; day <= settings.days; day += 1) {
        const seen = new Set(outages.filter((outage) => outage.day === day).map(({ kind }) => kind));
        expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
      }
    }
  });

  test('overlaps, but what hits the same thing follows one another and ends within its day', () => {
    const outages = schedule(3, longSettings);
    expect(outages.filter(({ overlapping }) => overlapping > 1).length).toBeGreaterThan(outages.length / 2);
    for (const { at, duration } of outages) expect(at + duration).toBeLessThanOrEqual(longSettings.dayMs);
    for (const ofPlace of Object.values(outageKinds)) {
      const own = outages.filter(({ kind }) => (ofPlace as readonly string[]).includes(kind));
      for (const [index, { day, at }] of own.entries()) {
        const before = own[index - 1];
        if (before?.day === day) expect(at).toBeGreaterThanOrEqual(before.at + before.duration);
      }
    }
  });
});

describe('the command line', () => {
  test('takes the form, a seed and other numbers', () => {
    expect(readArguments(['--short', '--seed', '7', '--tasks', '20'])).toEqual({
      do: 'run',
      settings: { ...shortSettings, seed: 7, tasks: 20 },
    });
    expect(readArguments(['--seed', '7'])).toEqual({ do: 'run', settings: { ...longSettings, seed: 7 } });
    expect(readArguments(['--defects', 'lease'])).toEqual({ do: 'defects', names: ['lease'] });
  });

  test.each([
    ['--quick'],
    ['short'],
    ['--seed'],
    ['--seed', 'x'],
    ['--defects', '--short'],
    ['--tasks', '-1'],
  ])('answers %s %s with help', (...args) => {
    expect(readArguments(args)).toMatchObject({ do: 'help', problem: expect.stringMatching(/./) });
  });
});

describe('the count of sends at the marketplace', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const history = (...events: [by: string, second: number][]) =>
    ({
      task_id: 't1',
      history: events.map(([by, second]) => ({ by, at: at(second) })),
    }) as unknown as MarketplaceTask;
  let n = 0;
  const send = (second: number, answer: Partial<RatingRequest> = {}): RatingRequest => {
    n += 1;
    const form = { id_task: 't1', rating: 'OK' };
    return {
      n,
      at: at(second),
      path: '/campaign_hg/rate_task/c1',
      form,
      status: 200,
      applied: true,
      ...answer,
    };
  };
  const readBack = (second: number, answer: Partial<RatingRequest> = {}): RatingRequest => ({
    ...send(second, answer),
    path: '/campaign_hg/get_task_info/t1',
    form: {},
  });
  const lost = { status: null, applied: false, fault: 'drop-before' };

  test('one call is right', () => {
    expect(sentAgain([history(['worker', 0], ['api', 5])], [send(5)])).toEqual([]);
  });

  test('a second call is found, also when it is refused', () => {
    const refused = send(6, { applied: false, error: 'ONLY NOTRATED TASK CAN BE RATED' });
    expect(sentAgain([history(['worker', 0], ['api', 5])], [send(5), refused])).toHaveLength(1);
  });

  test('a second call is found in rate_tasks too', () => {
    const both = { path: '/campaign_hg/rate_tasks/c1', form: { 'id_task[]': ['t0', 't1'] } };
    expect(sentAgain([history(['worker', 0], ['api', 5])], [send(5), send(6, both)])).toHaveLength(1);
  });

  test('after a lost answer, a second call is right once the task was read back as open', () => {
    const task = history(['worker', 0], ['api', 8]);
    expect(sentAgain([task], [send(5, lost), send(8)])).toHaveLength(1);
    expect(sentAgain([task], [send(5, lost), readBack(6), send(8)])).toEqual([]);
    expect(sentAgain([task], [send(5, lost), readBack(6, { status: 500 }), send(8)])).toHaveLength(1);
    expect(sentAgain([task], [readBack(4), send(5, lost), send(8)])).toHaveLength(1);
  });

  test('what Redis lost long ago, and was not applied, may be sent again', () => {
    const task = history(['worker', 0], ['api', 300]);
    const losses = [{ from: Date.parse(at(4)), to: Date.parse(at(10)) }];
    expect(sentAgain([task], [send(5, lost), send(300)], losses)).toEqual([]);
    expect(sentAgain([task], [send(5, lost), send(20)], losses)).toHaveLength(1);
    expect(sentAgain([task], [send(2, lost), send(300)], losses)).toHaveLength(1);
    expect(sentAgain([task], [send(5, { fault: 'drop-after' }), send(300)], losses)).toHaveLength(1);
  });

  test('a task that was read back as rated is not sent again', () => {
    const task = history(['worker', 0], ['api', 5]);
    const refused = send(8, { applied: false, error: 'ONLY NOTRATED TASK CAN BE RATED' });
    expect(sentAgain([task], [send(5, { fault: 'drop-after' }), readBack(6), refused])).toHaveLength(1);
  });

  test('what was refused for now is sent again without asking', () => {
    const task = history(['worker', 0], ['api', 8]);
    const paused = { applied: false, error: 'CAMPAIGN IS PAUSED_ADMIN' };
    expect(sentAgain([task], [send(5, paused), send(8)])).toEqual([]);
    expect(sentAgain([task], [send(5, { status: 429, applied: false }), send(8)])).toEqual([]);
    expect(sentAgain([task], [send(5, { error: 'SYSTEM ERROR', applied: false }), send(8)])).toHaveLength(1);
  });

  test('each round has its own call', () => {
    const task = history(['worker', 0], ['api', 5], ['worker', 7], ['api', 9]);
    expect(sentAgain([task], [send(5), send(9)])).toEqual([]);
  });
});
