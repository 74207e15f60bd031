import { expect, test, vi } from 'vitest';
import type { Mirrored } from '../../src/domain/live-message.ts';
import type { AccountRef, ChannelId, TaskId } from '../../src/domain/terms.ts';
import { createLiveMessages } from '../../src/features/shared/live-message.ts';
import type { LiveMessageKind } from '../../src/features/shared/live-message-kind.ts';
import { Reschedule } from '../../src/jobs/runner.ts';
import { asId } from '../harness/ids.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const id = asId<TaskId>('t1');
const channel = asId<ChannelId>('C1');

/** Creates what renders a message that is posted. */
function created() {
  const update = vi.fn(async () => undefined);
  const record: Mirrored = { card: { state: 'posted', channel, ts: '1.000001' }, revision: 1 };
  const renew = vi.fn(async () => true);
  const lease = {
    renew,
    markRendered: async () => true,
    release: async () => undefined,
    releaseAfter: async () => undefined,
  };
  const parts = {
    callSlackOf: () => (_call: unknown, run: () => Promise<unknown>) => run(),
    channelHealth: { reportSuccess: async () => undefined },
    faults: () => undefined,
    messengerOf: () => ({ update }),
    now: () => 1_000,
    timeouts: { renderLeaseMs: 1_000, lateArrivalMs: 1_000 },
  } as unknown as Parameters<typeof createLiveMessages>[0];
  const kind = {
    name: 'card',
    records: {
      get: async () => record,
      needsRender: async () => true,
      acquireRenderLease: async () => lease,
    },
    render: () => ({ text: 'open', blocks: [] }),
  } as unknown as LiveMessageKind<Mirrored, TaskId>;
  return { messages: createLiveMessages(parts, kind), update, renew };
}

test('a message shows its record as it is', async () => {
  const { messages, update } = created();
  await messages.render(ref, id, {} as never, true);
  expect(update).toHaveBeenCalledTimes(1);
});

test('a lease that was just acquired is not renewed before the call, one that is older is', async () => {
  let [time, step] = [0, 0];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    time += step;
    return time;
  });
  try {
    const recent = created();
    await recent.messages.render(ref, id, {} as never, true);
    expect(recent.renew).not.toHaveBeenCalled();
    step = 300;
    const older = created();
    await older.messages.render(ref, id, {} as never, true);
    expect(older.renew).toHaveBeenCalledTimes(1);
    expect(older.update).toHaveBeenCalledTimes(1);
  } finally {
    clock.mockRestore();
  }
});

test('the first run of a post only reserves its slot; the run at that slot posts with it', async () => {
  const read: string[] = [];
  const slots: (number | undefined)[] = [];
  const parts = {
    callSlackOf: (_: unknown, slot: number | undefined) =>
      Object.assign((_call: unknown, run: () => Promise<unknown>) => run(), {
        async reservePost() {
          slots.push(slot);
          if (slot === undefined) throw new Reschedule(3_000, 7_000);
          return slot;
        },
      }),
    channelHealth: { reportSuccess: async () => undefined },
    faults: () => undefined,
    messengerOf: () => ({ post: async () => ({ channel, ts: '2.000001' }) }),
    now: () => 5_000,
    slackNow: Date.now,
    sharedChannels: { mayPost: async () => true, mustWait: async () => false },
    timeouts: { renderLeaseMs: 1_000, lateArrivalMs: 1_000 },
  } as unknown as Parameters<typeof createLiveMessages>[0];
  const record: Mirrored = { card: { state: 'wanted' }, revision: 1 };
  const posting = { ...record, card: { state: 'wanted', attempt: { channel, at: 5_000 } } };
  const kind = {
    name: 'card',
    records: {
      get: async () => record,
      needsRender: async () => true,
      acquireRenderLease: async () => {
        read.push('lease');
        return { renew: async () => true, markRendered: async () => true, release: async () => undefined };
      },
      apply: async () => ({ record: posting, changed: true }),
    },
    channelFor: async () => channel,
    tagFor: () => ({ type: 'card', payload: {} }),
    prepare: async (_: unknown, prepared: Mirrored) => {
      read.push('details');
      return prepared;
    },
    render: () => ({ text: 'open', blocks: [] }),
  } as unknown as LiveMessageKind<Mirrored, TaskId>;
  const { render: run } = createLiveMessages(parts, kind);
  const first = await run(ref, id, { slot: undefined }, true).catch((error: unknown) => error);
  expect(first).toMatchObject({ delayMs: 3_000, slot: 7_000 });
  expect(read).toEqual([]);
  await run(ref, id, { slot: 7_000 }, true);
  expect(read).toContain('details');
  expect(slots).toEqual([undefined, 7_000]);
});
