import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/events.ts';
import type { NewLook } from '../../src/domain/second-look/look.ts';
import { lookOutcome } from '../../src/domain/second-look/outcome.ts';
import { isOff, lookUntil, noSecondLooks, reasonToLook } from '../../src/domain/second-look/settings.ts';
import { decisionDueAt, isOpen, Task } from '../../src/domain/task.ts';
import type { MemberId, TaskId, Verdict } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { shownState } from '../../src/slack/card-tag.ts';
import { auditEntryOf } from '../../src/store/audit/task-entry.ts';
import { createLookDraw } from '../../src/store/second-looks.ts';
import { asId } from '../harness/ids.ts';

const until = 50_000;
const open = Task.parse({
  id: 't1',
  campaign: 'c1',
  round: 1,
  rating: 'NOTRATED',
  comment: '',
  ratedAt: 0,
  worker: { id: 'w1', country: 'KE', ip: '' },
  csvRow: '1',
  proof: { slots: ['done'], files: [] },
  detailed: true,
  card: { state: 'posted', channel: 'C1', ts: '1.0' },
  revision: 1,
});
const member = (name: string) => asId<MemberId>(name);

function decides(
  by: string,
  verdict: Verdict,
  { look, at = 1_000, ...more }: { look?: NewLook; at?: number; bonus?: string; comment?: string } = {},
): Extract<TaskEvent, { type: 'decided' }> {
  const decision = { id: `by-${by}`, by: member(by), verdict, comment: `from ${by}`, ...more };
  return { type: 'decided', decision, round: 1, at, sendAt: at + 10, ...(look ? { look } : {}) };
}
const holds = (by: string, verdict: Verdict, more: { bonus?: string } = {}) =>
  decides(by, verdict, { look: { why: 'share', until }, ...more });
const third = (by: string, verdict: Verdict, saw: string) =>
  decides(by, verdict, { look: { until, saw }, at: 3_000 });

/** Applies events; each must be possible. */
function taskAfter(...events: readonly TaskEvent[]): Task {
  return events.reduce((task, event) => {
    const result = transition(task, event);
    expect(result.kind).toBe('done');
    return result.task ?? task;
  }, open);
}

