import { expect, test } from 'vitest';
import { task as sample } from '../../gallery/samples/tasks.ts';
import { noFaults } from '../../src/domain/fault-points.ts';
import type { SecondLook } from '../../src/domain/second-look/look.ts';
import type { AccountRef, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createTellDifference } from '../../src/features/second-look/tell.ts';
import { Reschedule } from '../../src/jobs/runner.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createAccountLeases } from '../../src/store/account-leases.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const task = asId<TaskId>('0123456789ab');
const job = { ...ref, task };
const lateArrivalMs = 200;
const verdict = { verdict: 'OK', comment: '', at: 1 } as const;
const look: SecondLook = {
  ...{ why: 'share', until: 2 },
  first: { ...verdict, id: 'd1', by: asId('U01ANN') },
  second: { ...verdict, verdict: 'NOK', id: 'd2', by: asId('U02BEN') },
};

test('what Slack has not answered is not posted again by another job for the same task', async () => {
  let untold = [asId<MemberId>('U01ANN')];
  let arrived: { readonly ts: string } | undefined;
  let posts = 0;
  const messenger = {
    directChannel: async () => asId('D01ANN'),
    findTagged: async () => arrived,
    async post() {
      posts += 1;
      throw new SlackError('chat.postMessage', new Error('no answer in time'));
    },
  };
  /** As one process has it. */
  const process = (leases: ReturnType<typeof createAccountLeases>) =>
    createTellDifference({
      campaigns: { get: async () => undefined },
      faults: noFaults,
      leases,
      logger: { info() {} },
      messengerOf: () => messenger,
      now: Date.now,
      slackAheadOf: () => 0,
      secondLooks: {
        waiting: async () => ({ tasks: [], untold: untold.length > 0 ? [{ task, verdict: 'd2' }] : [] }),
        untoldOf: async () => [...untold],
        setUntold: async (...[, , , left]: [unknown, unknown, unknown, MemberId[]]) => {
          untold = [...left];
        },
      },
      tasks: { get: async () => ({ ...sample({ look }), id: task, card: { state: 'none' } }) },
      timeouts: { ...defaultTimeouts, lateArrivalMs },
    } as never).tell;
  const [one, other] = [redis.first, redis.second].map((client) => process(createAccountLeases(client)));

  await expect(one?.(job)).rejects.toThrow(Reschedule);
  await expect(other?.(job)).rejects.toThrow(Reschedule);
  await expect(one?.(job)).rejects.toThrow(Reschedule);
  expect(posts).toBe(1);
  arrived = { ts: '1.2' };
  await expect.poll(() => other?.(job).catch((error: unknown) => error)).toBeUndefined();
  expect(posts).toBe(1);
  expect(untold).toEqual([]);
});
