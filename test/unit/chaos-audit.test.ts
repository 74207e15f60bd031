import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { auditUnequal } from '../chaos/check-audit.ts';
import type { MarketplaceTask } from '../chaos/evidence.ts';

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
const unequal = (auditNow: readonly AuditEntry[]) =>
  auditUnequal({ auditNow, marketplace: marketplace as never });
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

  test('but what was lost before a recovery that says so', () => {
    expect(unequal([recovery(12)])).toEqual([]);
    expect(unequal([recovery(9)])).toHaveLength(1);
    expect(unequal([applied({ money: '0.06' }), recovery(12)])).toHaveLength(1);
  });
});
