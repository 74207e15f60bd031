import type { Redis } from 'ioredis';
import { indexChanges } from '../../src/domain/index-changes.ts';
import type { Task } from '../../src/domain/task.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import { commit } from '../../src/store/records.ts';

/** Writes what the change of a task touches besides its record. */
export async function writeChange(redis: Redis, ref: AccountRef, before: Task, after: Task): Promise<void> {
  const event = { type: 'card-queued' } as const;
  const ops = indexChanges({ before, event, after, zone: 'UTC' });
  const record = { key: `of:${crypto.randomUUID()}`, version: 0, next: 1, value: '', revision: 1 };
  await commit(redis, ref, record, ops);
}
