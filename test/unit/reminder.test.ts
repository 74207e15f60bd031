import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reminder, ReminderContent, ReminderEvent } from '../../src/domain/live-message.ts';
import { applyReminderEvent, isShown, noContent } from '../../src/domain/live-message.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';
import { forAll } from './properties.ts';

const channel = asId<ChannelId>('C1');
const paceMs = 60_000;

const due = (count: number): ReminderContent => ({ ...noContent, state: 'due', within: [0, 0, count] });
const count = (content: ReminderContent, at: number): ReminderEvent => ({
  type: 'counted',
  channel,
  content,
  at,
  paceMs,
});
const posted = (ts: string): ReminderEvent => ({ type: 'posted', messageRef: { channel, ts } });

function reminderAfter(...events: ReminderEvent[]): Reminder | undefined {
  return events.reduce<Reminder | undefined>(
    (reminder, event) => applyReminderEvent(reminder, event) ?? reminder,
    undefined,
  );
}

test('a reminder is wanted once something is due, and not before', () => {
  expect(reminderAfter(count(noContent, 0))).toBeUndefined();
  expect(reminderAfter(count({ ...noContent, state: 'muted' }, 0))).toBeUndefined();
  expect(reminderAfter(count(due(1), 0))).toMatchObject({ card: { state: 'wanted' }, revision: 1 });
});

test('a reminder follows at its pace, and at once when it is muted or nothing is due any more', () => {
  const first = [count(due(1), 0), posted('1.0')];
  const early = reminderAfter(...first, count(due(2), paceMs - 1));
  expect(early).toMatchObject({ within: [0, 0, 1], revision: 1 });
  expect(reminderAfter(...first, count(due(2), paceMs))).toMatchObject({ within: [0, 0, 2], revision: 2 });
  for (const state of ['none', 'muted'] as const) {
    const after = reminderAfter(...first, count({ ...noContent, state }, 1));
    expect(after).toMatchObject({ state, revision: 2 });
  }
});

test('a reminder that nobody has begun to post is not posted when nothing is due any more', () => {
  expect(reminderAfter(count(due(1), 0), count(noContent, 1))?.card).toEqual({ state: 'gone' });
  const begun = { type: 'posting', channel, at: 0 } as const;
  expect(reminderAfter(count(due(1), 0), begun, count(noContent, 1))?.card.state).toBe('wanted');
});

test('a reminder that somebody deletes comes back only while something is due', () => {
  const gone = { type: 'card-gone', messageRef: { channel, ts: '1.0' } } as const;
  expect(reminderAfter(count(due(1), 0), posted('1.0'), gone)?.card).toMatchObject({ state: 'wanted' });
  const ended = reminderAfter(count(due(1), 0), posted('1.0'), count(noContent, 1), gone);
  expect(ended?.card).toEqual({ state: 'gone' });
});

const anyContent = fc.constantFrom(due(1), due(2), noContent, { ...noContent, state: 'muted' as const });
const anyEvent: fc.Arbitrary<ReminderEvent> = fc.oneof(
  fc.tuple(anyContent, fc.nat(300_000)).map(([content, at]) => count(content, at)),
  fc.nat(3).map((second) => posted(`${second}.0`)),
  fc.nat(3).map((second) => ({ type: 'card-gone', messageRef: { channel, ts: `${second}.0` } }) as const),
  fc.constant({ type: 'posting', channel, at: 0 } as const),
  fc.constant({ type: 'not-posted' } as const),
);

test('whatever happens, what it says is another revision where it is shown, and never an earlier one', () => {
  forAll(fc.array(anyEvent, { maxLength: 20 }), (events) => {
    let reminder: Reminder | undefined;
    for (const event of events) {
      const next = applyReminderEvent(reminder, event);
      if (next === undefined) continue;
      expect(next.revision).toBeGreaterThanOrEqual(reminder?.revision ?? 0);
      if (reminder && isShown(reminder) && isShown(next) && event.type === 'counted')
        expect(next.revision).toBe(reminder.revision + 1);
      reminder = next;
    }
  });
});
