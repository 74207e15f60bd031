import type { ResultRow } from '../../src/marketplace/index.ts';
import { asId } from '../harness/ids.ts';

/** A row of a campaign's results. */
export function resultRow(fields: Partial<ResultRow> = {}): ResultRow {
  return {
    row: '1',
    csvRow: '1',
    taskId: asId('t1'),
    workerId: asId('w1'),
    username: 'Ann',
    rating: 'OK',
    finishedAt: new Date(Date.UTC(2026, 0, 31, 9, 5, 7)),
    ip: '203.0.113.7',
    countryCode: 'US',
    proof: ['done'],
    employerComment: '',
    userAgent: 'Mozilla/5.0',
    ...fields,
  };
}
