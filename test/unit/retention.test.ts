import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decision as sampleDecision } from '../../gallery/samples/tasks.ts';
import { confirm } from '../../src/domain/confirmed-transition.ts';
import { applyAnnouncementEvent } from '../../src/domain/live-message.ts';
import { dealtWithAt, decidedAt } from '../../src/domain/retention.ts';
import { type Decision, DecisionState, type Task, type TaskEvent } from '../../src/domain/task.ts';
import { type CampaignId, ratings, type TaskId } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { asId } from '../harness/ids.ts';
import { forAll } from './properties.ts';

const day = 86_400_000;
/** Stands in every text of a task that speaks of its worker. */
const secret = 'hush-hush';

const decision = (state: Decision['state']) =>
  sampleDecision(state, { verdict: 'NOK', comment: secret, at: 2 * day, problem: { text: secret } });

function taskOf(changes: Partial<Task> = {}): Task {
  return {
    id: asId('t1'),
    campaign: asId('c1'),
    round: 2,
    rating: 'NOK',
    comment: secret,
    ratedAt: 3 * day,
    worker: { id: asId('w1'), name: secret, country: secret, ip: secret },
    csvRow: '7',
    submittedAt: day,
    proof: {
      slots: [secret],
      files: [{ index: 1, filename: secret, contentType: secret, size: 1 }],
      finishedAt: day,
      filesWarning: secret,
    },
    detailed: true,
    pictures: [{ index: 1, file: secret }],
    decision: decision('applied'),
    undone: ['d0'],
    before: { slots: [secret], comment: secret, by: asId('U01ANN') },
    card: { state: 'posted', channel: asId('C1'), ts: '1.1' },
    revision: 5,
    ...changes,
  };
}

const expired: TaskEvent = { type: 'details-expired', at: 100 * day };

/** A row on which both sources agree, of a submission at a time. */
function confirmed(rating: Task['rating'], submittedAt: number): TaskEvent {
  const proof = { slots: ['new proof'], files: [], finishedAt: submittedAt };
  const worker = { id: asId<Task['worker']['id']>('w1'), name: 'Amina', country: 'Kenya', ip: '203.0.113.7' };
  const said = { id: asId<TaskId>('t1'), rating, comment: 'new comment', worker, proof };
  const row = { ...said, readAt: 200 * day, campaign: asId<CampaignId>('c1'), csvRow: '7', submittedAt };
  const agreed = confirm({ ...row, want: 'card' }, { ...said, askedAt: 200 * day });
  if (agreed === undefined) throw new Error('not the same rating');
  return { type: 'confirmed', ...agreed };
}

function expire(task: Task): Task {
  const result = transition(task, expired);
  if (result.kind !== 'done') throw new Error(result.kind);
  return result.task;
}

test('a task that was decided for good keeps what recognizes it and who decided, nothing of its worker, and its card as it is', () => {
  const task = taskOf();
  expect(decidedAt(task)).toBe(3 * day);
  const after = expire(task);
  expect(JSON.stringify(after)).not.toContain(secret);
  expect(after).toMatchObject({
    id: 't1',
    rating: 'NOK',
    round: 2,
    submittedAt: day,
    worker: { id: 'w1' },
    decision: { id: 'd1', by: 'U01ANN', verdict: 'NOK', at: 2 * day, state: 'applied' },
    card: task.card,
    revision: task.revision,
    detailsRemovedAt: 100 * day,
  });
  expect(transition(after, expired).kind).toBe('same');
});

test('a task that was decided for good has none brought back by what was under way, and is not posted anew', () => {
  const after = expire(taskOf());
  const { worker, proof } = taskOf();
  for (const event of [
    { type: 'detailed', round: 2, worker, proof },
    { type: 'images-uploaded', round: 2, pictures: [] },
    { type: 'channel-lost', channel: asId('C1') },
    confirmed('NOK', day),
  ] satisfies TaskEvent[]) {
    expect(transition(after, event as TaskEvent), event.type).toEqual({ kind: 'same', task: after });
  }
});

test('a task that was decided for good has its new rating, without details, when it is rated otherwise on the website', () => {
  const { kind, task } = transition(expire(taskOf()), confirmed('OK', day));
  expect(kind).toBe('done');
  const without = { comment: '', worker: { country: '' }, detailsRemovedAt: 100 * day };
  expect(task).toMatchObject({ rating: 'OK', ...without });
  expect(task?.revision).toBe(6);
});

test('a task that was decided for good has the details of what is submitted when it comes back after all', () => {
  const { kind, task } = transition(expire(taskOf()), confirmed('NOTRATED', 150 * day));
  expect(kind).toBe('done');
  expect(task).toMatchObject({
    rating: 'NOTRATED',
    round: 3,
    worker: { name: 'Amina', country: 'Kenya' },
    proof: { slots: ['new proof'] },
    before: { slots: ['new proof'], card: { channel: 'C1', ts: '1.1' } },
    card: { state: 'wanted' },
  });
  expect(task?.detailsRemovedAt).toBeUndefined();
  expect(task?.decision).toBeUndefined();
});

test('a task that its reviewers may still need keeps everything', () => {
  const anyRating = fc.constantFrom(...ratings);
  const anyState = fc.option(fc.constantFrom(...DecisionState.options), { nil: undefined });
  const examples = ratings.map((rating): [typeof rating, undefined] => [rating, undefined]);
  forAll({ examples }, anyRating, anyState, (rating, state) => {
    const { decision: _, ...rest } = taskOf({ rating });
    const task = state === undefined ? rest : { ...rest, decision: decision(state) };
    const isPending = state === 'waiting' || state === 'sending' || state === 'held';
    const isFinal = (rating === 'OK' || rating === 'NOK') && !isPending;
    expect(transition(task, expired).kind).toBe(isFinal ? 'done' : 'rejected');
  });
  expect(transition(undefined, expired).kind).toBe('rejected');
});

test('a message that was dealt with loses its subject, and has it again when it is unread again', () => {
  const about = { id: asId<never>('m1'), subject: secret, messageType: 'x', hasAttachment: false };
  const listed = { type: 'listed', message: { ...about, unread: false }, announce: false } as const;
  const read = applyAnnouncementEvent(undefined, listed);
  const removed = applyAnnouncementEvent(read, { type: 'subject-expired', at: day });
  expect(removed).toEqual({ ...read, subject: '', subjectRemovedAt: day });
  expect(applyAnnouncementEvent(removed, { type: 'subject-expired', at: day })).toBeUndefined();
  const again = { ...listed, message: { ...about, unread: true } };
  const unread = applyAnnouncementEvent(removed, again);
  expect(unread).toMatchObject({ subject: secret, unread: true });
  expect(unread?.subjectRemovedAt).toBeUndefined();
  expect(applyAnnouncementEvent(unread, { type: 'subject-expired', at: day })).toBeUndefined();
  expect(unread && [dealtWithAt(unread), dealtWithAt({ ...unread, trashed: true })]).toEqual([undefined, 0]);
});
