import { expect, test } from 'vitest';
import { newFocus } from '../../src/domain/focus.ts';
import type { AccountRef, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createWalk } from '../../src/features/focus/walk.ts';
import { createFocusSessions } from '../../src/store/drafts.ts';
import { createTaskLeases } from '../../src/store/leases.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('acc') };
const filter = { label: '' };
const task = asId<TaskId>('t1');

test('a review that has ended leases nothing, also when its next tasks are still being loaded', async () => {
  const focusSessions = createFocusSessions(redis.first);
  const taskLeases = createTaskLeases(redis.first, { now: Date.now, leaseMs: 60_000, queueMs: 60_000 });
  let whileLeasing = async (): Promise<unknown> => undefined;
  const walk = createWalk(
    onlyModules({
      tasks: {
        get: async () => undefined,
        focusSessions,
        leases: {
          ...taskLeases,
          async take(...args: Parameters<typeof taskLeases.take>) {
            await whileLeasing();
            return taskLeases.take(...args);
          },
        },
      },
      clock: { now: Date.now },
    }),
  );
  const end = (id: string) =>
    focusSessions.change(ref, id, (one) => (one.ended ? undefined : { ...one, ended: true, ahead: [] }));
  await redis.first.zadd('proofdesk:{T1/acc}:tasks:open', 1, task);
  const begin = async (id: string) => {
    const session = { ...newFocus({ id, member: asId<MemberId>('U1'), filter }), queuedAt: Date.now() };
    await focusSessions.create(ref, session);
    await taskLeases.fill(ref, id, [task]);
  };
  const isFree = async () => {
    const { held } = await taskLeases.take(ref, 'somebody else', { count: 0, keep: [task] });
    await taskLeases.releaseAll(ref, 'somebody else');
    return held.length === 1;
  };

  await begin('ended before');
  await end('ended before');
  expect(await walk.prefetch(ref, 'ended before')).toBeUndefined();
  expect(await isFree()).toBe(true);

  await begin('ended meanwhile');
  whileLeasing = () => end('ended meanwhile');
  expect(await walk.prefetch(ref, 'ended meanwhile')).toBeUndefined();
  expect(await isFree()).toBe(true);

  whileLeasing = async () => undefined;
  await begin('goes on');
  expect((await walk.prefetch(ref, 'goes on'))?.session.current).toBe(task);
  expect(await isFree()).toBe(false);
});