describe('a decision that waits for a second look', () => {
  const held = taskAfter(holds('ann', 'NOK', { bonus: '0.5' }));

  test('is none: the task is open, and due when it is let go', () => {
    expect(held.decision).toBeUndefined();
    expect(isOpen(held)).toBe(true);
    expect(decisionDueAt(held)).toBe(until);
  });

  test('stands in the audit without what it says', () => {
    const entry = auditEntryOf(open, holds('ann', 'NOK'), held);
    expect(entry).toMatchObject({ what: 'hold for second look', by: 'ann' });
    expect(JSON.stringify(entry)).not.toMatch(/NOK|from ann/);
  });

  test('is sent once by the same verdict of somebody else, with its own comment and bonus', () => {
    const agreed = taskAfter(holds('ann', 'OK', { bonus: '0.5' }), decides('ben', 'OK', { bonus: '2' }));
    expect(agreed.look).toBeUndefined();
    expect(agreed.decision).toMatchObject({ by: 'ann', bonus: '0.5', comment: 'from ann', state: 'waiting' });
    expect(agreed.decision?.look?.second).toMatchObject({ by: 'ben', comment: 'from ben' });
    expect(agreed.decision?.look?.second).not.toHaveProperty('bonus');
  });

  test('cannot be looked at by whoever made it, and a click delivered twice changes nothing', () => {
    const again = { ...decides('ann', 'OK'), decision: { ...decides('ann', 'OK').decision, id: 'other' } };
    expect(transition(held, again).kind).toBe('rejected');
    expect(transition(held, holds('ann', 'NOK')).kind).toBe('same');
    const differs = taskAfter(holds('ann', 'NOK'), decides('ben', 'OK'));
    expect(transition(differs, decides('ben', 'OK')).kind).toBe('same');
  });

  test('is confirmed by nobody of whom it is not known whether they may rate', () => {
    const { decision, ...agrees } = decides('ben', 'NOK');
    expect(transition(held, { ...agrees, decision: { ...decision, unchecked: true } }).kind).toBe('rejected');
  });

  test('of two looks at once, one is the second; the other has not seen what differs', () => {
    const differs = taskAfter(holds('ann', 'NOK'), decides('ben', 'OK'));
    expect(transition(differs, decides('cat', 'OK')).kind).toBe('rejected');
    expect(transition(differs, third('cat', 'OK', 'by-ann')).kind).toBe('rejected');
  });

  test('differs: a third decides who has seen both', () => {
    const differs = taskAfter(holds('ann', 'NOK'), decides('ben', 'OK'));
    expect(isOpen(differs)).toBe(true);
    const decided = taskAfter(holds('ann', 'NOK'), decides('ben', 'OK'), third('cat', 'OK', 'by-ben'));
    expect(decided.decision).toMatchObject({ by: 'cat', verdict: 'OK', look: { how: 'third' } });
    const confirmed = taskAfter(
      holds('ann', 'OK', { bonus: '0.5' }),
      decides('ben', 'NOK'),
      third('cat', 'OK', 'by-ben'),
    );
    expect(confirmed.decision).toMatchObject({ by: 'ann', bonus: '0.5', comment: 'from cat' });
    for (const by of ['ann', 'ben'])
      expect(
        transition(differs, {
          ...third(by, 'OK', 'by-ben'),
          decision: { ...third(by, 'OK', '').decision, id: 'x' },
        }).kind,
      ).toBe('rejected');
  });

  test('is let go when its time is up, and not before', () => {
    expect(transition(held, { type: 'look-let-go', first: 'by-ann', at: until - 1 }).kind).toBe('rejected');
    const gone = taskAfter(holds('ann', 'NOK'), { type: 'look-let-go', first: 'by-ann', at: until });
    expect(gone.decision).toMatchObject({ by: 'ann', verdict: 'NOK', state: 'waiting', dueAt: until });
    expect(gone.decision?.look?.how).toBe('let go');
  });

  test('is undone by whoever made it; who looked takes back what they said', () => {
    const undone = (decision: string, by: string) =>
      ({ type: 'undone', decision, by: { member: member(by), at: 4_000 } }) as const;
    const free = taskAfter(holds('ann', 'NOK'), undone('by-ann', 'ann'));
    expect(free).toMatchObject({ undone: ['by-ann'] });
    expect(free.look).toBeUndefined();
    expect(transition(free, holds('ann', 'NOK')).kind).toBe('same');
    const byManager = taskAfter(holds('ann', 'NOK'), undone('by-ann', 'max'));
    expect(byManager.undoneBy).toEqual({ by: 'max', of: 'ann', at: 4_000 });
    const differs = [holds('ann', 'NOK'), decides('ben', 'OK')] as const;
    expect(transition(taskAfter(...differs), undone('by-ann', 'ann')).kind).toBe('rejected');
    expect(taskAfter(...differs, undone('by-ben', 'ben')).look).toEqual(
      held.look && { ...taskAfter(holds('ann', 'NOK')).look },
    );
    const back = taskAfter(...differs, third('cat', 'OK', 'by-ben'), undone('by-cat', 'cat'));
    expect(back.look?.second?.by).toBe('ben');
    const agreed = taskAfter(holds('ann', 'OK'), decides('ben', 'OK'), undone('by-ben', 'ben'));
    expect(agreed.look).toEqual(taskAfter(holds('ann', 'OK')).look);
  });

  test('of somebody who may not rate any more is replaced by the next decision', () => {
    const look = { until, isFirstGone: true } as const;
    const next = taskAfter(holds('ann', 'NOK'), decides('ben', 'OK', { look, bonus: '1' }));
    expect(next.decision).toMatchObject({ by: 'ben', bonus: '1' });
    expect(next.decision?.look).toBeUndefined();
  });

  test('is told by its card, and read back from it', () => {
    const differs = taskAfter(holds('ann', 'NOK'), decides('ben', 'OK'));
    const { decision, second } = shownState(differs);
    expect(decision).toMatchObject({ id: 'by-ann', why: 'share', dueAt: until });
    const shown = { ...decision, isWhole: true } as Extract<TaskEvent, { type: 'restored' }>['shown'];
    const times = { at: 9_000, until: 9_500 };
    const first = { type: 'restored', round: 1, shown, ...times } as const;
    expect(taskAfter(first).look).toMatchObject({ until, first: { by: 'ann', verdict: 'NOK' } });
    const both = { ...first, ...(second ? { second } : {}) };
    expect(taskAfter(first, both).look?.second).toMatchObject({ by: 'ben', verdict: 'OK' });
    // The card is newer: what waited was sent meanwhile.
    const { why: _, ...sent } = { ...shown, state: 'applied' as const };
    expect(taskAfter(first, { ...first, shown: sent })).not.toHaveProperty('look');
  });

  test('that could not be checked is still unchecked when it is let go, and is not sent from its card', () => {
    const { decision, ...rest } = holds('ann', 'OK');
    const unchecked = Task.parse(taskAfter({ ...rest, decision: { ...decision, unchecked: true } }));
    const letGo = transition(unchecked, { type: 'look-let-go', first: 'by-ann', at: until }).task;
    expect(letGo?.decision).toMatchObject({ state: 'waiting', unchecked: true });
    expect(shownState(unchecked).decision).toMatchObject({ cut: 1 });
    expect(letGo && shownState(letGo).decision).toMatchObject({ cut: 1 });
  });

  test('has an outcome once it is a rating', () => {
    const waits = taskAfter(holds('ann', 'NOK'), decides('ben', 'OK'), third('cat', 'REVISE', 'by-ben'));
    const decision = waits.decision && { ...waits.decision, state: 'applied' as const };
    const rated = { ...waits, ...(decision ? { decision } : {}), ratedAt: 7 };
    expect(lookOutcome(waits, rated)).toEqual({
      ...{ task: 't1', campaign: 'c1', at: 7, why: 'share' },
      first: { member: 'ann', verdict: 'NOK' },
      second: { member: 'ben', verdict: 'OK' },
      third: { member: 'cat', verdict: 'REVISE' },
    });
    expect(lookOutcome(rated, rated)).toBeUndefined();
  });
});

