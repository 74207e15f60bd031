import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decision as sampleDecision } from '../../gallery/samples/tasks.ts';
import { confirm } from '../../src/domain/confirmed-transition.ts';
import { money } from '../../src/domain/money.ts';
import type { Decision, NewDecision, Task, TaskEvent } from '../../src/domain/task.ts';
import type { MemberId, Rating } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { reconcileDecision } from '../../src/features/decide/read-back.ts';
import type { TaskWithDecision } from '../../src/features/decide/send-outcome.ts';
import type { TaskInfo } from '../../src/marketplace/index.ts';
import { asId } from '../harness/ids.ts';
import { waitingInfo, waitingRow } from '../harness/waiting-row.ts';
import { forAllAsync } from './properties.ts';

const handedIn = 1_000_000;

/** The marketplace's own record of the one task. */
interface Held {
  rating: Rating;
  comment: string;
  bonus: string;
  finishedAt: number;
  proof: readonly string[];
}

const unrated: Held = {
  rating: 'NOTRATED',
  comment: '',
  bonus: '0.00000',
  finishedAt: handedIn,
  proof: ['text', '', ''],
};

function infoOf(held: Held): TaskInfo {
  return waitingInfo(asId('t'), {
    finishedAt: new Date(held.finishedAt),
    proof: held.proof,
    rating: held.rating,
    employerComment: held.comment,
    bonusWorkerEarned: money(held.bonus),
  });
}

function taskWith(fields: Partial<Decision>): TaskWithDecision {
  const at = 2_000_000;
  const sending = sampleDecision('sending', { id: 'd', at, dueAt: at, ...fields });
  return { ...(firstSeen().task as Task), detailed: true, decision: sending };
}

function firstSeen() {
  const proof = { slots: ['text'], files: [], finishedAt: handedIn };
  const row = waitingRow(asId('t'), undefined, undefined, { readAt: handedIn, proof, want: 'card' });
  return transition(undefined, row);
}

async function read(task: TaskWithDecision, held: Partial<Held>) {
  const marketplace = { getTaskInfo: async () => infoOf({ ...unrated, ...held }) };
  return reconcileDecision(marketplace, task, () => 3_000_000);
}

test('a decision without a usable answer is done when the rating, the comment and the bonus are the same', async () => {
  const applied = { type: 'applied', answered: false };
  expect(await read(taskWith({}), { rating: 'OK' })).toMatchObject(applied);
  expect(await read(taskWith({ bonus: '0.05' }), { rating: 'OK', bonus: '0.05000' })).toMatchObject(applied);
  // Our only attempt was turned away: an earlier one, which Redis has lost, may have been applied.
  expect(await read(taskWith({ rejectedAttempt: 1 }), { rating: 'OK' })).toMatchObject(applied);
  // Line ends and blanks at the end do not survive every way there and back.
  const comment = 'Sharper,\nplease ';
  const held = { rating: 'NOK', comment: 'Sharper,\r\nplease' } as const;
  expect(await read(taskWith({ verdict: 'NOK', comment }), held)).toMatchObject(applied);
});

test.each([
  ['another rating', {}, { rating: 'NOK', comment: 'no' }],
  ['another comment', {}, { rating: 'OK', comment: 'Fine' }],
  ['a bonus that was not paid', { bonus: '0.05' }, { rating: 'OK' }],
  ['another bonus', { bonus: '0.05' }, { rating: 'OK', bonus: '0.06000' }],
  ['a bonus that nobody here decided', {}, { rating: 'OK', bonus: '0.05000' }],
] as const)('a decision without a usable answer was decided elsewhere: %s', async (_, decision, held) => {
  const { rating } = held;
  expect(await read(taskWith(decision), held)).toMatchObject({ type: 'overtaken', attempt: 1, rating });
});

