import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { krippendorffAlpha } from '../../src/domain/second-look/agreement.ts';
import {
  drawnByChance,
  figuresByCampaign,
  figuresByReason,
  figuresByReviewer,
  figuresOf,
  figuresOfReviewer,
} from '../../src/domain/second-look/figures.ts';
import { rateWithInterval } from '../../src/domain/second-look/interval.ts';
import type { SecondLookOutcome } from '../../src/domain/second-look/outcome.ts';
import { CampaignId, MemberId, TaskId, type Verdict, verdicts } from '../../src/domain/terms.ts';
import { figuresModal } from '../../src/features/look-figures/figures.view.ts';
import { visibleText } from '../harness/visible-text.ts';

/** Returns the values of each unit, from one line per observer; a dot is missing. */
const unitsOf = (...observers: readonly string[]) => {
  const lines = observers.map((line) => line.split(' '));
  return (lines[0] ?? []).map((_, unit) =>
    lines.flatMap((line) => (line[unit] === '.' ? [] : (line[unit] ?? []))),
  );
};

describe("Krippendorff's alpha", () => {
  test.each([
    ['binary, 2 observers, 10 units', 0.095, ['0 1 0 0 0 0 0 0 1 0', '1 1 1 0 0 1 0 0 0 0']],
    ['nominal, 2 observers, 12 units', 0.692, ['a a b b d c c c e d d a', 'b a b b b c c c e d d d']],
    [
      'nominal, 4 observers, 12 units, values missing',
      0.743,
      [
        '1 2 3 3 2 1 4 1 2 . . .',
        '1 2 3 3 2 2 4 1 2 5 . 3',
        '. 3 3 3 2 3 4 2 2 5 1 .',
        '1 2 3 3 2 4 4 1 2 5 1 .',
      ],
    ],
    [
      'nominal, 3 observers, 15 units, most values missing',
      0.691,
      ['. . . . . 3 4 1 2 1 1 3 3 . 3', '1 . 2 1 3 3 4 3 . . . . . . .', '. . 2 1 3 4 4 . 2 1 1 3 3 . 4'],
    ],
  ])('is what is published: %s', (_, alpha, observers) => {
    expect(krippendorffAlpha(unitsOf(...observers))).toBeCloseTo(alpha, 3);
  });

  test('is not said where chance alone would have all agree, or nobody was judged twice', () => {
    expect(krippendorffAlpha([])).toBeUndefined();
    expect(krippendorffAlpha([['OK'], ['NOK']])).toBeUndefined();
    expect(
      krippendorffAlpha([
        ['OK', 'OK'],
        ['OK', 'OK'],
      ]),
    ).toBeUndefined();
  });

  const units = fc.array(fc.array(fc.constantFrom(...verdicts), { maxLength: 4 }), { maxLength: 30 });

  test('is 1 exactly where all agree, and never more', () => {
    fc.assert(
      fc.property(units, (some) => {
        const alpha = krippendorffAlpha(some);
        if (alpha === undefined) return;
        const paired = some.filter(({ length }) => length > 1);
        expect(alpha).toBeLessThanOrEqual(1);
        expect(alpha === 1).toBe(paired.every((values) => new Set(values).size === 1));
      }),
    );
  });

  test('depends neither on who said what, nor on order, nor on the names of values', () => {
    const renamed = { OK: 'x', NOK: 'y', REVISE: 'z' };
    fc.assert(
      fc.property(units, (some) => {
        const other = some.toReversed().map((values) => values.toReversed().map((value) => renamed[value]));
        const [alpha, same] = [krippendorffAlpha(some), krippendorffAlpha(other)];
        if (alpha === undefined || same === undefined) expect(alpha).toBe(same);
        else expect(same).toBeCloseTo(alpha, 10);
      }),
    );
  });
});

