import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { auditUnequal, spentUnapproved } from '../chaos/check-audit.ts';
import { auditWrong, decisionsLost } from '../chaos/check-decisions.ts';
import type { MarketplaceTask } from '../chaos/evidence.ts';
import { exercised, notWorthwhile } from '../chaos/exercised.ts';

const at = (second: number) => new Date(1_700_000_000_000 + second * 1_000);
const history = [
  { at: at(0).toISOString(), by: 'worker', task_rating: 'NOTRATED', comment: '', bonus: '' },
  { at: at(10).toISOString(), by: 'api', task_rating: 'OK', comment: 'good', bonus: '0.05000' },
];
const marketplace = { tasks: [{ task_id: 't1', history } as unknown as MarketplaceTask] };
const applied = (fields: Partial<AuditEntry> = {}): AuditEntry =>
  ({
    at: at(11).getTime(),
    what: 'applied',
    task: 't1',
    round: 1,
    verdict: 'OK',
    comment: 'good',
    money: '0.05',
    ...fields,
  }) as AuditEntry;
/** @param loss in which seconds Redis may have lost what was written, and what the audit had before */
const unequal = (
  auditNow: readonly AuditEntry[],
  { loss, before = auditNow }: { loss?: [from: number, to: number]; before?: readonly AuditEntry[] } = {},
) =>
  auditUnequal({
    audit: before,
    auditNow,
    losses: loss === undefined ? [] : [{ from: at(loss[0]).getTime(), to: at(loss[1]).getTime() }],
    marketplace: marketplace as never,
  });
const recovery = (second: number): AuditEntry => ({
  at: at(second).getTime(),
  what: 'recover data',
  how: 'job',
});

describe('the audit and the marketplace’s record are compared', () => {
  test('entry by entry, to the cent', () => {
    expect(unequal([applied()])).toEqual([]);
    expect(unequal([applied({ money: '0.06' })])).toHaveLength(2);
    expect(unequal([applied({ verdict: 'NOK' })])).toHaveLength(2);
    expect(unequal([applied({ comment: 'other' })])).toHaveLength(2);
    expect(unequal([applied({ round: 2 })])).toHaveLength(2);
  });

  test('and each rating is there exactly once', () => {
    expect(unequal([])).toEqual(['t1 round 1: OK good bonus 0.05000 is not in the audit']);
    expect(unequal([applied(), applied()])).toEqual([expect.stringContaining('once more in the audit')]);
    expect(unequal([applied(), applied({ task: 't2' as never })])).toEqual(['t2 is only in the audit']);
  });

  test('but what was lost between a copy and its restoration, when a recovery says so', () => {
    const missing = ['t1 round 1: OK good bonus 0.05000 is not in the audit'];
    expect(unequal([recovery(12)], { loss: [9, 12] })).toEqual([]);
    expect(unequal([], { loss: [9, 12] })).toEqual(missing);
    expect(unequal([recovery(8)], { loss: [9, 12] })).toEqual(missing);
    expect(unequal([applied({ money: '0.06' }), recovery(12)], { loss: [9, 12] })).toEqual([
      expect.stringContaining('once more in the audit'),
    ]);
  });

  test('and not what was rated before the copy, or after the recovery', () => {
    expect(unequal([recovery(30)])).toHaveLength(1);
    expect(unequal([recovery(30)], { loss: [20, 29] })).toHaveLength(1);
    expect(unequal([recovery(9)], { loss: [5, 8] })).toHaveLength(1);
    expect(unequal([recovery(7)], { loss: [5, 12] })).toHaveLength(1);
  });

  test('or whose entry was there and was lost in that time', () => {
    const before = [applied()];
    expect(unequal([recovery(12)], { loss: [10.5, 12], before })).toEqual([]);
    expect(unequal([recovery(12)], { loss: [11.5, 12], before })).toHaveLength(1);
  });
});

