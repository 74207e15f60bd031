import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import type { Task } from '../../src/domain/task.ts';
import { deadlineOf, finishedAtOf, isOpen } from '../../src/domain/task.ts';
import type { CampaignId, TaskId } from '../../src/domain/terms.ts';
import { createAuditWriter } from '../../src/store/audit.ts';
import { createCampaigns } from '../../src/store/campaigns.ts';
import { createOpenTasks, createTasks, createTimesToRate } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { decided, undone, waitingRow } from '../harness/waiting-row.ts';

const day = 86_400_000;
const [c1, c2] = [asId<CampaignId>('c1'), asId<CampaignId>('c2')];

const redis = redisPerFile();

const see = (id: string, campaign: CampaignId, finishedAt?: number) =>
  createTasks(redis()).apply(ref, asId(id), waitingRow(asId(id), campaign, finishedAt));
const decide = (id: string) => createTasks(redis()).apply(ref, asId(id), decided(`d${id}`));
const undo = (id: string) => createTasks(redis()).apply(ref, asId(id), undone(`d${id}`));

/** What the index should say, from the records alone. */
async function expectIndexToFollow(ids: readonly string[], days: ReadonlyMap<CampaignId, number>) {
  const index = createOpenTasks(redis());
  const all = await createTasks(redis()).getMany(ref, ids as TaskId[]);
  const open = all.filter(isOpen);
  const deadline = (task: Task) => deadlineOf(finishedAtOf(task), days.get(task.campaign));
  const late = Number.MAX_SAFE_INTEGER;
  const sorted = open.toSorted(
    (a, b) =>
      (deadline(a) ?? late) - (deadline(b) ?? late) ||
      (deadline(a) === undefined ? (finishedAtOf(a) ?? late) - (finishedAtOf(b) ?? late) : 0) ||
      (a.id < b.id ? -1 : 1),
  );
  expect(await index.queue(ref, 1_000)).toEqual(sorted.map(({ id }) => id));
  expect(await index.count(ref)).toBe(open.length);
  const times = [0, 3 * day, 12 * day];
  const due = (some: readonly Task[]) =>
    times.map((until) => some.filter((task) => (deadline(task) ?? late) <= until).length);
  expect(await index.countsUntil(ref, times)).toEqual(due(open));
  const campaigns = await index.campaigns(ref);
  expect(new Set(campaigns)).toEqual(new Set(open.map(({ campaign }) => campaign)));
  for (const found of await index.waitingIn(ref, campaigns)) {
    const own = open.filter(({ campaign }) => campaign === found.campaign);
    const finished = own.flatMap((task) => finishedAtOf(task) ?? []);
    const deadlines = own.flatMap((task) => deadline(task) ?? []);
    expect(found).toEqual({
      campaign: found.campaign,
      waiting: own.length,
      ...(finished.length > 0 ? { oldest: Math.min(...finished) } : {}),
      ...(deadlines.length > 0 ? { dueAt: Math.min(...deadlines) } : {}),
    });
  }
  const counts = await index.countsIn(ref, days, times);
  for (const campaign of days.keys())
    expect(counts.get(campaign)).toEqual(due(open.filter((task) => task.campaign === campaign)));
}

test('whatever happens to tasks and the days of their campaigns, the index says what is due when', async () => {
  const ids = ['t1', 't2', 't3', 't4', 't5'];
  const id = fc.constantFrom(...ids);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('see' as const), id, days: fc.option(fc.nat(5), { nil: undefined }) }),
    fc.record({ kind: fc.constant('decide' as const), id }),
    fc.record({ kind: fc.constant('undo' as const), id }),
    fc.record({
      kind: fc.constant('days' as const),
      campaign: fc.constantFrom(c1, c2),
      days: fc.integer({ min: 1, max: 9 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      await redis().flushall();
      const days = new Map<CampaignId, number>();
      for (const one of steps) {
        if (one.kind === 'see')
          await see(one.id, one.id < 't3' ? c1 : c2, one.days === undefined ? undefined : one.days * day);
        else if (one.kind === 'decide') await decide(one.id);
        else if (one.kind === 'undo') await undo(one.id);
        else {
          days.set(one.campaign, one.days);
          await createTimesToRate(redis()).put(ref, one.campaign, one.days);
        }
      }
      await expectIndexToFollow(ids, days);
    }),
    {
      numRuns: 40,
      examples: [
        [
          [
            { kind: 'see', id: 't1', days: 3 },
            { kind: 'see', id: 't4', days: undefined },
            { kind: 'see', id: 't2', days: 1 },
            { kind: 'days', campaign: c1, days: 2 },
            { kind: 'decide', id: 't2' },
            { kind: 'days', campaign: c1, days: 7 },
            { kind: 'undo', id: 't2' },
          ],
        ],
      ],
    },
  );
});

test('what waits is counted by what it pays', async () => {
  await createCampaigns(redis()).store(ref, [campaign({ id: c1, paymentPerTask: '0.10' })]);
  await see('t1', c1, day);
  await see('t2', c1, day);
  await see('t3', c2, day);
  expect(Object.fromEntries(await createOpenTasks(redis()).byPayment(ref))).toEqual({ '': 1, '0.10': 2 });
});

test('the days and their entry in the audit are one step, and the same days again are none', async () => {
  const audit = createAuditWriter();
  const times = createTimesToRate(redis());
  const entry = (before: number | undefined) =>
    audit(ref, { what: 'set time to rate', campaign: c1, before: String(before ?? '') });
  expect(await times.put(ref, c1, 7, entry)).toBeUndefined();
  expect(await times.put(ref, c1, 7, entry)).toBe(7);
  await Promise.all([times.put(ref, c1, 3, entry), createTimesToRate(redis()).put(ref, c1, 4, entry)]);
  const entries = (await redis().xrange('proofdesk:{T1/a1}:audit', '-', '+')).map(([, [, text = '']]) =>
    JSON.parse(text),
  );
  expect(entries.map(({ before }) => before)).toEqual(['', '7', entries[2].before]);
  expect(['3', '4']).toContain(entries[2].before);
});