test('whatever happens in whatever order, a task never has both a decision and a look, and nobody looks twice', () => {
  const people = fc.constantFrom('ann', 'ben', 'cat');
  const verdicts = fc.constantFrom<Verdict>('OK', 'NOK', 'REVISE');
  const events: fc.Arbitrary<TaskEvent> = fc.oneof(
    fc.tuple(people, verdicts).map(([by, verdict]) => holds(by, verdict)),
    fc.tuple(people, verdicts, people).map(([by, verdict, saw]) => third(by, verdict, `by-${saw}`)),
    people.map((by) => ({ type: 'look-let-go', first: `by-${by}`, at: until }) as const),
    fc
      .tuple(people, people)
      .map(
        ([id, by]) => ({ type: 'undone', decision: `by-${id}`, by: { member: member(by), at: 5 } }) as const,
      ),
  );
  fc.assert(
    fc.property(fc.array(events, { maxLength: 12 }), (all) => {
      let task = open;
      for (const event of all) {
        const result = transition(task, event);
        task = result.task ?? task;
        expect(Task.safeParse(task).success).toBe(true);
        expect(task.look !== undefined && task.decision !== undefined).toBe(false);
        const { first, second } = task.look ?? task.decision?.look ?? {};
        const third = task.decision?.look?.third;
        const looked = [first, second, third].flatMap((one) => (one ? [one.by] : []));
        expect(new Set(looked).size).toBe(looked.length);
      }
    }),
  );
});

describe('which decisions wait', () => {
  const settings = { share: 10, bonusAbove: '0.5', bulkNok: true } as const;
  const isNew = async () => true;
  const isOld = async () => false;
  const ok = { verdict: 'OK', isBulk: false } as const;

  test('a share, twice of it for those who are new, and always large bonuses and NOK in bulk', async () => {
    expect(await reasonToLook(settings, ok, 0.09, isOld)).toBe('share');
    expect(await reasonToLook(settings, ok, 0.1, isOld)).toBeUndefined();
    expect(await reasonToLook(settings, ok, 0.19, isNew)).toBe('new');
    expect(await reasonToLook(settings, ok, 0.2, isNew)).toBeUndefined();
    expect(await reasonToLook(settings, { ...ok, bonus: '0.51' }, 0.9, isOld)).toBe('bonus');
    expect(await reasonToLook(settings, { ...ok, bonus: '0.5' }, 0.9, isOld)).toBeUndefined();
    expect(await reasonToLook(settings, { verdict: 'NOK', isBulk: true }, 0.9, isOld)).toBe('bulk');
    expect(await reasonToLook(settings, { verdict: 'NOK', isBulk: false }, 0.9, isOld)).toBeUndefined();
    const none = { ...settings, share: 0 } as const;
    expect(await reasonToLook(none, { ...ok, bonus: '9' }, 0, isNew)).toBe('bonus');
    expect(await reasonToLook(none, ok, 0, isNew)).toBeUndefined();
    expect(isOff(none)).toBe(false);
    expect(isOff(noSecondLooks)).toBe(true);
  });

  test('none so near the deadline that nobody could look in time; none for longer than a day', () => {
    const hour = 3_600_000;
    expect(lookUntil(0, undefined)).toBe(24 * hour);
    expect(lookUntil(0, 10 * hour)).toBe(8 * hour);
    expect(lookUntil(0, 2.2 * hour)).toBeUndefined();
  });

  test('the draw is the same for a round of a task, another one by another key, and even', () => {
    const ref = { workspace: asId('T1'), account: asId('a1') } as Parameters<
      ReturnType<typeof createLookDraw>
    >[0];
    const key = (byte: number) => ({ name: 'k', secret: Buffer.alloc(32, byte) });
    const [one, same, other] = [key(1), key(1), key(2)].map(createLookDraw);
    const tasks = Array.from({ length: 2_000 }, (_, index) => asId<TaskId>(`t${index}`));
    const drawn = tasks.map((task) => one?.(ref, task, 1) ?? 1);
    expect(tasks.map((task) => same?.(ref, task, 1))).toEqual(drawn);
    expect(tasks.map((task) => other?.(ref, task, 1))).not.toEqual(drawn);
    const share = drawn.filter((number) => number < 0.2).length / drawn.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.25);
  });
});
