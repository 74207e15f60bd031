import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOpen, isPending, type Task } from '../../src/domain/task.ts';
import { ratings, verdicts } from '../../src/domain/terms.ts';
import { type Outcome, type TaskEvent, transition } from '../../src/domain/transition.ts';

// Few ids and times, so that events meet each other often.
const decisionId = fc.constantFrom('d1', 'd2', 'd3', 'd4');
const member = fc.constantFrom('U1', 'U2');
const time = fc.integer({ min: 0, max: 40 }).map((step) => step * 1_000);
const comment = fc.constantFrom('', 'why');
const round = fc.integer({ min: 1, max: 3 });
const place = fc.record({
  channel: fc.constantFrom('C1', 'C2'),
  ts: fc.constantFrom('1.1', '2.2', '3.3', '4.4'),
});
const worker = { id: 'w', country: 'Chile', ip: '10.0.0.1' };
const proof = fc.record({ slots: fc.constantFrom([], ['text']), files: fc.constant([]), finishedAt: time });
const problem = fc.constant({ text: 'because' });

const seen: fc.Arbitrary<TaskEvent> = fc.record({
  type: fc.constant('seen' as const),
  readAt: time,
  id: fc.constant('t'),
  campaign: fc.constant('c'),
  // What waits to be rated, and what has just been rated, most of all.
  rating: fc.oneof(fc.constantFrom('NOTRATED' as const, 'REVISE' as const), fc.constantFrom(...ratings)),
  comment,
  worker: fc.constant(worker),
  csvRow: fc.constant('0'),
  handedIn: time,
  proof,
  want: fc.oneof(
    fc.constantFrom('card' as const, 'backlog' as const),
    fc.tuple(place, round).map(([where, shown]) => ({ ...where, round: shown })),
  ),
});

const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  { weight: 4, arbitrary: seen },
  fc.record({ type: fc.constant('detailed' as const), round, worker: fc.constant(worker), proof }),
  fc.record({ type: fc.constant('pictured' as const), round, pictures: fc.constant([]) }),
  fc.constant({ type: 'card-wanted' as const }),
  fc.record({ type: fc.constant('posting' as const), channel: fc.constantFrom('C1', 'C2'), at: time }),
  fc.constant({ type: 'not-posted' as const }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant('posted' as const), place }) },
  fc.constant({ type: 'pointed' as const }),
  fc.record({ type: fc.constant('card-gone' as const), place }),
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('decided' as const),
      decision: fc.record({ id: decisionId, by: member, verdict: fc.constantFrom(...verdicts), comment }),
      round,
      at: time,
      sendAt: time,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('undone' as const), decision: decisionId }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('sending' as const),
      decision: decisionId,
      at: time,
      leaseUntil: time,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('applied' as const), decision: decisionId, at: time }),
  },
  fc.record({ type: fc.constant('refused' as const), decision: decisionId, problem }),
  fc.record({ type: fc.constant('held' as const), decision: decisionId, until: time, problem }),
  fc.record({ type: fc.constant('released' as const), decision: decisionId, at: time }),
  fc.record({ type: fc.constant('unsure' as const), decision: decisionId, until: time }),
  fc.record({
    type: fc.constant('overtaken' as const),
    decision: decisionId,
    rating: fc.constantFrom('OK' as const, 'NOK' as const, 'REVISE' as const),
    comment,
    at: time,
  }),
);

/** A history: the task before and after each event, and what the event did. */
interface Step {
  readonly before: Task | undefined;
  readonly event: TaskEvent;
  readonly outcome: Outcome;
  readonly after: Task | undefined;
}

function play(events: readonly TaskEvent[]): Step[] {
  const steps: Step[] = [];
  let task: Task | undefined;
  for (const next of events) {
    const before = deepFrozen(task);
    const outcome = transition(before, next);
    if (outcome.kind === 'done') task = outcome.task;
    steps.push({ before, event: next, outcome, after: task });
  }
  return steps;
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFrozen(inner);
  }
  return value;
}

/** Whatever happens, in whatever order, this holds after every step. */
function holds(check: (step: Step, earlier: readonly Step[]) => void): void {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), (events) => {
      const steps = play(events);
      for (const [index, step] of steps.entries()) check(step, steps.slice(0, index));
    }),
    { numRuns: 400 },
  );
}

const beganApplied = ({ before, after }: Step): boolean =>
  after?.decision?.state === 'applied' &&
  !(before?.decision?.state === 'applied' && before.decision.id === after.decision.id);