test('a decision without a usable answer is sent again when the task still waits with the same proof', async () => {
  expect(await read(taskWith({}), {})).toBe('open');
  // Before its details were read only the results CSV told when it was finished, perhaps in another time zone.
  const fromCsv = { ...taskWith({}), detailed: false };
  expect(await read(fromCsv, { finishedAt: handedIn + 3_600_000 })).toBe('open');
  expect(await read(fromCsv, { finishedAt: handedIn + 29_000 })).toBe('open');
  expect(await read({ ...fromCsv, detailed: true }, { finishedAt: handedIn + 3_600_000 })).toBe('open');
});

test('an answer of an earlier proof than the decided one says nothing of the decision', async () => {
  const older = { finishedAt: handedIn - 60_000, proof: ['older', '', ''] };
  await expect(read(taskWith({}), { ...older, rating: 'REVISE' })).rejects.toThrow(
    'older than what is known',
  );
});

const corrected = { finishedAt: handedIn + 5_000, proof: ['better', '', ''] };
const revise = { verdict: 'REVISE', comment: 'Sharper' } as const;

test('a decision on a task that was sent back and corrected meanwhile is done when it may have been what sent it back', async () => {
  for (const held of [{}, { comment: 'Sharper' }, { rating: 'NOTREVIEWED' }] as const)
    expect(await read(taskWith(revise), { ...corrected, ...held })).toMatchObject({ type: 'applied' });
});

test.each([
  ['an OK', {}, ''],
  ['a NOK', { verdict: 'NOK', comment: 'no' }, ''],
  ['a REVISE that was turned away', { ...revise, rejectedAttempt: 1 }, ''],
  ['a REVISE for another reason', revise, 'Brighter'],
  ['an OK, where the worker changed only files', {}, '', { proof: unrated.proof }],
] as const)(
  'a decision on a task that was sent back and corrected meanwhile %s never meets the new proof',
  async (_, decision, comment, held: Partial<Held> = {}) => {
    const found = await read(taskWith(decision), { ...corrected, comment, ...held });
    expect(found).toMatchObject({ type: 'overtaken', rating: 'REVISE', comment });
  },
);

