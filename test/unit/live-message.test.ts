import { expect, test, vi } from 'vitest';
import type { Mirrored } from '../../src/domain/live-message.ts';
import type { AccountRef, ChannelId, TaskId } from '../../src/domain/terms.ts';
import { createLiveMessages } from '../../src/features/shared/live-message.ts';
import type { LiveMessageKind } from '../../src/features/shared/live-message-kind.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

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
  const parts = onlyModules({
    slack: {
      callOf: () => (_call: unknown, run: () => Promise<unknown>) => run(),
      messengerOf: () => ({ update }),
    },
    channels: { health: { reportSuccess: async () => undefined } },
    jobs: { faults: () => undefined, timeouts: { renderLeaseMs: 1_000, lateArrivalMs: 1_000 } },
    clock: { now: () => 1_000 },
  });
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
  await messages.render(ref, id);
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
    await recent.messages.render(ref, id);
    expect(recent.renew).not.toHaveBeenCalled();
    step = 300;
    const older = created();
    await older.messages.render(ref, id);
    expect(older.renew).toHaveBeenCalledTimes(1);
    expect(older.update).toHaveBeenCalledTimes(1);
  } finally {
    clock.mockRestore();
  }
});