describe('a decision ends once in the audit', () => {
  const id = 'd1' as never;
  const decided = applied({ what: 'decided', at: at(8).getTime(), decision: id });
  const undone = applied({ what: 'undone', at: at(9).getTime(), decision: id });
  const recovered = applied({ what: 'recovered', at: at(10).getTime(), decision: id });
  const sent = applied({ decision: id });
  const wrong = (audit: readonly AuditEntry[], auditNow: readonly AuditEntry[], told = '', home = '') =>
    auditWrong({
      homes: [{ text: home }] as never,
      view: {
        notices: new Map([['C1:1', { text: told }]]),
        goneWithChannel: new Set(['t1 1']),
      } as never,
      audit,
      auditNow,
      losses: [{ from: at(7).getTime(), to: at(10).getTime() }],
      marketplace: marketplace as never,
      recorded: new Set(['d1']),
      log: { accepted: new Map() } as never,
    });

  test('undone or applied, not both', () => {
    expect(wrong([decided, sent], [decided, sent])).toEqual([]);
    const both = [decided, undone, sent];
    expect(wrong(both, both)).toEqual(['t1: decision d1 has ended: undone, applied']);
  });

  test('unless it was lost, and people are told so', () => {
    const told = 'One decision was lost together with a part of the database.';
    const finding = 't1: decision d1 has ended: not at all';
    expect(wrong([decided], [], told)).not.toContain(finding);
    expect(wrong([decided], [])).toContain(finding);
    expect(wrong([decided], [decided], told)).toContain(finding);
  });

  test('or its card went with its channel, and Home says that there may be such', () => {
    const home = 'Decisions that only its cards showed may be lost';
    const finding = 't1: decision d1 has ended: not at all';
    expect(wrong([decided], [], '', home)).not.toContain(finding);
    expect(wrong([decided], [decided], '', home)).toContain(finding);
    const ofNextRound = { ...decided, round: 2 };
    expect(wrong([ofNextRound], [], '', home)).toContain(finding);
  });

  test('but where Redis has lost that it was undone, and it was recovered from its card', () => {
    const all = [decided, undone, recovered, sent];
    expect(wrong(all, [recovered, sent])).toEqual([]);
    expect(wrong(all, all)).toHaveLength(1);
    expect(wrong([decided, undone, sent], [sent])).toHaveLength(1);
  });
});

test('a bonus above the limit of a manager is found, unless somebody has approved it', () => {
  const decided = (fields: Partial<AuditEntry>) =>
    applied({ what: 'decided', money: '0.06', by: 'U02BEN' as never, how: 'form', ...fields });
  const found = (...audit: AuditEntry[]) => spentUnapproved({ audit, losses: [] });
  expect(found(decided({}))).toHaveLength(1);
  expect(found(decided({ money: '0.05' }))).toEqual([]);
  expect(found(decided({ by: 'U01ANN' as never }))).toEqual([]);
  expect(found(decided({ by: 'U01ANN' as never, how: 'approval' }))).toEqual([]);
  // Of somebody whose role was withdrawn, any.
  const role = (what: 'give role' | 'withdraw role', second: number) =>
    ({ at: at(second).getTime(), what, member: 'U02BEN', by: 'U01ANN' }) as AuditEntry;
  const bonus = decided({ money: '0.05', at: at(20).getTime() });
  const withdrawn = role('withdraw role', 10);
  expect(found(withdrawn, bonus)).toHaveLength(1);
  expect(found(withdrawn, { ...bonus, how: 'approval' })).toEqual([]);
  expect(found(withdrawn, role('give role', 15), bonus)).toEqual([]);
  expect(found(role('withdraw role', 19), bonus)).toEqual([]);
  const losses = [{ from: at(9).getTime(), to: at(12).getTime() }];
  expect(spentUnapproved({ audit: [withdrawn, bonus], losses })).toEqual([]);
});