describe('whatever happens to a task, in whatever order', () => {
  test('no round gets two applied decisions', () => {
    holds((step, earlier) => {
      if (!beganApplied(step)) return;
      const sameRound = earlier.filter(
        (other) => beganApplied(other) && other.after?.round === step.after?.round,
      );
      expect(sameRound).toEqual([]);
    });
  });

  test('a decision is only applied after it was sent', () => {
    holds((step) => {
      if (beganApplied(step)) expect(step.before?.decision?.attempts).toBeGreaterThan(0);
    });
  });

  test('a pending decision has a time at which somebody looks after it, an ended one has none', () => {
    holds(({ after }) => {
      if (after?.decision) expect(after.decision.dueAt !== undefined).toBe(isPending(after));
    });
  });

  test('a task that waits for its rating can be decided, or its decision is pending', () => {
    holds(({ after }) => {
      if (after?.rating === 'NOTRATED') expect(isOpen(after) || isPending(after)).toBe(true);
    });
  });

  test('what was applied or overtaken stays so for the round', () => {
    holds(({ before, after }) => {
      const ended = before?.decision?.state;
      if (before === undefined || (ended !== 'applied' && ended !== 'overtaken')) return;
      if (after?.round === before.round) expect(after.decision).toEqual(before.decision);
    });
  });

  test('a decision that was taken back is never made again', () => {
    holds(({ before, after }) => {
      for (const id of before?.undone ?? []) {
        if (after?.round === before?.round) expect(after?.decision?.id).not.toBe(id);
      }
    });
  });

  test('what changes nothing gives the very same record back', () => {
    holds(({ before, outcome }) => {
      if (outcome.kind !== 'done') expect(outcome.task).toBe(before);
    });
  });

  test('the same event on the same record does the same', () => {
    holds(({ before, event: happened, outcome }) => {
      expect(transition(before, happened)).toEqual(outcome);
    });
  });

  test('rounds and faces only grow, and everything that people can see is a new face', () => {
    holds(({ before, after }) => {
      if (before === undefined || after === undefined) return;
      expect(after.round).toBeGreaterThanOrEqual(before.round);
      expect(after.face).toBeGreaterThanOrEqual(before.face);
      const shown = ({ rating, comment: said, worker: who, proof: what, before: was }: Task) => ({
        rating,
        said,
        who,
        what,
        was: was && { slots: was.slots, comment: was.comment },
      });
      if (JSON.stringify(shown(before)) !== JSON.stringify(shown(after))) {
        expect(after.face).toBeGreaterThan(before.face);
      }
    });
  });

  test('a card that was posted is kept as the card of its round, or as the one before, until it is deleted', () => {
    holds(({ before, event: happened, after }) => {
      if (before?.card.state !== 'posted' || after === undefined) return;
      const { channel, ts } = before.card;
      const kept = [after.card, after.before?.card].some(
        (card) => card !== undefined && 'ts' in card && card.ts === ts && card.channel === channel,
      );
      expect(kept || happened.type === 'card-gone').toBe(true);
    });
  });

  test('an earlier card that does not point at a newer one yet is not forgotten while there is no newer one', () => {
    holds(({ before, after }) => {
      const earlier = before?.before?.card;
      if (earlier === undefined || before?.card.state === 'posted') return;
      expect(after?.before?.card?.ts).toBe(earlier.ts);
    });
  });

  test('a card is posted only where one is wanted, and an attempt is forgotten only when its end is known', () => {
    holds(({ before, event: happened, after }) => {
      if (after?.card.state === 'posted' && before?.card.state !== 'posted' && before !== undefined) {
        expect(before.card.state).toBe('wanted');
      }
      if (before?.card.state !== 'wanted' || before.card.attempt === undefined) return;
      const known = after?.card.state === 'wanted' && after.card.attempt !== undefined;
      expect(known || happened.type === 'posted' || happened.type === 'not-posted').toBe(true);
    });
  });
});

