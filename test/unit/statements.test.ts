import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import {
  clockSkewMs,
  confirm,
  examineRow,
  isSubmittedBefore,
  type TaskAnswer,
} from '../../src/domain/confirmed-transition.ts';
import {
  isOpen,
  isPending,
  type SeenRow,
  type Task,
  type TaskEvent,
  type Worker,
} from '../../src/domain/task.ts';
import type { MemberId, Rating, TaskId, Verdict } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { taskCard } from '../../src/features/cards/card.view.ts';
import { auditEntryOf } from '../../src/store/audit.ts';
import { asId } from '../harness/ids.ts';
import { decided } from '../harness/waiting-row.ts';
import { forAll, of } from './properties.ts';

/** What is true of the task at the marketplace from a moment on. */
interface Truth {
  readonly at: number;
  readonly rating: Rating;
  readonly comment: string;
  readonly text: string;
  readonly submittedAt: number;
  readonly by: 'worker' | 'website' | MemberId;
}

const lag = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_500 }));
/** What happens; a lag is how long ago a source shows (seconds): 0 is now. */
const verdict = fc.constantFrom<Verdict>('OK', 'NOK', 'REVISE', 'REVISE');
const step = fc.oneof(
  of('decide', { verdict, by: fc.constantFrom(asId<MemberId>('U1'), asId<MemberId>('U2')) }, 3),
  of('rate on the website', { verdict }, 3),
  of('correct', { text: fc.constantFrom('one', 'two', 'three') }, 4),
  of('wait', { seconds: fc.integer({ min: 1, max: 60 }) }, 4),
  of('import', { resultsLag: lag, infoLag: lag }, 12),
  of('read details', { infoLag: lag }, 2),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const worker: Worker = { id: asId('w'), country: 'Chile', ip: '10.0.0.1' };
const id = asId<TaskId>('t');

/** One task, at the marketplace and here, and everything that is said of it. */
function createStory() {
  let now = 10_000_000;
  const truths: [Truth, ...Truth[]] = [
    { at: now, rating: 'NOTRATED', comment: '', text: 'one', submittedAt: now, by: 'worker' },
  ];
  const audit: AuditEntry[] = [];
  let task: Task | undefined;
  let decisions = 0;

  const truth = (lagSeconds = 0): Truth =>
    truths.findLast(({ at }) => at <= now - lagSeconds * 1_000) ?? truths[0];
  const move = (change: Partial<Truth>) => truths.push({ ...truth(), at: now, ...change });

  function apply(event: TaskEvent): void {
    const before = task;
    const outcome = transition(before, event);
    if (outcome.kind !== 'done') return;
    task = outcome.task;
    const entry = auditEntryOf(before, event, task);
    if (entry !== undefined) audit.push({ at: now, ...entry });
  }

  function rowOf({ rating, comment, text, submittedAt }: Truth): SeenRow {
    const proof = { slots: [text], files: [], finishedAt: submittedAt };
    const content = { id, campaign: asId<Task['campaign']>('c'), rating, comment, worker, csvRow: '0' };
    return { ...content, readAt: now, submittedAt, proof, want: 'card' };
  }

  function answerOf({ rating, comment, text, submittedAt }: Truth): TaskAnswer {
    const proof = { slots: [text], files: [], finishedAt: submittedAt };
    return { askedAt: now, id, rating, comment, worker, proof };
  }

  function importResults(resultsLag: number, infoLag: number): void {
    const row = rowOf(truth(resultsLag));
    if (task === undefined) apply({ type: 'seen', ...row });
    else if (examineRow(task, row) === 'ask') {
      const confirmed = confirm(row, answerOf(truth(infoLag)));
      if (confirmed) apply({ type: 'confirmed', ...confirmed });
    }
  }

  function readDetails(infoLag: number): void {
    const { text, submittedAt } = truth(infoLag);
    if (task === undefined || task.detailed || isSubmittedBefore(task.submittedAt, submittedAt)) return;
    const proof = { slots: [text], files: [], finishedAt: submittedAt };
    apply({ type: 'detailed', round: task.round, worker, proof });
  }

  function decide(verdict: Verdict, by: MemberId): void {
    if (task === undefined || !isOpen(task)) return;
    decisions += 1;
    const decision = `d${decisions}`;
    const comment = verdict === 'OK' ? '' : 'why';
    apply({ ...decided(decision, { by, verdict, comment }, now), round: task.round });
    apply({ type: 'sending', decision, attempt: 1, at: now, leaseUntil: now + 60_000 });
    if (truth().rating === 'NOTRATED') {
      move({ rating: verdict, comment, by });
      apply({ type: 'applied', decision, at: now, answered: true });
    } else apply({ type: 'refused', decision, attempt: 1, problem: { text: 'rated already' } });
  }

  return {
    happens(next: Step): void {
      now += 1_000;
      if (next.type === 'wait') now += next.seconds * 1_000;
      else if (next.type === 'import') importResults(next.resultsLag, next.infoLag);
      else if (next.type === 'read details') readDetails(next.infoLag);
      else if (next.type === 'decide') decide(next.verdict, next.by);
      else if (next.type === 'correct' && truth().rating === 'REVISE')
        move({ rating: 'NOTRATED', text: next.text, submittedAt: now, by: 'worker' });
      else if (next.type === 'rate on the website' && truth().rating === 'NOTRATED')
        move({ rating: next.verdict, comment: 'elsewhere', by: 'website' });
    },
    /** The sources stop lagging. */
    catchesUp(): void {
      for (let times = 0; times < 3; times += 1) {
        now += clockSkewMs + 1_000;
        readDetails(0);
        importResults(0, 0);
      }
    },
    get task() {
      return task;
    },
    truths,
    audit,
  };
}

/** A card as it is sent. */
const cardFor = (task: Task) =>
  JSON.stringify(taskCard({ account: asId('a'), task, campaignTitle: 'Photo' }).blocks);

/** The people that a card names. */
function namedOn(task: Task): string[] {
  return [...cardFor(task).matchAll(/<@(U\d)>/gu)].map(([, name]) => name ?? '');
}

/** Two corrections, of which the details show the first and the results the second: found by chance once. */
const betweenTwoCorrections: Step[] = [
  { type: 'import', resultsLag: 0, infoLag: 1 },
  { type: 'decide', verdict: 'REVISE', by: asId('U1') },
  { type: 'read details', infoLag: 1 },
  { type: 'correct', text: 'two' },
  { type: 'wait', seconds: 1 },
  { type: 'rate on the website', verdict: 'REVISE' },
  { type: 'correct', text: 'one' },
  { type: 'import', resultsLag: 0, infoLag: 4 },
];

/** Calls `check` after each step of many stories. */
function always(check: (story: ReturnType<typeof createStory>) => void, atEnd?: typeof check): void {
  const steps = fc.array(step, { minLength: 5, maxLength: 30, size: 'max' });
  forAll({ numRuns: 300, examples: [[betweenTwoCorrections]] }, steps, (all) => {
    const story = createStory();
    for (const next of all) {
      story.happens(next);
      check(story);
    }
    story.catchesUp();
    check(story);
    atEnd?.(story);
  });
}

test('every person named on a card did what the audit says', () => {
  let named = 0;
  always(({ task, audit }) => {
    if (task === undefined) return;
    for (const person of namedOn(task)) {
      named += 1;
      expect(audit.some(({ by, what }) => by === person && what === 'decided')).toBe(true);
    }
  });
  expect(named).toBeGreaterThan(30);
});

test('every round beyond the first rests on a correction that there was, however the sources lag or alternate', () => {
  let rounds = 0;
  always(({ task, truths, audit }) => {
    if (task === undefined || task.round === 1) return;
    rounds += 1;
    const submissions = new Set(truths.map(({ submittedAt }) => submittedAt));
    expect(task.round).toBeLessThanOrEqual(submissions.size);
    expect(audit.filter(({ what }) => what === 'came back')).toHaveLength(task.round - 1);
  });
  expect(rounds).toBeGreaterThan(30);
});

test('nobody is said to have asked for a revision, or to have rated elsewhere, who did not', () => {
  const said = { asked: 0, 'asked elsewhere': 0, 'rated elsewhere': 0 };
  always(({ task, truths }) => {
    if (task === undefined) return;
    const { before } = task;
    const revised = (by: string) => truths.some((one) => one.rating === 'REVISE' && one.by === by);
    if (before?.by) {
      said.asked += 1;
      expect(revised(before.by)).toBe(true);
    }
    if (before?.askedElsewhere) {
      said['asked elsewhere'] += 1;
      expect(revised('website')).toBe(true);
    }
    if (cardFor(task).includes('outside of Slack, seen')) {
      said['rated elsewhere'] += 1;
      expect(truths.some(({ rating, by }) => rating === task.rating && by === 'website')).toBe(true);
    }
  });
  // Otherwise there was nothing to look at. How often depends on the cases that were generated.
  expect(Math.min(...Object.values(said))).toBeGreaterThan(0);
});

test('once the sources have caught up, the record is what the marketplace has', () => {
  always(
    () => undefined,
    ({ task, truths }) => {
      const last = truths.at(-1);
      if (task === undefined || last === undefined) return;
      expect(isPending(task)).toBe(false);
      expect(task.rating).toBe(last.rating);
      if (last.rating !== 'NOTRATED') return;
      expect(task.proof.slots).toEqual([last.text]);
      expect(isOpen(task)).toBe(true);
    },
  );
});
