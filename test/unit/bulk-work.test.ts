import { expect, test } from 'vitest';
import type { Verdict } from '../../src/domain/terms.ts';
import { createBulkWork } from '../../src/features/bulk/work.ts';
import type { RoleInAccount } from '../../src/kit/access.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

const ref = { workspace: asId<never>('T0SANDBOX'), account: asId<never>('838e09ee9b402010') };
const tasks = Array.from({ length: 20 }, (_, index) => ({ id: `t${index}`, round: 1, rating: 'NOTRATED' }));

/**
 * A bulk rating of 20 tasks; `onDecision` is called with how many are decided.
 * @param access its maker's by now
 */
function working(
  onDecision: (decided: number, rating: { state: string }) => void,
  access: RoleInAccount = { role: 'owner' },
  verdict: Verdict = 'OK',
) {
  const rating = {
    id: 'b1',
    run: 1,
    state: 'deciding',
    member: 'U01ANN',
    team: 'T0SANDBOX',
    verdict,
    text: '',
    items: tasks.map(({ id }) => ({ task: id, round: 1 })),
    results: tasks.map((): unknown => null),
  };
  const decided: string[] = [];
  const work = createBulkWork({
    ...onlyModules({
      people: { access: { roleIn: async () => access } },
      tasks: {
        get: async (_: unknown, id: string) => tasks.find((task) => task.id === id),
        getMany: async (_: unknown, ids: readonly string[]) => tasks.filter(({ id }) => ids.includes(id)),
        focusSessions: { get: async () => undefined },
        leases: { owners: async () => new Map() },
        bulkRatings: {
          get: async () => ({ ...rating }),
          async apply(_: unknown, __: unknown, event: { results: ReadonlyMap<number, unknown> }) {
            for (const [index, result] of event.results) rating.results[index] = result;
            if (!rating.results.includes(null)) rating.state = 'done';
            return { changed: false };
          },
        },
      },
      jobs: {
        faults: async () => undefined,
        leases: { acquire: async () => ({ release: async () => undefined }) },
        timeouts: { leaseMs: 15_000 },
      },
      clock: { now: Date.now },
    }),
    decisions: {
      async rate(_: unknown, { task }: { task: string }) {
        decided.push(task);
        onDecision(decided.length, rating);
        return { kind: 'undone', task: { id: task, undone: [] } };
      },
    },
    fill: async () => '',
  } as never);
  return { decided, results: rating.results, run: () => work.run({ ...ref, rating: 'b1' } as never) };
}

test('a process that stalled while its bulk rating was undone decides on no more tasks', async () => {
  const { decided, run } = working((count, rating) => {
    // Another process has taken its lease over, and undone the rating.
    if (count === 3) rating.state = 'done';
  });
  await run();
  // The tasks begun at the same moment.
  expect(decided).toHaveLength(5);
});

test('a bulk rating that was confirmed decides nothing once its maker may not rate, and each result says so', async () => {
  const { decided, results, run } = working(() => undefined, { role: 'viewer' });
  await run();
  expect(decided).toEqual([]);
  expect(results).toEqual(tasks.map(() => ({ kind: 'barred' })));
});

test('a bulk rating waits while Slack cannot be asked whether its maker may rate', async () => {
  const { decided, results, run } = working(() => undefined, { role: undefined, refusal: 'unchecked' });
  expect(await run()).toEqual({ again: 30_000 });
  expect(decided).toEqual([]);
  expect(results).toEqual(tasks.map(() => null));
});

test('a bulk rating whose reason was lost on the way refuses nobody', async () => {
  const { decided, results, run } = working(() => undefined, { role: 'owner' }, 'NOK');
  await run();
  expect(decided).toEqual([]);
  expect(results).toEqual(tasks.map(() => ({ kind: 'failed' })));
});
