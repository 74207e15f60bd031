import fc from 'fast-check';
import { expect, test } from 'vitest';
import { task } from '../../gallery/samples/tasks.ts';
import type { Task } from '../../src/domain/task.ts';
import type { AccountId, MemberId } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { CardTag, cardTag, shownState } from '../../src/slack/card-tag.ts';
import { asId } from '../harness/ids.ts';

/** A number of characters that Slack does not document; the sandbox refuses more. */
const mostMetadata = 8_000;

const open = task({ undone: Array.from({ length: 5 }, (_, index) => `focus-${'0'.repeat(80)}-${index}`) });

/** Returns the tag of a card, as it is sent, of a task that two people have decided with these comments. */
function tagOf(first: string, second: string): { payload: object; size: number } {
  const decided = (before: Task, by: string, comment: string) =>
    transition(before, {
      type: 'decided',
      decision: { id: `by-${by}`, by: asId<MemberId>(by), verdict: by === 'ann' ? 'NOK' : 'REVISE', comment },
      round: open.round,
      at: 1_000,
      sendAt: 2_000,
      ...(by === 'ann' ? { look: { why: 'share', until: 50_000 } } : {}),
    }).task ?? before;
  const { type, payload } = cardTag(asId<AccountId>('a1'), open.id, open.round);
  const whole = { ...payload, ...shownState(decided(decided(open, 'ann', first), 'ben', second)) };
  return { payload: whole, size: JSON.stringify({ event_type: type, event_payload: whole }).length };
}

test('the tag of a card is never larger than Slack takes, whatever was written', () => {
  const text = fc
    .string({ unit: fc.constantFrom('&', '<', '"', '\n', '\u0001', '😀', 'x'), maxLength: 3_000 })
    .map((written) => `a${written}`);
  fc.assert(
    fc.property(text, text, (first, second) => {
      expect(tagOf(first, second).size).toBeLessThan(mostMetadata);
    }),
  );
  expect(tagOf('&'.repeat(3_000), '\u0001'.repeat(3_000)).size).toBeLessThan(mostMetadata);
});

test('the tag of a card carries an ordinary comment whole, and says so if it carries only a part', () => {
  const told = (comment: string) => CardTag.parse(tagOf(comment, 'second').payload).decision;
  const ordinary = 'The price labels & dates cannot be read. '.repeat(30);
  expect(told(ordinary)).toMatchObject({ comment: ordinary, isWhole: true });
  const long = told('&'.repeat(3_000));
  expect(long?.isWhole).toBe(false);
  expect(long?.comment).toMatch(/^&+$/);
});
