import { expect, test } from 'vitest';
import { decision, task } from '../../gallery/samples/tasks.ts';
import { sayBriefAtFault } from '../../src/domain/second-look/figures.ts';
import type { SecondLookOutcome } from '../../src/domain/second-look/outcome.ts';
import type { Decision } from '../../src/domain/task.ts';
import type { AccountRef, Verdict } from '../../src/domain/terms.ts';
import { createRefusals, differingLookStep } from '../../src/store/refusals.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const redis = redisPerFile();

const outcomes = (differing: number, of: number): SecondLookOutcome[] =>
  Array.from({ length: of }, (_, index) => ({
    task: asId(`t${index}`),
    campaign: asId('c1'),
    at: index,
    first: { member: asId('U1'), verdict: 'OK' },
    second: { member: asId('U2'), verdict: index < differing ? 'NOK' : 'OK' },
  }));

test('second looks say that a brief may be at fault when three differ and more than one in ten does for sure', () => {
  expect(sayBriefAtFault([])).toBe(false);
  expect(sayBriefAtFault(outcomes(2, 2))).toBe(false);
  expect(sayBriefAtFault(outcomes(3, 3))).toBe(true);
  expect(sayBriefAtFault(outcomes(3, 6))).toBe(true);
  // Of so many, as many as that differ anywhere.
  expect(sayBriefAtFault(outcomes(3, 40))).toBe(false);
  expect(sayBriefAtFault(outcomes(20, 100))).toBe(true);
});

test('one more that differs has its campaign looked at, in the step of the rating, until the team was told', async () => {
  const refusals = createRefusals(redis());
  const given = (verdict: Verdict) => ({ id: verdict, by: asId('U1'), verdict, comment: '', at: 1 }) as const;
  const looked = (second: Verdict): Decision =>
    decision('applied', {
      look: {
        why: 'share',
        until: 9,
        how: 'agreed',
        first: { ...given('OK'), by: asId('U1') },
        second: { ...given(second), by: asId('U2') },
      },
    });
  const rate = async (second: Verdict) => {
    const step = differingLookStep(ref, task(), task({ rating: 'OK', decision: looked(second) }));
    if (step) await redis().eval(step.lua(1, 1), step.keys.length, ...step.keys, ...step.args);
  };
  await rate('OK');
  expect(await refusals.due(ref)).toEqual([]);
  await rate('NOK');
  const [due] = await refusals.due(ref);
  expect(due).toEqual({ campaign: task().campaign, reason: '' });
  if (due === undefined) return;
  await refusals.notYet(ref, due);
  expect(await refusals.due(ref)).toEqual([]);
  await rate('NOK');
  expect(await refusals.due(ref)).toEqual([due]);
  await refusals.told(ref, due);
  await rate('NOK');
  expect(await refusals.due(ref)).toEqual([]);
});
