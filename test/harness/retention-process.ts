import type { Redis } from 'ioredis';
import type { SeenRow } from '../../src/domain/task.ts';
import type { AccountRef, CampaignId, TaskId, WorkerId, WorkspaceId } from '../../src/domain/terms.ts';
import { createRetention } from '../../src/features/ops/retention.ts';
import { removeUnreadable } from '../../src/store/stored-hash.ts';
import { asId } from './ids.ts';
import { testModules } from './modules.ts';
import { waitingRow as seenRow } from './waiting-row.ts';

export const dayMs = 86_400_000;
export const workspace = asId<WorkspaceId>('T1');
export const ref: AccountRef = { workspace, account: asId('0123456789abcdef') };

export type RetentionProcess = ReturnType<typeof createRetentionProcess>;

/** Creates the stores and the removal of old data of one process of several. */
export function createRetentionProcess(redis: Redis, now: () => number, retentionDays: number) {
  const queued: unknown[] = [];
  const modules = testModules(
    redis,
    {
      people: { accounts: { all: async () => [ref] } },
    },
    { now, jobs: { add: async (...job: unknown[]) => void queued.push(job) } as never },
  );
  const retention = createRetention({
    ...modules,
    retentionMs: retentionDays * dayMs,
    everyMs: 3_600_000,
    removeUnreadable: (before) => removeUnreadable(redis, before),
  });
  return {
    ...modules,
    /** Runs the job, and those that it queues. Returns how many it were. */
    async run(): Promise<number> {
      for (let runs = 1; ; runs++) {
        await retention.jobs['remove-old-data']({ workspace });
        if (queued.splice(0).length === 0) return runs;
      }
    },
  };
}

/** The row of a task that waits for review; its card is posted. */
export function waitingRow(id: TaskId, at: number, of: CampaignId): SeenRow {
  const worker = { id: asId<WorkerId>('w1'), name: 'Amina', country: 'Kenya', ip: '203.0.113.7' };
  const proof = { slots: ['the proof'], files: [] };
  return seenRow(id, of, undefined, { readAt: at, worker, proof, want: 'card' });
}

/** Rates a task at a moment, by Ann; its card shows it. */
export async function rateTask(
  { tasks }: Pick<RetentionProcess, 'tasks'>,
  task: TaskId,
  at: number,
  given: { readonly verdict: 'OK' | 'NOK'; readonly comment: string; readonly reason?: string } = {
    verdict: 'OK',
    comment: '',
  },
): Promise<void> {
  const decision = { id: `d ${task}`, by: asId<never>('U01ANN'), ...given };
  await tasks.apply(ref, task, { type: 'decided', decision, round: 1, at, sendAt: at });
  await tasks.apply(ref, task, { type: 'sending', decision: decision.id, at, leaseUntil: at, attempt: 1 });
  await tasks.apply(ref, task, { type: 'applied', decision: decision.id, at, answered: true });
  await tasks.clearNeedsRender(ref, task);
}