describe('the interval of a rate', () => {
  // Newcombe (1998), "Two-sided confidence intervals for the single proportion", and the usual tables.
  test.each([
    [81, 263, 0.2527, 0.3676],
    [15, 148, 0.0578, 0.1617],
    [0, 20, 0, 0.1684],
    [1, 29, 0.0009, 0.1776],
    [5, 10, 0.1871, 0.8129],
    [10, 10, 0.6915, 1],
  ])('is what is published: %d of %d', (count, of, low, high) => {
    const interval = rateWithInterval(count, of);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('says nothing where there is nothing', () => {
    expect(rateWithInterval(0, 0)).toEqual({ count: 0, of: 0, rate: 0, low: 0, high: 1 });
  });

  test('has the rate in it, mirrors, and becomes narrower with more looks', () => {
    const counts = fc.integer({ min: 1, max: 5_000 }).chain((of) => fc.tuple(fc.nat(of), fc.constant(of)));
    fc.assert(
      fc.property(counts, ([count, of]) => {
        const { rate, low, high } = rateWithInterval(count, of);
        expect(low).toBeLessThanOrEqual(rate);
        expect(high).toBeGreaterThanOrEqual(rate);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        const mirrored = rateWithInterval(of - count, of);
        expect(mirrored.low).toBeCloseTo(1 - high, 9);
        expect(mirrored.high).toBeCloseTo(1 - low, 9);
        const more = rateWithInterval(count * 4, of * 4);
        expect(more.high - more.low).toBeLessThan(high - low);
      }),
      { numRuns: 200 },
    );
  });

  /** Returns numbers from 0 to 1 that follow from the seed (mulberry32). */
  function numbersFrom(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  /** A simulated team: what came of its second looks, and how often two of its reviewers differ in truth. */
  interface SimulatedTeam {
    readonly outcomes: SecondLookOutcome[];
    /** Over the decisions that are looked at, and over all but those that always are. */
    readonly truthOfLooks: number;
    readonly truthOfAll: number;
  }

  /**
   * Simulates a team: reviewers who err each at a rate of their own, of whom the new ones are looked at twice as often, and
   * decisions that are looked at always, in which everybody errs more.
   */
  function simulateTeam(seed: number): SimulatedTeam {
    const next = numbersFrom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
    const most = 10 ** (-4 * next());
    const share = pick([0.05, 0.1, 0.2]);
    const reviewers = Array.from({ length: 2 + Math.floor(next() * 6) }, (_, index) => ({
      member: MemberId.parse(`U${index}`),
      errs: most * next(),
      share: next() < 0.3 ? 2 * share : share,
    }));
    const always = 0.1 * next();
    const errsIn = (errs: number, isAlways: boolean) => (isAlways ? Math.min(1, 3 * errs) : errs);
    const outcomes: SecondLookOutcome[] = [];
    const decisions = Math.floor(40 * 60 ** next());
    for (let index = 0; index < decisions; index += 1) {
      const first = pick(reviewers);
      const isAlways = next() < always;
      const draw = next();
      if (!isAlways && draw >= first.share) continue;
      const second = pick(reviewers.filter(({ member }) => member !== first.member));
      const verdict = (errs: number): Verdict => (next() < errsIn(errs, isAlways) ? 'NOK' : 'OK');
      outcomes.push({
        task: TaskId.parse(`T${index}`),
        campaign: CampaignId.parse('C1'),
        at: index,
        why: isAlways ? 'bonus' : draw < share ? 'share' : 'new',
        first: { member: first.member, verdict: verdict(first.errs) },
        second: { member: second.member, verdict: verdict(second.errs) },
      });
    }
    // That one of the two errs and the other does not, whoever looks.
    const differs = reviewers.map((first) =>
      [false, true].map((isAlways) => {
        const others = reviewers.filter(({ member }) => member !== first.member);
        const own = errsIn(first.errs, isAlways);
        const each = others.map(({ errs }) => {
          const other = errsIn(errs, isAlways);
          return own * (1 - other) + other * (1 - own);
        });
        return mean(each);
      }),
    );
    const weights = reviewers.map((one) => [(1 - always) * one.share, always]);
    const sum = (values: readonly (readonly number[])[]) =>
      values.flat().reduce((all, value) => all + value, 0);
    const looked = differs.map((both, index) =>
      both.map((rate, kind) => rate * (weights[index]?.[kind] ?? 0)),
    );
    return {
      outcomes,
      truthOfLooks: sum(looked) / sum(weights),
      truthOfAll: mean(differs.map(([ordinary = 0]) => ordinary)),
    };
  }

  const mean = (values: readonly number[]) => values.reduce((all, value) => all + value, 0) / values.length;

  /** Returns in which share of 1,000 teams the interval has the truth: of all, of those with few looks, and with a low rate. */
  function coverage(of: (team: SimulatedTeam) => readonly [outcomes: SecondLookOutcome[], truth: number]) {
    const groups = { all: [0, 0], few: [0, 0], rare: [0, 0] } satisfies Record<string, [number, number]>;
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const [outcomes, truth] = of(simulateTeam(seed));
      const { differing } = figuresOf(outcomes);
      const isCovered = differing.low <= truth && truth <= differing.high ? 1 : 0;
      const into = [
        groups.all,
        ...(differing.of < 20 ? [groups.few] : []),
        ...(truth < 0.01 ? [groups.rare] : []),
      ];
      for (const group of into) {
        group[0] = (group[0] ?? 0) + isCovered;
        group[1] = (group[1] ?? 0) + 1;
      }
    }
    return Object.entries(groups).map(([name, [covered, teams]]) => ({
      name,
      teams,
      share: covered / teams,
    }));
  }

  test('covers the truth of at least 93 % of 1,000 simulated teams, those with few looks or extreme rates too', () => {
    const ofLooks = coverage(({ outcomes, truthOfLooks }) => [outcomes, truthOfLooks]);
    const ofAll = coverage(({ outcomes, truthOfAll }) => [drawnByChance(outcomes), truthOfAll]);
    for (const { teams, share } of [...ofLooks, ...ofAll]) {
      expect(teams).toBeGreaterThan(100);
      expect(share).toBeGreaterThanOrEqual(0.93);
    }
  });

  test.each([0.001, 0.01, 0.05, 0.3, 0.5, 0.97])(
    'covers a rate of %d whatever the number of looks',
    (truth) => {
      for (const of of [1, 2, 5, 10, 40, 200]) {
        let covered = 0;
        let probability = (1 - truth) ** of;
        for (let count = 0; count <= of; count += 1) {
          const { low, high } = rateWithInterval(count, of);
          if (low <= truth && truth <= high) covered += probability;
          probability *= ((of - count) / (count + 1)) * (truth / (1 - truth));
        }
        expect(covered).toBeGreaterThanOrEqual(0.95 - 1e-9);
      }
    },
  );
});

describe('figures of second looks', () => {
  const [ann, ben, cleo] = ['U01ANN', 'U02BEN', 'U03CLEO'].map((id) => MemberId.parse(id)) as [
    MemberId,
    MemberId,
    MemberId,
  ];
  let number = 0;
  const outcome = (
    campaign: string,
    [firstBy, first, reason]: readonly [MemberId, Verdict, string?],
    [secondBy, second]: readonly [MemberId, Verdict],
    third?: readonly [MemberId, Verdict],
  ): SecondLookOutcome => {
    number += 1;
    return {
      task: TaskId.parse(`T${number}`),
      campaign: CampaignId.parse(campaign),
      at: number,
      first: { member: firstBy, verdict: first, ...(reason === undefined ? {} : { reason }) },
      second: { member: secondBy, verdict: second },
      ...(third ? { third: { member: third[0], verdict: third[1] } } : {}),
    };
  };
  const outcomes = [
    outcome('C1', [ann, 'OK'], [ben, 'OK']),
    outcome('C1', [ann, 'NOK', 'wrong-page'], [ben, 'OK'], [cleo, 'NOK']),
    outcome('C1', [ann, 'NOK', 'wrong-page'], [cleo, 'REVISE'], [ben, 'REVISE']),
    outcome('C2', [ben, 'REVISE', 'unreadable'], [ann, 'REVISE']),
    outcome('C2', [ben, 'OK'], [cleo, 'NOK']),
  ];

  test('say how many differ, by campaign and by the reason of the first look', () => {
    expect(figuresOf(outcomes).differing).toMatchObject({ count: 3, of: 5, rate: 0.6 });
    expect(figuresByCampaign(outcomes)).toMatchObject([
      { key: 'C1', differing: { count: 2, of: 3 } },
      { key: 'C2', differing: { count: 1, of: 2 } },
    ]);
    expect(figuresByReason(outcomes)).toMatchObject([
      { key: 'wrong-page', differing: { count: 2, of: 2 } },
      { key: 'unreadable', differing: { count: 0, of: 1 } },
    ]);
  });

  test('count for a reviewer what others said of their decisions, and how often a third agreed with them', () => {
    expect(figuresOfReviewer(outcomes, ann)).toMatchObject({
      differing: { count: 2, of: 3 },
      upheld: { count: 1, of: 2 },
      given: 1,
    });
    // One that nobody has decided yet counts for neither.
    expect(figuresOfReviewer(outcomes, ben)).toMatchObject({
      differing: { count: 1, of: 2 },
      upheld: { count: 0, of: 0 },
      given: 3,
    });
    expect(figuresByReviewer(outcomes).map(({ member }) => member)).toEqual([ann, ben, cleo]);
  });

  test('take no account of the third look in the agreement: whoever gives it has seen both', () => {
    const without = outcomes.map(({ task, campaign, at, first, second }) => ({
      task,
      campaign,
      at,
      first,
      second,
    }));
    expect(without).not.toEqual(outcomes);
    expect(figuresOf(outcomes).alpha).toBe(figuresOf(without).alpha);
  });

  test('of campaigns and of reviewers add up to those of all', () => {
    const member = fc.constantFrom(ann, ben, cleo);
    const verdict = fc.constantFrom(...verdicts);
    const anyOutcome = fc
      .record({
        campaign: fc.constantFrom('C1', 'C2', 'C3'),
        by: fc.uniqueArray(member, { minLength: 2, maxLength: 2 }),
        first: verdict,
        second: verdict,
      })
      .map(({ campaign, by: [one = ann, other = ben], first, second }) =>
        outcome(campaign, [one, first], [other, second]),
      );
    fc.assert(
      fc.property(fc.array(anyOutcome, { maxLength: 40 }), (some) => {
        const { count, of } = figuresOf(some).differing;
        for (const groups of [figuresByCampaign(some), figuresByReviewer(some)]) {
          expect(groups.reduce((sum, { differing }) => sum + differing.count, 0)).toBe(count);
          expect(groups.reduce((sum, { differing }) => sum + differing.of, 0)).toBe(of);
        }
        expect(figuresByReviewer(some).reduce((sum, { given }) => sum + given, 0)).toBe(of);
      }),
    );
  });

  test('show speed beside quality, and never alone', () => {
    const content = {
      all: figuresOf(outcomes),
      drawn: figuresOf(drawnByChance(outcomes)),
      campaigns: [],
      reasons: [],
      viewer: ann,
    };
    const pace = { decisions: 120, hours: 4 };
    const shown = (member: MemberId) =>
      visibleText(
        figuresModal({ ...content, reviewers: [{ ...figuresOfReviewer(outcomes, member), pace }] }).blocks,
      );
    expect(shown(ann)).toMatch(/2 differ, 67 % .*\n.*\n30 decisions an hour: 120 in 4 hours of two weeks/);
    // Nobody has looked at what Cleo decided.
    expect(shown(cleo)).toContain('Gave 3 second looks');
    expect(shown(cleo)).not.toContain('an hour');
  });
});