/** What can happen around one decision: to our calls on their way, to the processes, and on the website. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'look after it' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('arrive' as const), call: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), call: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), call: fc.nat(2) }) },
  fc.record({ do: fc.constant('turn away' as const), call: fc.nat(2) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('wait' as const, 'read the results' as const) }) },
  fc.record({
    do: fc.constant('rate on the website' as const),
    rating: fc.constantFrom('OK' as const, 'NOK' as const),
    comment: fc.constantFrom('', 'Fine'),
    bonus: fc.constantFrom('0.00000', '0.05000'),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const decision: fc.Arbitrary<NewDecision> = fc.record(
  {
    id: fc.constant('d'),
    by: fc.constant(asId<MemberId>('U1')),
    verdict: fc.constant('OK' as const),
    comment: fc.constantFrom('', 'Fine'),
    bonus: fc.constantFrom('0.05', '0.050'),
    favorite: fc.constant('add' as const),
  },
  { requiredKeys: ['id', 'by', 'verdict', 'comment'] },
);

/** One decision and everything that may come of it, with calls that arrive late and answers that come later still. */
function createStory(wanted: NewDecision) {
  const lease = 10_000;
  let at = 2_000_000;
  let task = firstSeen().task as Task;
  const market: Held & { by?: 'us' | 'website' } = { ...unrated };
  const calls: { attempt: number; end?: 'applied' | 'turned away' | 'never'; isOver: boolean }[] = [];

  function apply(event: TaskEvent): boolean {
    const outcome = transition(task, event);
    if (outcome.kind === 'done') task = outcome.task;
    return outcome.kind === 'done';
  }

  function send(): void {
    const attempt = (task.decision?.attempts ?? 0) + 1;
    if (apply({ type: 'sending', decision: 'd', attempt, at, leaseUntil: at + lease })) {
      calls.push({ attempt, isOver: false });
    }
  }

  function rate(by: 'us' | 'website', held: Partial<Held>): boolean {
    if (market.rating !== 'NOTRATED') return false;
    Object.assign(market, held, { by });
    return true;
  }

  async function lookAfter(): Promise<void> {
    const due = task.decision;
    if (due === undefined || (due.dueAt ?? Number.POSITIVE_INFINITY) > at) return;
    if (due.state !== 'sending') return send();
    const marketplace = { getTaskInfo: async () => infoOf(market) };
    const told = await reconcileDecision(marketplace, { ...task, decision: due }, () => at);
    if (told === 'open') send();
    else apply(told);
  }

  function onItsWay({ do: what, call: number }: Extract<Step, { call: number }>): void {
    const call = calls[number];
    if (call === undefined) return;
    const { attempt, isOver } = call;
    const of = { decision: 'd', attempt };
    if (what === 'arrive' && call.end === undefined) {
      const { verdict: rating, comment, bonus = '0' } = wanted;
      call.end = rate('us', { rating, comment, bonus }) ? 'applied' : 'turned away';
    } else if (what === 'answer' && !isOver && call.end !== undefined) {
      call.isOver = true;
      if (call.end === 'applied') apply({ type: 'applied', decision: 'd', at, answered: true });
      else apply({ type: 'outcome-unknown', ...of, until: at, wasRejected: true });
    } else if (what === 'lose' && !isOver) {
      call.isOver = true;
      apply({ type: 'outcome-unknown', ...of, until: at });
    } else if (what === 'turn away' && !isOver && call.end === undefined) {
      call.isOver = true;
      call.end = 'never';
      apply({ type: 'held', ...of, until: at, problem: { text: 'paused' } });
    }
  }

  apply({ type: 'decided', decision: wanted, round: 1, at, sendAt: at });
  return {
    async happens(next: Step): Promise<void> {
      at += 100;
      if ('call' in next) onItsWay(next);
      else if (next.do === 'look after it') await lookAfter();
      else if (next.do === 'wait') at += lease;
      else if (next.do === 'rate on the website') rate('website', next);
      else if (next.do === 'read the results') {
        const { rating, comment } = market;
        const row = { ...task, rating, comment, readAt: at, want: 'card' } as const;
        const confirmed = confirm(row, { ...row, askedAt: at });
        if (confirmed) apply({ type: 'confirmed', ...confirmed });
      }
    },
    get told() {
      return task.decision;
    },
    market,
  };
}

const wanted: NewDecision = { id: 'd', by: asId('U1'), verdict: 'OK', comment: 'Fine', favorite: 'add' };
/** One story for each end, so that every run sees all of them. */
const ends: [NewDecision, Step[]][] = [
  [wanted, [{ do: 'look after it' }, { do: 'arrive', call: 0 }, { do: 'answer', call: 0 }]],
  [
    wanted,
    [
      { do: 'look after it' },
      { do: 'rate on the website', rating: 'NOK', comment: '', bonus: '0.00000' },
      { do: 'lose', call: 0 },
      { do: 'wait' },
      { do: 'look after it' },
    ],
  ],
];

test('whatever is lost or late, no more is said of a decision than what the marketplace has', async () => {
  const seen = { applied: 0, favorite: 0, overtaken: 0 };
  const story = fc.array(step, { minLength: 1, maxLength: 25 });
  await forAllAsync({ numRuns: 300, examples: ends }, decision, story, async (wanted, steps) => {
    const story = createStory(wanted);
    for (const next of steps) {
      await story.happens(next);
      const { told, market } = story;
      if (told?.state === 'applied') {
        seen.applied += 1;
        expect([market.rating, market.comment]).toEqual([told.verdict, told.comment]);
        expect(money(market.bonus).eq(money(told.bonus ?? '0'))).toBe(true);
        if (told.favorite) {
          seen.favorite += 1;
          expect(market.by).toBe('us');
        }
      }
      if (told?.state === 'overtaken') {
        seen.overtaken += 1;
        expect(market.by).toBe('website');
      }
    }
  });
  // It was worth while: all of these have happened.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});
