import type { Task } from '../../src/domain/task.ts';
import { asId } from './ids.ts';

/** The fields of a compared task that a test can set. */
export interface Told {
  readonly id?: string;
  readonly worker?: string;
  readonly campaign?: string;
  readonly country?: string;
  readonly ip?: string;
  readonly slots?: readonly string[];
  /** When it was submitted (ms). */
  readonly at?: number;
}

/** Returns an open task with the given fields. */
export function toldTask(told: Told): Task {
  return {
    id: asId(told.id ?? 't1'),
    campaign: asId(told.campaign ?? 'c1'),
    round: 1,
    rating: 'NOTRATED',
    comment: '',
    ratedAt: 0,
    csvRow: '0',
    detailed: false,
    worker: {
      id: asId(told.worker ?? 'w1'),
      country: told.country ?? 'KE',
      ip: told.ip ?? '',
    },
    ...(told.at === undefined ? {} : { submittedAt: told.at }),
    proof: { slots: told.slots ?? [], files: [] },
    card: { state: 'backlog' },
    revision: 1,
  };
}
