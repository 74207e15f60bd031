import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deadlineOf, sendTime } from '../../src/domain/task.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import { createDeadlines } from '../../src/features/cards/details.ts';
import { batchWindowMs, readyToSend } from '../../src/features/decide/send.ts';
import { asId, ref } from '../harness/ids.ts';
import { forAll } from './properties.ts';

const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });

test('without a known time to rate a decision waits for as long as it can be undone', () => {
  forAll(moment, fc.nat(3_600_000), (at, undoMs) => {
    expect(sendTime(at, undoMs, deadlineOf(at, undefined))).toBe(at + undoMs);
  });
});

test('near the deadline the wait is shorter, and never in the past', () => {
  expect(sendTime(0, 3_600_000, 600_000)).toBe(540_000);
  const undoTime = fc.nat(3_600_000);
  const daysToRate = fc.integer({ min: 1, max: 30 });
  forAll(moment, undoTime, moment, daysToRate, (at, undoMs, finishedAt, days) => {
    const deadline = deadlineOf(finishedAt, days) ?? Number.NaN;
    const leaves = sendTime(at, undoMs, deadline);
    expect(leaves).toBe(Math.max(at, Math.min(at + undoMs, deadline - 60_000)));
  });
});

test('a task is due its campaign’s days after it was finished, as far as both are known', async () => {
  const day = 86_400_000;
  const known = new Map([[asId<CampaignId>('c1'), 7]]);
  const deadlines = createDeadlines({ getMany: async () => known });
  const task = (id: string, campaign: string, finishedAt?: number, submittedAt?: number) =>
    ({ id, campaign, submittedAt, proof: { slots: [], files: [], finishedAt } }) as never;
  const found = await deadlines.dueAt(ref, [
    task('both', 'c1', day, 5),
    task('submitted', 'c1', undefined, 2 * day),
    task('no time', 'c1'),
    task('no days', 'c2', day),
  ]);
  expect(Object.fromEntries(found)).toEqual({ both: 8 * day, submitted: 9 * day });
});

type Waiting = Parameters<typeof readyToSend>[0][number];

const decided = (campaign: string, dueAt: number, decision: object = {}): Waiting =>
  ({
    id: asId(`${campaign} ${dueAt}`),
    campaign: asId(campaign),
    decision: { state: 'waiting', attempts: 0, dueAt, ...decision },
  }) as Waiting;

/** Runs the job every second, as it is queued for the second in which a decision comes due. Returns its calls, with their times. */
function callsFor(decisions: readonly Waiting[]): { readonly at: number; readonly sent: Waiting[] }[] {
  let left = [...decisions];
  const calls: { at: number; sent: Waiting[] }[] = [];
  for (let at = 0; left.length > 0; at += 1_000) {
    const isDue = ({ decision }: Waiting) => (decision.dueAt ?? 0) <= at;
    const isComing = (one: Waiting) => !isDue(one) && (one.decision.dueAt ?? 0) <= at + batchWindowMs;
    const sent = readyToSend(left.filter(isDue), left.filter(isComing), at);
    left = left.filter((one) => !sent.includes(one));
    for (const campaign of new Set(sent.map((one) => one.campaign)))
      calls.push({ at, sent: sent.filter((one) => one.campaign === campaign) });
  }
  return calls;
}

test('a burst of decisions on a campaign leaves in one call, whichever seconds it falls into', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: batchWindowMs }), { minLength: 1, maxLength: 60 });
  forAll(fc.integer({ min: 10_000, max: 10_999 }), pauses, (first, all) => {
    const burst = [first];
    for (const pause of all) {
      const next = (burst.at(-1) ?? 0) + pause;
      if (next - first <= 2_000) burst.push(next);
    }
    expect(callsFor(burst.map((time) => decided('shelf', time)))).toHaveLength(1);
  });
});

test('each decision is sent within 4 seconds after it came due, and none before, however many follow it', () => {
  const decisions = fc.array(
    fc.record({ campaign: fc.constantFrom('shelf', 'menu'), dueAt: fc.integer({ min: 0, max: 60_000 }) }),
    { maxLength: 200 },
  );
  forAll(decisions, (all) => {
    const calls = callsFor(all.map(({ campaign, dueAt }) => decided(campaign, dueAt)));
    for (const { at, sent } of calls)
      for (const { decision } of sent) {
        expect(at).toBeGreaterThanOrEqual(decision.dueAt ?? 0);
        expect(at - (decision.dueAt ?? 0)).toBeLessThan(4_000);
      }
    expect(calls.flatMap(({ sent }) => sent)).toHaveLength(all.length);
  });
});

test('a steady stream of decisions delays none of them by four seconds', () => {
  const stream = Array.from({ length: 60 }, (_, n) => decided('shelf', 500 * n));
  for (const { at, sent } of callsFor(stream))
    for (const { decision } of sent) expect(at - (decision.dueAt ?? 0)).toBeLessThan(4_000);
});

test('one that nothing follows, one of another campaign, and one that was tried before are sent at once', () => {
  const due = [decided('shelf', 1_000), decided('menu', 900), decided('shop', 900, { attempts: 1 })];
  const coming = [decided('menu', 1_500), decided('shop', 1_500), decided('shelf', 1_900, { state: 'held' })];
  expect(readyToSend(due, coming, 1_000).map(({ campaign }) => campaign)).toEqual(['shelf', 'shop']);
});