describe('what a run has exercised, by the audit', () => {
  const entry = (what: string, fields: object = {}) =>
    ({ at: at(10).getTime(), what, task: 't1', by: 'U02BEN', ...fields }) as AuditEntry;
  const timesOf = (name: RegExp, audit: readonly AuditEntry[], mine: readonly string[] = []) => {
    const evidence = { audit, log: { mine: new Set(mine) } as never };
    return exercised(evidence).find(({ what }) => name.test(what))?.times;
  };

  test('counts bulk ratings once each, and only with decisions that ended', () => {
    const audit = ['bulk-a-1-0', 'bulk-a-1-1', 'bulk-a-2-0', 'bulk-b-1-0', 'focus-c-OK'].map((decision) =>
      entry('applied', { decision }),
    );
    expect(timesOf(/^bulk/, [...audit, entry('decided', { decision: 'bulk-c-1-0' })])).toBe(2);
  });

  test('counts bonuses that were approved, and decisions of reviews begun from a reminder that ended', () => {
    const approved = entry('decided', { decision: 'd1', how: 'approval', money: '0.09' });
    expect(timesOf(/approval/, [approved, entry('decided', { how: 'form', money: '0.05' })])).toBe(1);
    const ended = entry('overtaken', { decision: 'd1' });
    expect(timesOf(/reminder of/, [approved, ended], ['d1', 'd2'])).toBe(1);
  });

  test('counts tasks that somebody takes whom they were not with', () => {
    const take = (by: string, second: number) => entry('take', { by, at: at(second).getTime() });
    const given = entry('assign', { member: 'U01ANN', at: at(2).getTime() });
    expect(timesOf(/taken over/, [take('U01ANN', 1)])).toBe(0);
    expect(timesOf(/taken over/, [take('U01ANN', 1), take('U02BEN', 2)])).toBe(1);
    expect(timesOf(/taken over/, [given, take('U01ANN', 3)])).toBe(0);
    expect(timesOf(/taken over/, [given, take('U02BEN', 3), { ...given, task: 't2' as never }])).toBe(1);
    const released = entry('release', { at: at(3).getTime() });
    expect(timesOf(/taken over/, [given, released, take('U02BEN', 4)])).toBe(0);
  });

  test('counts roles that were withdrawn while a decision of that member waited', () => {
    const withdrawn = entry('withdraw role', { by: 'U01ANN', member: 'U02BEN', at: at(12).getTime() });
    const decided = entry('decided', { decision: 'd1' });
    const undone = (second: number) => entry('undone', { decision: 'd1', at: at(second).getTime() });
    expect(timesOf(/withdrawn/, [decided, withdrawn, undone(13)])).toBe(1);
    expect(timesOf(/withdrawn/, [decided, undone(11), withdrawn])).toBe(0);
    expect(timesOf(/withdrawn/, [{ ...decided, by: 'U03CHLOE' as never }, withdrawn, undone(13)])).toBe(0);
  });

  test('and is not worthwhile where something was never accepted', () => {
    const none = notWorthwhile({ audit: [], log: { mine: new Set() } as never });
    expect(none).toHaveLength(6);
    expect(none[0]).toMatch(/^not worthwhile: no bulk ratings/);
    const some = notWorthwhile({ audit: [entry('assign')], log: { mine: new Set() } as never });
    expect(some).toHaveLength(5);
  });
});

describe('a decision that somebody has read on a card', () => {
  const seen = { id: 'd1', task: 't2', round: 1, verdict: 'NOK', by: 'U1', comment: '', state: 'pending' };
  const lost = (audit: readonly AuditEntry[], undone: readonly string[]) =>
    decisionsLost({
      log: { accepted: new Map([['d1', seen]]), undone: new Set(undone), undoneBulk: new Set() },
      marketplace,
      audit,
      losses: [],
      homes: [],
      view: { goneWithChannel: new Set(), notices: new Map() },
    } as never);

  test('is lost when nothing became of it', () => {
    expect(lost([], [])).toHaveLength(1);
    expect(lost([], ['d1'])).toHaveLength(1);
  });

  test('and not when it was undone by a click, and the trail says so', () => {
    const undone = applied({ what: 'undone', task: 't2' as never, decision: 'd1' });
    expect(lost([undone], ['d1'])).toEqual([]);
    expect(lost([undone], [])).toHaveLength(1);
  });
});
