import { money } from '../../src/domain/money.ts';
import type { NewDecision, SeenRow, TaskEvent } from '../../src/domain/task.ts';
import type { CampaignId, TaskId } from '../../src/domain/terms.ts';
import type { TaskInfo } from '../../src/marketplace/index.ts';
import { asId } from './ids.ts';

/** Returns the event of an import that sees a waiting task. */
export function waitingRow(
  id: TaskId,
  campaign: CampaignId = asId('c1'),
  finishedAt?: number,
  more: Partial<SeenRow> = {},
): SeenRow & { type: 'seen' } {
  return {
    type: 'seen',
    readAt: 0,
    id,
    campaign,
    rating: 'NOTRATED',
    comment: '',
    worker: { id: asId('w1'), country: '', ip: '' },
    csvRow: '0',
    proof: { slots: [], files: [], ...(finishedAt === undefined ? {} : { finishedAt }) },
    want: 'backlog',
    ...more,
  };
}

/** Returns what the marketplace tells of that task when it is asked for it. */
export const waitingInfo = (id: TaskId, more: Partial<TaskInfo> = {}): TaskInfo => ({
  taskId: id,
  campaignId: asId('c1'),
  workerId: asId('w1'),
  country: '',
  ip: '',
  csvRecordNr: '0',
  finishedAt: undefined,
  proof: [],
  files: [],
  fileProofStatus: '',
  rating: 'NOTRATED',
  employerComment: '',
  workerEarned: money('0'),
  bonusWorkerEarned: money('0'),
  ...more,
});

/** Returns the event of a decision on the first round: OK by U1, unless it says otherwise. */
export function decided(
  id: string,
  more: Partial<NewDecision> = {},
  at = 0,
): TaskEvent & { type: 'decided' } {
  const decision = { by: asId<never>('U1'), verdict: 'OK', comment: '', ...more, id } as const;
  return { type: 'decided', decision, round: 1, at, sendAt: at };
}

/** Returns the event of an undone decision, by U1. */
export function undone(decision: string): TaskEvent & { type: 'undone' } {
  return { type: 'undone', decision, by: { member: asId('U1'), at: 1 } };
}
