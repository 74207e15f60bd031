import type { SeenRow } from '../../src/domain/events.ts';
import type { CampaignId, TaskId } from '../../src/domain/terms.ts';
import { asId } from './ids.ts';

/** Returns the event of an import that sees a waiting task. */
export function waitingRow(
  id: TaskId,
  campaign: CampaignId,
  finishedAt?: number,
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
  };
}
