import type { ReceiverEvent } from '@slack/bolt';
import { describe, expect, test, vi } from 'vitest';
import { ackRepliesLate, type LateAckOptions } from '../../src/slack/late-acks.ts';
import { NotStored } from '../../src/slack/not-stored.ts';

const reply = { type: 'message', channel: 'C1', user: 'U1', ts: '2.0', thread_ts: '1.0', text: 'ok' };

/** An event of Slack's, as Bolt gets it. */
function delivery(event: object = reply) {
  const ack = vi.fn(async () => undefined);
  return { ack, body: { type: 'event_callback', team_id: 'T1', event } } as unknown as ReceiverEvent & {
    ack: typeof ack;
  };
}

/** Processes what is delivered as Bolt does: acks first, then runs what stores it. */
function begin(store: () => Promise<void>, options: Partial<LateAckOptions> = {}) {
  const warn = vi.fn();
  const deliver = ackRepliesLate(
    async (event) => {
      await event.ack();
      await store();
    },
    { logger: { warn } as unknown as LateAckOptions['logger'], now: () => 0, withinMs: 20, ...options },
  );
  return { deliver, warn };
}

describe('a reply in a thread', () => {
  test('is acked once it is stored, and not before', async () => {
    let isStored: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => {
      isStored = resolve;
    });
    const { deliver, warn } = begin(() => stored, { withinMs: 600_000 });
    const event = delivery();
    const done = deliver(event);
    await Promise.resolve();
    expect(event.ack).not.toHaveBeenCalled();
    isStored();
    await done;
    expect(event.ack).toHaveBeenCalledTimes(1);
    expect(warn).not.toHaveBeenCalled();
  });

  test.each<[string, () => Promise<void>]>([
    ['that is not stored in time', () => new Promise(() => undefined)],
    ['whose storing fails', () => Promise.reject(new Error('dropped'))],
  ])('%s is not acked', async (_, store) => {
    const { deliver, warn } = begin(store);
    const event = delivery();
    await expect(deliver(event)).rejects.toThrow(NotStored);
    expect(event.ack).not.toHaveBeenCalled();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('of more than so many in an hour is acked all the same: Slack would deliver nothing at all any more', async () => {
    let at = 0;
    const { deliver } = begin(() => Promise.reject(new Error('away')), { mostLeft: 2, now: () => at });
    for (let time = 0; time < 2; time += 1) await expect(deliver(delivery())).rejects.toThrow(NotStored);
    const event = delivery();
    await deliver(event);
    expect(event.ack).toHaveBeenCalledTimes(1);
    at = 3_600_000;
    await expect(deliver(delivery())).rejects.toThrow(NotStored);
  });

  test('of more than so many counts none that lie ahead of a clock that was set back', async () => {
    let at = 86_400_000;
    const { deliver } = begin(() => Promise.reject(new Error('away')), { mostLeft: 1, now: () => at });
    await expect(deliver(delivery())).rejects.toThrow(NotStored);
    at = 0;
    await expect(deliver(delivery())).rejects.toThrow(NotStored);
  });
});

test.each<[string, object]>([
  ['a message in a channel', { ...reply, thread_ts: undefined }],
  ['the message that begins a thread', { ...reply, thread_ts: '2.0' }],
  ['what a bot says', { ...reply, bot_id: 'B1' }],
  ['another event', { type: 'app_home_opened', user: 'U1', channel: 'D1' }],
  ['an event without what it needs', { type: 'message' }],
])('%s is acked at once', async (_, event) => {
  const { deliver } = begin(() => new Promise(() => undefined));
  const one = delivery(event);
  void deliver(one);
  await vi.waitFor(() => expect(one.ack).toHaveBeenCalledTimes(1));
});
