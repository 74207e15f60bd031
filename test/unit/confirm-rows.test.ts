import { describe, expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { SeenRow } from '../../src/domain/task.ts';
import type { CampaignId, Rating, TaskId, WorkerId } from '../../src/domain/terms.ts';
import { createRowConfirmation } from '../../src/features/polling/diff-results.ts';
import { pauseMs } from '../../src/features/polling/incomplete-reads.ts';
import { createLogger } from '../../src/logger.ts';
import { type MarketplaceClient, type TaskInfo, TransportError } from '../../src/marketplace/index.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

const rows = (count: number): SeenRow[] =>
  Array.from({ length: count }, (_, index) => ({
    readAt: 0,
    id: asId<TaskId>(`t${index}`),
    campaign: asId<CampaignId>('c'),
    rating: 'OK',
    comment: '',
    worker: { id: asId<WorkerId>('w'), country: 'Chile', ip: '10.0.0.1' },
    csvRow: '0',
    proof: { slots: ['text'], files: [] },
    want: 'card',
  }));

/** Confirms rows with a marketplace that answers as told; returns what was asked about and what was confirmed. */
async function confirmed(
  count: number,
  ratingOf: (id: string) => Rating | Error,
  { turn = 0, hasNewTasks = false } = {},
) {
  const asked: string[] = [];
  const passedOn: string[] = [];
  const getTaskInfo = async (id: string): Promise<TaskInfo> => {
    asked.push(id);
    const rating = ratingOf(id);
    if (rating instanceof Error) throw rating;
    return {
      taskId: asId<TaskId>(id),
      campaignId: asId<CampaignId>('c'),
      workerId: asId<WorkerId>('w'),
      country: 'Chile',
      ip: '10.0.0.1',
      csvRecordNr: '0',
      finishedAt: undefined,
      proof: ['text', ''],
      files: [],
      fileProofStatus: '',
      rating,
      employerComment: '',
      workerEarned: money('0'),
      bonusWorkerEarned: money('0'),
    };
  };
  const confirmation = createRowConfirmation(
    onlyModules({ log: createLogger('silent', []), clock: { now: () => 1 } }),
  );
  const marketplace = { getTaskInfo } as unknown as MarketplaceClient;
  const agreed = await confirmation.confirmRows(
    marketplace,
    rows(count),
    turn,
    async () => hasNewTasks,
    async ({ id }) => {
      passedOn.push(id);
    },
  );
  expect(passedOn).toHaveLength(agreed);
  return { asked, agreed };
}

describe('rows that would change known tasks', () => {
  test('are passed on when get_task_info agrees, 300 at most in one import', async () => {
    expect((await confirmed(50, () => 'OK')).agreed).toBe(50);
    expect((await confirmed(1_000, () => 'OK')).agreed).toBe(300);
    expect((await confirmed(3, (id) => (id === 't1' ? 'NOTRATED' : 'OK'))).agreed).toBe(2);
  });

  test('cost 20 requests when none agrees, and others the next time', async () => {
    const first = await confirmed(1_000, () => 'NOTRATED');
    expect([first.asked.length, first.agreed]).toEqual([20, 0]);
    const second = await confirmed(1_000, () => 'NOTRATED', { turn: 1 });
    expect(second.asked.filter((id) => first.asked.includes(id))).toEqual([]);
  });

  test('wait after 20 for another read when there are new tasks', async () => {
    expect((await confirmed(100, () => 'OK', { hasNewTasks: true })).agreed).toBe(20);
  });

  test('wait when the marketplace does not answer, and what was confirmed before stays', async () => {
    const away = new TransportError({
      operation: 'getTaskInfo',
      kind: 'connection',
      reason: 'gone',
      mayHaveBeenApplied: false,
    });
    const { asked, agreed } = await confirmed(100, (id) => (Number(id.slice(1)) < 5 ? 'OK' : away));
    expect(agreed).toBe(5);
    expect(asked.length).toBeLessThanOrEqual(8);
  });
});

test('a read is repeated at the next poll, then less and less often', () => {
  const pauses = [1, 2, 3, 4, 10].map((times) => pauseMs(times, 0, 30_000) + 15_000);
  expect(pauses).toEqual([30_000, 60_000, 60_000, 60_000, 60_000]);
  expect([1, 2, 3, 4, 10].map((times) => pauseMs(times, 0, 5_000) + 2_500)).toEqual([
    5_000, 10_000, 20_000, 40_000, 60_000,
  ]);
  expect(pauseMs(50, 3_600_000, 30_000) + 15_000).toBe(600_000);
});
