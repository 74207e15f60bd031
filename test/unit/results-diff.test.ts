import { expect, test } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { AccountRef, CampaignId, TaskId } from '../../src/domain/terms.ts';
import { readChanges } from '../../src/features/polling/diff-results.ts';
import type { MarketplaceClient, ResultRow } from '../../src/marketplace/index.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { asId } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { resultRow } from './result-rows.ts';

const redis = emptyRedis();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const campaign = asId<CampaignId>('c1');
const counts = { OK: 0, NOK: 0, NOTRATED: 0, NOTREVIEWED: 0, REVISE: 0 };

/** Reads results with these rows, of a campaign that is listed like that. */
async function reads(
  rows: readonly ResultRow[],
  listed?: Pick<Campaign, 'tasksOk' | 'tasksNok' | 'tasksNotRated'>,
) {
  const marketplace: Pick<MarketplaceClient, 'campaignResults'> = {
    async campaignResults(
      _: unknown,
      { into }: { into: () => { onRows(some: readonly ResultRow[]): Promise<void> } },
    ) {
      await into().onRows(rows);
      return { wireBytes: 1, counts: { ...counts, OK: rows.length }, doubtful: new Set(), problems: [] };
    },
  } as never;
  const modules = testModules(redis());
  return readChanges(
    modules,
    marketplace as MarketplaceClient,
    ref,
    campaign,
    listed as Campaign | undefined,
  );
}

test('a task that was rated, of which only the rating is kept, is asked about when its row says that it waits', async () => {
  await testModules(redis()).tasks.recordRatings(
    ref,
    campaign,
    new Map([[asId<TaskId>('t1'), 'OK']]),
    new Map(),
  );
  const { rows, suspicions } = await reads([resultRow({ rating: 'NOTRATED' })]);
  expect(rows).toEqual([]);
  expect(suspicions.map(({ id }) => id)).toEqual(['t1']);
});

test('results with fewer than nine of ten rows that the list counts are incomplete', async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => resultRow({ taskId: asId(`t${n}`) }));
  const listed = { tasksOk: 6, tasksNok: 2, tasksNotRated: 2 };
  expect((await reads(rows(9), listed)).problems).toEqual([]);
  expect((await reads(rows(8), listed)).problems).toEqual([{ kind: 'fewer rows', read: 8, expected: 10 }]);
});
