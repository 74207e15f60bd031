import fc from 'fast-check';
import { expect, test } from 'vitest';
import { confirm } from '../../src/domain/confirmed-transition.ts';
import { formerOf } from '../../src/domain/live-message.ts';
import type { Proof, SeenRow, Task, TaskEvent, TransitionResult, Worker } from '../../src/domain/task.ts';
import { isOpen, isPending, mayBeApplied } from '../../src/domain/task.ts';
import type { CampaignId, ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { ratings, verdicts } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { weighted } from '../fuzz/values.ts';
import { asId } from '../harness/ids.ts';
import { decided as decision, undone, waitingRow } from '../harness/waiting-row.ts';
import { forAll, of } from './properties.ts';

// Few ids and times, and most events speak of what there is at that moment, so that they meet each other often.
const current = '=';
const decisionId = weighted([1, fc.constantFrom('d1', 'd2', 'd3', 'd4')], [4, fc.constant(current)]);
const member = fc.constantFrom(asId<MemberId>('U1'), asId<MemberId>('U2'));
/** How long before or after the moment of its event. */
const time = fc.integer({ min: -10, max: 30 }).map((seconds) => seconds * 1_000);
const comment = fc.constantFrom('', 'why');
const round = fc.integer({ min: 1, max: 3 });
/** 0: the latest, or of `sending` the next. */
const attempt = weighted([2, fc.constant(0)], [1, fc.integer({ min: 1, max: 3 })]);
const messageRef = fc.record({
  channel: fc.constantFrom(asId<ChannelId>('C1'), asId<ChannelId>('C2')),
  ts: fc.constantFrom('1.1', '2.2', '3.3', '4.4'),
});
const worker: Worker = { id: asId('w'), country: 'Chile', ip: '10.0.0.1' };
const proof = fc.record({ slots: fc.constantFrom([], ['text']), files: fc.constant([]), finishedAt: time });
const problem = fc.constant({ text: 'because' });

const row: fc.Arbitrary<SeenRow> = fc.record({
  readAt: time,
  id: fc.constant(asId<TaskId>('t')),
  campaign: fc.constant(asId<CampaignId>('c')),
  // What waits to be rated most of all.
  rating: weighted([3, fc.constant('NOTRATED' as const)], [1, fc.constantFrom(...ratings)]),
  comment,
  worker: fc.constant(worker),
  csvRow: fc.constant('0'),
  submittedAt: time,
  proof,
  want: fc.constantFrom('card' as const, 'backlog' as const),
});

const seen: fc.Arbitrary<TaskEvent> = row.map((read) => ({ type: 'seen', ...read }));

/** A row on which get_task_info agrees; `proof` is what it says was submitted. */
function confirmed(read: SeenRow, { slots }: Proof = read.proof): TaskEvent & { type: 'confirmed' } {
  const { id, rating, comment: said, submittedAt } = read;
  const finished = submittedAt === undefined ? {} : { finishedAt: submittedAt };
  const answer = { askedAt: read.readAt, id, rating, comment: said, worker };
  const agreed = confirm(read, { ...answer, proof: { slots, files: [], ...finished } });
  if (agreed === undefined) throw new Error('not the same rating');
  return { type: 'confirmed', ...agreed };
}

const channel = fc.constantFrom(asId<ChannelId>('C1'), asId<ChannelId>('C2'));
const pictures = fc.constant([]);
const about = { decision: decisionId, attempt };
const wanted = fc.record(
  {
    id: fc.constantFrom('d1', 'd2', 'd3', 'd4'),
    by: member,
    verdict: fc.constantFrom(...verdicts),
    comment,
    bonus: fc.constant('0.05'),
    favorite: fc.constantFrom('add' as const, 'remove' as const),
  },
  { requiredKeys: ['id', 'by', 'verdict', 'comment'] },
);
const elsewhere = fc.constantFrom('OK' as const, 'NOK' as const, 'REVISE' as const);

const event = fc.oneof(
  { weight: 1, arbitrary: seen },
  { weight: 3, arbitrary: fc.tuple(row, proof).map(([read, shown]) => confirmed(read, shown)) },
  of('detailed', { round, worker: fc.constant(worker), proof }),
  of('images-uploaded', { round, pictures }),
  of('card-wanted', {}),
  of('posting', { channel, at: time }),
  of('not-posted', {}),
  of('posted', { messageRef, round }),
  of('posted', { messageRef }),
  of('earlier-card-linked'),
  of('card-gone', { messageRef }),
  of('decided', { decision: wanted, round, at: time, sendAt: time }, 6),
  of('undone', { decision: decisionId, by: fc.record({ member, at: time }) }),
  of('sending', { ...about, at: time, leaseUntil: time }, 6),
  of('applied', { decision: decisionId, at: time, answered: fc.boolean() }, 4),
  of('refused', { ...about, problem }),
  of('held', { ...about, until: time, problem }, 4),
  of('released', { decision: decisionId, at: time }),
  of('outcome-unknown', { ...about, until: time, wasRejected: fc.boolean() }),
  of('overtaken', { ...about, rating: elsewhere, comment, at: time }),
) as fc.Arbitrary<TaskEvent>;

/** A history: the task before and after each event, and what the event did. */
interface Step {
  readonly before: Task | undefined;
  readonly event: TaskEvent;
  readonly outcome: TransitionResult;
  readonly after: Task | undefined;
}

function play(events: readonly TaskEvent[]): Step[] {
  const steps: Step[] = [];
  let task: Task | undefined;
  for (const [index, next] of events.entries()) {
    const before = deepFrozen(task);
    const happened = at(aimed(next, before), 100_000 + index * 10_000);
    const outcome = transition(before, happened);
    if (outcome.kind === 'done') task = outcome.task;
    steps.push({ before, event: happened, outcome, after: task });
  }
  return steps;
}

const times = new Set(['at', 'sendAt', 'leaseUntil', 'until', 'readAt', 'submittedAt']);

/** The event with its times around a moment. */
function at(happened: TaskEvent, moment: number): TaskEvent {
  const shift = (name: string, value: unknown) => (times.has(name) ? Number(value) + moment : value);
  const shifted = Object.entries(happened).map(([name, value]) => [name, shift(name, value)]);
  const moved = Object.fromEntries(shifted) as TaskEvent;
  return moved.type === 'confirmed' ? confirmed(moved, moved.answer.proof) : moved;
}

/** The event as it speaks of what there is now. */
function aimed(happened: TaskEvent, task: Task | undefined): TaskEvent {
  if (happened.type === 'decided') {
    return { ...happened, round: happened.round === 3 ? 3 : (task?.round ?? 1) };
  }
  if (!('decision' in happened)) return happened;
  const { id = 'd1', attempts = 0 } = task?.decision ?? {};
  const decision = happened.decision === current ? id : happened.decision;
  if (!('attempt' in happened)) return { ...happened, decision };
  const latest = happened.type === 'sending' ? attempts + 1 : attempts;
  return { ...happened, decision, attempt: happened.attempt || latest };
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
  forAll({ numRuns: 200 }, fc.array(event, { minLength: 20, maxLength: 60, size: 'max' }), (events) => {
    const steps = play(events);
    for (const [index, step] of steps.entries()) check(step, steps.slice(0, index));
  });
}

/** Defines a test of what holds after every step of many histories. */
const it = (name: string, check: Parameters<typeof holds>[0]) => test(name, () => holds(check));

const isMade = ({ event: { type }, outcome }: Step) => type === 'decided' && outcome.kind === 'done';
const beganApplied = ({ before, after }: Step): boolean =>
  after?.decision?.state === 'applied' &&
  !(before?.decision?.state === 'applied' && before.decision.id === after.decision.id);

test('what matters happens often enough for the rest to mean something', () => {
  const count = { decided: 0, applied: 0, 'tried again': 0, 'came back': 0, overtaken: 0, undone: 0 };
  holds((step) => {
    const { before, event: happened, after, outcome } = step;
    if (outcome.kind !== 'done') return;
    if (happened.type === 'decided') count.decided += 1;
    if (beganApplied(step)) count.applied += 1;
    if (happened.type === 'sending' && (after?.decision?.attempts ?? 0) > 1) count['tried again'] += 1;
    if (before && after && after.round > before.round) count['came back'] += 1;
    if (happened.type === 'overtaken') count.overtaken += 1;
    if (happened.type === 'undone') count.undone += 1;
  });
  for (const [what, times] of Object.entries(count)) expect(times, what).toBeGreaterThan(0);
});

/** Whether a decision has just been claimed to be sent. */
const isBeingSent = ({ event: { type }, outcome }: Step) => type === 'sending' && outcome.kind === 'done';
const isSame = (one: Step, other: Step) =>
  one.after?.round === other.after?.round && one.after?.decision?.id === other.after?.decision?.id;

it('nothing is sent before the time to undo it is over, nor before what it waits for', (step, earlier) => {
  if (!isBeingSent(step) || step.event.type !== 'sending') return;
  expect(step.event.at).toBeGreaterThanOrEqual(step.before?.decision?.dueAt ?? Number.POSITIVE_INFINITY);
  if (step.before?.decision?.state !== 'waiting') return;
  const made = earlier.findLast(isMade);
  if (made?.event.type !== 'decided') throw new Error('sent although nobody has decided');
  expect(made.event.decision.id).toBe(step.event.decision);
  expect(step.event.at).toBeGreaterThanOrEqual(made.event.sendAt);
});

it('no attempt is made twice, beside another one, or after the decision has ended', (step, earlier) => {
  if (!isBeingSent(step) || step.event.type !== 'sending') return;
  const { at: now, attempt: number } = step.event;
  expect(isPending(step.before as Task)).toBe(true);
  // Of one that was refused, another click may make it anew after somebody else's was undone.
  const made = earlier.findLastIndex(isMade);
  for (const other of earlier.slice(made).filter((one) => isBeingSent(one) && isSame(one, step)))
    expect(other.event).not.toMatchObject({ attempt: number });
  const { state, dueAt = 0 } = step.before?.decision ?? {};
  if (state === 'sending') expect(now).toBeGreaterThanOrEqual(dueAt);
});

it('no row sends, makes or ends an attempt, and one that is not confirmed changes nothing known', (step) => {
  const { before, event: happened, outcome, after } = step;
  if (before === undefined) return;
  if (happened.type === 'seen') {
    expect(after).toBe(before);
    expect(outcome.kind).toBe(happened.rating === before.rating ? 'same' : 'stale');
  }
  if (happened.type !== 'confirmed' || after?.decision === undefined) return;
  expect(after.decision.id).toBe(before.decision?.id);
  expect(after.decision.attempts).toBe(before.decision?.attempts);
});

it('a row of the results alone, which has no bonus, never makes a decision applied', (step) => {
  if (step.event.type === 'seen' || step.event.type === 'confirmed') expect(beganApplied(step)).toBe(false);
});

it('a favorite is only told of a rating that the marketplace has answered', (step, earlier) => {
  if (!beganApplied(step) || step.event.type !== 'applied') return;
  const { favorite, unprovenFavorite } = step.after?.decision ?? {};
  const asked = earlier.findLast(isMade)?.after?.decision?.favorite;
  expect([favorite, unprovenFavorite]).toEqual(step.event.answered ? [asked, undefined] : [undefined, asked]);
});

it('what came of an earlier attempt changes nothing of a later one', (step) => {
  const { before, event: happened, outcome } = step;
  if (!('attempt' in happened) || before?.decision?.id !== happened.decision) return;
  const latest = before.decision.attempts + (happened.type === 'sending' ? 1 : 0);
  if (happened.attempt !== latest) expect(outcome.kind).toBe('rejected');
});

test('an attempt whose end is not known is never forgotten', () => {
  const isKnown = ({ type, ...rest }: TaskEvent) =>
    type === 'held' ||
    type === 'refused' ||
    (type === 'outcome-unknown' && 'wasRejected' in rest && rest.wasRejected);
  holds(({ before, event: happened, after }) => {
    const [was, is] = [before?.decision, after?.decision];
    if (was === undefined || was.id !== is?.id || !mayBeApplied(was)) return;
    expect(mayBeApplied(is) || isKnown(happened)).toBe(true);
    if (was.earlierAttemptUnknown || is.attempts > was.attempts) expect(is.earlierAttemptUnknown).toBe(true);
  });
});

it('a pending decision has a time at which somebody looks after it, an ended one has none', ({ after }) => {
  if (after?.decision) expect(after.decision.dueAt !== undefined).toBe(isPending(after));
});

it('a task that waits for its rating can be decided, or its decision is pending', ({ after }) => {
  if (after?.rating === 'NOTRATED') expect(isOpen(after) || isPending(after)).toBe(true);
});

it('what was applied or overtaken stays so for the round', ({ before, after }) => {
  const ended = before?.decision?.state;
  if (before === undefined || (ended !== 'applied' && ended !== 'overtaken')) return;
  if (after?.round === before.round) expect(after.decision).toEqual(before.decision);
});

it('a click on the card of another round decides nothing', ({ before, event: happened, outcome }) => {
  if (happened.type === 'decided' && outcome.kind === 'done') expect(happened.round).toBe(before?.round);
});

it('rounds and faces only grow, and everything that people can see is a new face', ({ before, after }) => {
  if (before === undefined || after === undefined) return;
  expect(after.round).toBeGreaterThanOrEqual(before.round);
  expect(after.revision).toBeGreaterThanOrEqual(before.revision);
  const shown = ({ rating, comment, worker, proof, before: was }: Task) =>
    JSON.stringify([rating, comment, worker, proof, was?.slots, was?.comment]);
  if (shown(before) !== shown(after)) {
    expect(after.revision).toBeGreaterThan(before.revision);
  }
});

it('a card that was posted is kept as the card of its round, a former one, or the one before, until it is deleted', (step) => {
  const { before, event: happened, after } = step;
  if (before?.card.state !== 'posted' || after === undefined) return;
  const { channel, ts } = before.card;
  const places = [after.card, after.before?.card, ...formerOf(after.card)];
  const kept = places.some(
    (card) => card !== undefined && 'ts' in card && card.ts === ts && card.channel === channel,
  );
  expect(kept || happened.type === 'card-gone').toBe(true);
});

it('the card of a round before is never taken for the card of this one', ({ after }) => {
  const earlier = after?.before?.card;
  if (after?.card.state !== 'posted' || earlier === undefined) return;
  const { channel, ts } = after.card;
  expect({ channel, ts }).not.toEqual({ channel: earlier.channel, ts: earlier.ts });
});

it('a card that was found standing counts for its own round alone', (step) => {
  const { before, event: happened, outcome } = step;
  if (happened.type !== 'posted' || happened.round === undefined) return;
  if (before?.round !== happened.round) expect(outcome.kind).toBe('rejected');
});

it('an earlier card that does not point at a newer one yet is not forgotten while there is no newer one', (step) => {
  const { before, after } = step;
  const earlier = before?.before?.card;
  if (earlier === undefined || before?.card.state === 'posted') return;
  expect(after?.before?.card?.ts).toBe(earlier.ts);
});

it('a card stands only where it was posted or found, and an attempt is forgotten only when its end is known', (step) => {
  const { before, event: happened, after } = step;
  if (after?.card.state === 'posted' && before?.card.state !== 'posted' && before !== undefined) {
    expect(happened.type).toBe('posted');
  }
  if (before?.card.state !== 'wanted' || before.card.attempt === undefined) return;
  const known = after?.card.state === 'wanted' && after.card.attempt !== undefined;
  expect(known || happened.type === 'posted' || happened.type === 'not-posted').toBe(true);
});

const open = (): Task => {
  const more = { readAt: 10_000, want: 'card', worker, proof: { slots: ['text'], files: [] } } as const;
  return task(transition(undefined, waitingRow(asId('t'), asId('c'), undefined, more)));
};
const decided = (id: string, by = asId<MemberId>('U1'), of = 1): TaskEvent => ({
  ...decision(id, { by }, 20_000),
  ...{ round: of, sendAt: 30_000 },
});
const task = (outcome: TransitionResult): Task => {
  expect(outcome.kind).toBe('done');
  if (outcome.task === undefined) throw new Error('no task');
  return outcome.task;
};

test('the same click again changes nothing, also after it was taken back', () => {
  const first = task(transition(open(), decided('d1')));
  expect(transition(first, decided('d1')).kind).toBe('same');
  const back = task(transition(first, undone('d1')));
  expect(isOpen(back)).toBe(true);
  expect(transition(back, decided('d1')).kind).toBe('same');
  const second = task(transition(back, decided('d2')));
  const backAgain = task(transition(second, undone('d2')));
  for (const id of ['d1', 'd2']) expect(transition(backAgain, decided(id)).kind).toBe('same');
});

const d1 = { decision: 'd1', attempt: 1 } as const;
const because = { problem: { text: 'no' } };
const sending = (number = 1): TaskEvent => ({
  ...{ ...d1, type: 'sending', attempt: number },
  ...{ at: 30_000, leaseUntil: 30_000 },
});
const held = (number = 1): TaskEvent => ({ ...d1, ...because, type: 'held', attempt: number, until: 90_000 });
const applied = (answered: boolean): TaskEvent => ({ ...d1, type: 'applied', at: 40_000, answered });
const played = (...events: readonly TaskEvent[]): Task =>
  events.reduce((known, next) => task(transition(known, next)), open());
const rated = (): TaskEvent => confirmed({ ...open(), readAt: 80_000, rating: 'OK', want: 'card' });

test('a decision that is kept can be taken back, one that is being sent cannot; one that was never sent is not applied', () => {
  const kept = played(decided('d1'), sending(), held());
  expect(isOpen(task(transition(kept, undone('d1'))))).toBe(true);
  expect(transition(played(decided('d1'), sending()), undone('d1')).kind).toBe('rejected');
  for (const before of [played(decided('d1')), kept])
    expect(transition(before, applied(true)).kind).toBe('rejected');
});

test('a rating that looks the same overtakes no decision: Redis may have lost the attempt', () => {
  for (const events of [[decided('d1')], [decided('d1'), sending(), held()]])
    expect(transition(played(...events), rated()).kind).toBe('same');
});

test('a rating that looks the same is read back where an attempt may have been applied', () => {
  const unknown = played(decided('d1'), sending(), sending(2), held(2));
  const decision = { state: 'sending', dueAt: 80_000, attempts: 2 };
  expect(transition(unknown, rated()).task).toMatchObject({ rating: 'NOTRATED', decision });
});

test('the marketplace’s late answer stands, also after another process has tried in vain', () => {
  const unknown = played(decided('d1'), sending(), sending(2), held(2));
  expect(transition(unknown, applied(true)).task?.decision?.state).toBe('applied');
  // What somebody read meanwhile is no answer, and what was turned away for certain cannot have one.
  expect(transition(unknown, applied(false)).kind).toBe('rejected');
  expect(transition(played(decided('d1'), sending(), held()), applied(true)).kind).toBe('rejected');
});

test('a correction that the marketplace reviews first comes back as a new round that can be decided', () => {
  const read = { ...open(), want: 'card', proof: { slots: ['corrected'], files: [] } } as const;
  const revise = { ...decided('d1'), decision: { id: 'd1', by: 'U1', verdict: 'REVISE', comment: 'why' } };
  const done = played(revise as TaskEvent, sending(), applied(true));
  const reviewed = task(transition(done, confirmed({ ...read, rating: 'NOTREVIEWED', readAt: 80_000 })));
  expect(isOpen(reviewed)).toBe(false);
  const back = task(transition(reviewed, confirmed({ ...read, rating: 'NOTRATED', readAt: 120_000 })));
  expect(back.round).toBe(2);
  expect(isOpen(back)).toBe(true);
});

test('what was corrected elsewhere is a new round; the same moment in another time zone is not', () => {
  const waiting: Task = { ...open(), submittedAt: 5_000 };
  const again = (submittedAt: number, slots = waiting.proof.slots): TaskEvent =>
    confirmed({ ...waiting, want: 'card', readAt: 60_000, submittedAt, proof: { ...waiting.proof, slots } });
  expect(transition(waiting, again(65_000)).task?.round).toBe(2);
  expect(transition(waiting, again(905_000, ['other text'])).task?.round).toBe(2);
  expect(transition(waiting, again(5_000, ['other text'])).kind).toBe('same');
  for (const quarters of [1, 4, 22]) {
    expect(transition(waiting, again(5_000 + quarters * 900_000)).kind).toBe('same');
  }
  // A decision on its way goes on: only what can be decided gets a new round.
  expect(transition(task(transition(waiting, decided('d1'))), again(65_000)).kind).toBe('same');
});

const place = { channel: asId<ChannelId>('C1'), ts: '1.1' };
const posted = { state: 'posted', ...place } as const;

test('a task that comes back keeps its room in the channel; one that never had a card waits for room', () => {
  const again = (waiting: Task): Task => {
    const corrected = confirmed({ ...waiting, want: 'card', readAt: 60_000, submittedAt: 65_000 });
    return task(transition({ ...waiting, submittedAt: 5_000 }, corrected));
  };
  const card = { state: 'wanted', channel: 'C1' };
  expect(again({ ...open(), card: posted })).toMatchObject({ round: 2, card });
  expect(again({ ...open(), card: { state: 'backlog' } }).card).toEqual({ state: 'backlog' });
});

test('a card that nobody has posted yet is not needed once its task is decided, unless an earlier one links to it', () => {
  expect(task(transition(open(), decided('d1'))).card).toEqual({ state: 'backlog' });
  const before = { slots: [], comment: '', card: place };
  const later: Task = { ...open(), round: 2, before };
  expect(task(transition(later, decided('d1', asId('U1'), 2))).card.state).toBe('wanted');
});

test('a task that is open again without its card, which somebody has deleted, waits for room', () => {
  const seen = task(transition({ ...open(), card: posted }, decided('d1')));
  const gone: Task = { ...seen, card: { state: 'gone' } };
  expect(task(transition(gone, undone('d1'))).card).toEqual({ state: 'backlog' });
});

test('a card that is deleted while its decision waits comes back; once that is applied, it does not', () => {
  const gone = { type: 'card-gone', messageRef: place } as const;
  const decidedOn = (...events: TaskEvent[]) => ({ ...played(decided('d1'), ...events), card: posted });
  expect(task(transition(decidedOn(), gone)).card).toEqual({ state: 'wanted', channel: 'C1' });
  expect(task(transition(decidedOn(sending(), applied(true)), gone)).card).toEqual({ state: 'gone' });
});

test('a rating made elsewhere overtakes one that waits, and ends one that was refused', () => {
  const waiting = task(transition(open(), decided('d1')));
  const read = confirmed({ ...open(), readAt: 80_000, rating: 'NOK', want: 'card' });
  expect(transition(waiting, read).task?.decision?.state).toBe('overtaken');
  const refused = played(decided('d1'), sending(), { ...d1, ...because, type: 'refused' });
  for (const other of [read, rated()])
    expect(transition(refused, other).task?.decision?.state).toBe('overtaken');
});

test('a card that nobody has begun to post gives its place back while its task can be decided', () => {
  const queued = { type: 'card-queued' } as const;
  const begun = { state: 'wanted', attempt: { channel: place.channel, at: 1 } } as const;
  const linked = { ...open(), before: { slots: [], comment: '', card: place } };
  const pending = task(transition(linked, decided('d1')));
  const cards = [open(), { ...open(), card: begun }, { ...open(), card: posted }, pending];
  expect(cards.map((one) => transition(one, queued).task?.card.state)).toEqual([
    ...['backlog', 'wanted', 'posted', 'wanted'],
  ]);
});

test('a rating that a later submission implies says so', () => {
  const found = { rating: 'REVISE', comment: 'no', at: 85_000 } as const;
  const said = { ...d1, ...found, type: 'overtaken', isInferred: true } as const;
  const after = task(transition(played(decided('d1'), sending()), said));
  expect(after).toMatchObject({
    ...{ rating: 'REVISE', comment: 'no' },
    ratedAt: 85_000,
    isRatingInferred: true,
  });
});

test('of decisions that were undone the last five are known, and who has undone a colleague’s', () => {
  const ids = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'];
  const by = { member: asId<MemberId>('U2'), at: 25_000 };
  let last: Task = { ...open(), card: { state: 'backlog' } };
  const first = last;
  for (const decision of ids)
    last = task(transition(task(transition(last, decided(decision))), { type: 'undone', decision, by }));
  const undoneBy = { by: 'U2', of: 'U1', verdict: 'OK', at: 25_000 };
  expect(last).toEqual({ ...first, undone: ids.slice(1), undoneBy, revision: 13 });
  expect(played(decided('d1'), undone('d1')).undoneBy).toBeUndefined();
});

test('a task is taken, given on and released by who saw whose it was, while it can be decided', () => {
  const gives = (to: string | undefined, seen: string) =>
    ({ ...{ type: 'assigned', how: 'click', at: 7, seen, by: 'U1' }, ...(to && { to }) }) as TaskEvent;
  const taken = played(gives('U1', ''));
  expect(taken).toEqual({ ...open(), assignment: { to: 'U1', by: 'U1', at: 7 }, revision: 2 });
  expect(transition(taken, gives('U1', '')).kind).toBe('same');
  for (const to of ['U2', undefined]) expect(transition(taken, gives(to, '')).kind).toBe('rejected');
  const given = task(transition(taken, gives('U2', 'U1 7')));
  expect(given).toEqual({ ...open(), assignment: { to: 'U2', by: 'U1', at: 7 }, revision: 3 });
  const pending = task(transition(given, decided('d1')));
  expect(transition(pending, gives('U1', 'U2 7')).kind).toBe('rejected');
  const { assignment: _, ...free } = pending;
  expect(transition(pending, gives(undefined, 'U2 7')).task).toEqual({ ...free, revision: 5 });
});
