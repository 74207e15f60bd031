import { expect, test } from 'vitest';
import { linesOf, runChaos } from './run.ts';
import { deaths, outages, schedule } from './schedule.ts';

test('the same seed gives the same day, and another seed another', () => {
  expect(schedule(7)).toEqual(schedule(7));
  expect(schedule(7)).not.toEqual(schedule(8));
});

test('a day has outages of every place that do not overlap there, and a process dies at every moment', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const day = schedule(seed);
    for (const place of Object.keys(outages)) {
      const there = day.flatMap((one) => (one.what === 'outage' && one.place === place ? [one] : []));
      expect(there.length).toBeGreaterThan(3);
      for (const [index, { at }] of there.entries()) {
        const before = there[index - 1];
        if (before) expect(at).toBeGreaterThan(before.at + before.ms);
      }
    }
    const moments = new Set(day.flatMap((one) => (one.what === 'kill' ? [one.moment] : [])));
    expect([...moments].sort()).toEqual([...deaths].sort());
  }
});

test('nothing that was accepted is lost or done twice while processes die and everything fails', async () => {
  const outcome = await runChaos(7, console.log);
  expect(linesOf(outcome.findings), `logs in ${outcome.logs}`).toEqual([]);
  // Or it shows nothing.
  expect(outcome.accepted).toBeGreaterThan(5);
}, 180_000);