describe('decisions', () => {
  const open = (): Task => {
    const outcome = transition(undefined, {
      type: 'seen',
      readAt: 10_000,
      id: 't',
      campaign: 'c',
      rating: 'NOTRATED',
      comment: '',
      worker,
      csvRow: '0',
      proof: { slots: ['text'], files: [] },
      want: 'card',
    });
    return task(outcome);
  };
  const decided = (id: string, by = 'U1', of = 1): TaskEvent => ({
    type: 'decided',
    decision: { id, by, verdict: 'OK', comment: '' },
    round: of,
    at: 20_000,
    sendAt: 30_000,
  });
  const task = (outcome: Outcome): Task => {
    expect(outcome.kind).toBe('done');
    if (outcome.task === undefined) throw new Error('no task');
    return outcome.task;
  };

  test('the first one stands, the second is turned away and says so', () => {
    const first = task(transition(open(), decided('d1')));
    const second = transition(first, decided('d2', 'U2'));
    expect(second.kind).toBe('rejected');
    expect(second.task?.decision?.by).toBe('U1');
  });

  test('the same click again changes nothing, also after it was taken back', () => {
    const first = task(transition(open(), decided('d1')));
    expect(transition(first, decided('d1')).kind).toBe('same');
    const undone = task(transition(first, { type: 'undone', decision: 'd1' }));
    expect(isOpen(undone)).toBe(true);
    expect(transition(undone, decided('d1')).kind).toBe('same');
    expect(transition(undone, decided('d2')).kind).toBe('done');
  });

  test('one made on an earlier round is turned away', () => {
    expect(transition(open(), decided('d1', 'U1', 2)).kind).toBe('rejected');
  });

  test('our own rating, read back from the results, is not taken for somebody else’s', () => {
    const sent = task(
      transition(task(transition(open(), decided('d1'))), {
        type: 'sending',
        decision: 'd1',
        at: 30_000,
        leaseUntil: 60_000,
      }),
    );
    const held = task(
      transition(sent, { type: 'held', decision: 'd1', until: 90_000, problem: { text: 'no' } }),
    );
    const row = { ...open(), type: 'seen', readAt: 80_000, rating: 'OK', want: 'card' } as const;
    const outcome = transition(held, row);
    expect(outcome.task?.decision?.state).toBe('applied');
  });

  test('a correction that the marketplace reviews first comes back as a new round that can be decided', () => {
    const row = { ...open(), type: 'seen', want: 'card' } as const;
    const sent = task(
      transition(task(transition(open(), decided('d1'))), {
        type: 'sending',
        decision: 'd1',
        at: 30_000,
        leaseUntil: 60_000,
      }),
    );
    const applied = task(transition(sent, { type: 'applied', decision: 'd1', at: 40_000 }));
    const reviewed = task(transition(applied, { ...row, rating: 'NOTREVIEWED', readAt: 80_000 }));
    expect(isOpen(reviewed)).toBe(false);
    const back = task(transition(reviewed, { ...row, rating: 'NOTRATED', readAt: 120_000 }));
    expect(back.round).toBe(2);
    expect(isOpen(back)).toBe(true);
  });

  test('what was corrected elsewhere is a new round; the same moment in another time zone is not', () => {
    const waiting: Task = { ...open(), handedIn: 5_000 };
    const again = (handedIn: number, slots = waiting.proof.slots): TaskEvent => ({
      ...waiting,
      type: 'seen',
      want: 'card',
      readAt: 60_000,
      handedIn,
      proof: { ...waiting.proof, slots },
    });
    expect(transition(waiting, again(65_000)).task?.round).toBe(2);
    expect(transition(waiting, again(905_000, ['other text'])).task?.round).toBe(2);
    expect(transition(waiting, again(5_000, ['other text'])).kind).toBe('same');
    for (const quarters of [1, 4, 22]) {
      expect(transition(waiting, again(5_000 + quarters * 900_000)).kind).toBe('same');
    }
    // A decision on its way goes on: only what can be decided gets a new round.
    expect(transition(task(transition(waiting, decided('d1'))), again(65_000)).kind).toBe('same');
  });

  test('a rating made elsewhere overtakes one that waits, and ends one that was refused', () => {
    const waiting = task(transition(open(), decided('d1')));
    const row = { ...open(), type: 'seen', readAt: 80_000, rating: 'NOK', want: 'card' } as const;
    expect(transition(waiting, row).task?.decision?.state).toBe('overtaken');
    const sent = task(
      transition(waiting, { type: 'sending', decision: 'd1', at: 30_000, leaseUntil: 60_000 }),
    );
    const refused = task(transition(sent, { type: 'refused', decision: 'd1', problem: { text: 'no' } }));
    expect(transition(refused, row).task?.decision?.state).toBe('overtaken');
  });
});
