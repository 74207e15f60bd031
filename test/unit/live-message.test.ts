import { WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { expect, test, vi } from 'vitest';
import {
  type CardState,
  type MessageRef,
  type Mirrored,
  type PostEvent,
  postTransition,
  withPost,
} from '../../src/domain/live-message.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { Paused } from '../../src/jobs/queue.ts';
import { createLiveMessages, type LiveMessageKind } from '../../src/kit/live-message.ts';
import { chart, section } from '../../src/slack/blocks.ts';
import { createCallSlack } from '../../src/slack/client.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createRateLimiter, type Pauses } from '../../src/store/pauses.ts';
import { asId, ref } from '../harness/ids.ts';
import { idle, onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const channel = asId<ChannelId>('C1');
const now = 1_000_000;
const there = { state: 'posted', channel, ts: '1.0' } as const;
const begun = { state: 'wanted', attempt: { channel, at: 500_000, slackAt: 600_000 } } as const;

const refused = (error: string) => new SlackError('', new WebAPIPlatformError({ ok: false, error } as never));
const noAnswer = new SlackError('', new Error('socket hang up'));

type Slack = Partial<Record<'post' | 'update' | 'findTagged', (...args: never[]) => Promise<unknown>>>;

/** A record whose message is in that state, and what is asked of Slack for it. */
function message(
  card: CardState,
  slack: Slack = {},
  kind: Partial<LiveMessageKind<Mirrored, string>> = {},
  callOf: unknown = () => (_: unknown, run: () => Promise<unknown>) => run(),
) {
  let record: Mirrored = { revision: 1, card };
  const log: string[] = [];
  const call =
    (name: keyof Slack, answer: unknown) =>
    async (...args: never[]) => {
      log.push(name);
      return slack[name] === undefined ? answer : slack[name](...args);
    };
  const messenger = {
    post: call('post', { channel, ts: '2.0' }),
    update: call('update', undefined),
    findTagged: call('findTagged', undefined),
  };
  const modules = onlyModules({
    slack: { callOf, messengerOf: () => messenger },
    channels: {
      shared: { mayPost: async () => true },
      health: {
        reportSuccess: async () => void log.push('works'),
        reportFailure: async (_: unknown, of: string, code: string) => void log.push(`${of} ${code}`),
      },
    },
    jobs: { timeouts: { renderLeaseMs: 60_000, lateArrivalMs: 15_000 }, faults: async () => undefined },
    clock: { now: () => now, slackNow: () => now },
    log: { warn: () => undefined },
  });
  const { render } = createLiveMessages<Mirrored, string>(modules, {
    channelFor: async () => channel,
    tagFor: () => ({ type: 'card', payload: {} }) as never,
    render: () => ({ text: '', blocks: [] }),
    ...kind,
    records: {
      find: idle,
      needsRender: async () => true,
      get: async () => record,
      async apply(_, __, event: PostEvent) {
        const after = withPost(record, event, true);
        record = after ?? record;
        return { record, changed: after !== undefined };
      },
      async acquireRenderLease() {
        return {
          renew: async () => true,
          markRendered: async (revision) => revision === record.revision,
          release: async () => undefined,
          releaseAfter: async (ms) => void log.push(`rests ${ms}`),
        };
      },
      ...kind.records,
    },
  });
  return {
    log,
    draws: () => render(ref, 't1', { isBackground: true }),
    get card() {
      return record.card;
    },
  };
}

test.each([1, 2])(
  'a message whose charts Slack refuses, or tables too, is posted without them: %i blocks',
  async (taken) => {
    const blocks = [
      section('Reviewed: 3 tasks'),
      { type: 'table', rows: [] } as never,
      chart('Reviewed', {}),
    ];
    const posted: unknown[] = [];
    const post = async (_: unknown, { blocks: sent }: { blocks: unknown[] }) => {
      if (sent.length > taken) throw refused('invalid_blocks');
      posted.push(...sent);
      return { channel, ts: '2.0' };
    };
    const one = message({ state: 'wanted' }, { post }, { render: () => ({ text: '', blocks }) });
    await one.draws();
    expect(posted).toEqual(blocks.slice(0, taken));
    expect(one.card).toEqual({ ...there, ts: '2.0' });
  },
);

test('a post of which nobody knows whether it arrived is searched for from a minute before, found, and brought up to date', async () => {
  const findTagged = vi.fn(async () => ({ channel, ts: '1.5' }));
  const { log, draws } = message(begun, { findTagged });
  await draws();
  expect(findTagged).toHaveBeenCalledWith(channel, 540_000, expect.anything());
  expect(log).toEqual(['findTagged', 'update', 'works']);
});

test('a post of which nobody knows whether it arrived is made again when it is not there, or when the channel may not be read', async () => {
  for (const findTagged of [async () => undefined, () => Promise.reject(refused('missing_scope'))]) {
    const one = message(begun, { findTagged });
    await one.draws();
    expect(one.log).toEqual(['findTagged', 'post', 'works']);
    expect(one.card).toEqual({ ...there, ts: '2.0' });
  }
});

test('a post of which nobody knows whether it arrived is not made again while it cannot be searched for', async () => {
  const { log, draws } = message(begun, { findTagged: () => Promise.reject(noAnswer) });
  await expect(draws()).rejects.toThrow(SlackError);
  expect(log).not.toContain('post');
});

const wanted = { state: 'wanted' } as const;

test('a message that Slack does not answer for is searched for later, and left alone until the call can no longer arrive', async () => {
  const one = message(wanted, { post: () => Promise.reject(noAnswer) });
  await expect(one.draws()).rejects.toThrow(SlackError);
  expect(one.log).toEqual(['post', 'rests 15000']);
  expect(one.card).toMatchObject({ attempt: { at: now, slackAt: now } });
});

test('a message that Slack refuses is not searched for: nothing was posted', async () => {
  const one = message(wanted, { post: () => Promise.reject(refused('msg_too_long')) });
  await expect(one.draws()).rejects.toThrow('msg_too_long');
  expect(one.card).toEqual(wanted);
});

test('a message that Slack refuses because of its channel waits for the channel, whose failure is recorded', async () => {
  for (const [card, call, failed] of [
    [wanted, 'post', 'C1'],
    [{ ...there, channel: asId<ChannelId>('C2') }, 'update', 'C2'],
  ] as const) {
    const one = message(card, { [call]: () => Promise.reject(refused('is_archived')) });
    expect(await one.draws()).toBeUndefined();
    expect(one.log).toEqual([call, `${failed} is_archived`]);
    expect(one.card).toEqual(card);
  }
});

test('a message that Slack refuses for good is given up if its kind can be', async () => {
  const giveUp = vi.fn(async () => undefined);
  await message(wanted, { post: () => Promise.reject(refused('user_disabled')) }, { giveUp }).draws();
  expect(giveUp).toHaveBeenCalledTimes(1);
});

test('a message that Slack no longer has is posted again', async () => {
  const update = () => Promise.reject(refused('message_not_found'));
  const tellUnchangeable = vi.fn(async () => undefined);
  const one = message(there, { update }, { tellUnchangeable });
  await one.draws();
  expect(tellUnchangeable).not.toHaveBeenCalled();
  expect(one.log).toEqual(['update', 'post', 'works']);
  expect(one.card).toEqual({ ...there, ts: '2.0' });
});

test('a message that Slack no longer lets change is told about if its kind can be, and else fails', async () => {
  const update = () => Promise.reject(refused('edit_window_closed'));
  const tellUnchangeable = vi.fn(async () => undefined);
  await message(there, { update }, { tellUnchangeable }).draws();
  expect(tellUnchangeable).toHaveBeenCalledTimes(1);
  await expect(message(there, { update }).draws()).rejects.toThrow('edit_window_closed');
});

test('a message is drawn only when its kind says so, in a channel that has one, by one process', async () => {
  const records = (some: object) => ({ records: some as never });
  for (const [kind, end] of [
    [{ waitMs: () => 300 }, { again: 300 }],
    [{ channelFor: async () => undefined }, undefined],
    [records({ needsRender: async () => false }), undefined],
    [records({ acquireRenderLease: async () => undefined }), { again: 1_000 }],
    [records({ apply: async () => ({ record: undefined, changed: false }) }), { again: 1 }],
  ] as const) {
    const { log, draws } = message({ state: 'wanted' }, {}, kind);
    expect(await draws()).toEqual(end);
    expect(log).toEqual([]);
  }
});

test('a message that changed while it was drawn waits for Slack without its lease, which a click may need', async () => {
  const limits = { channelMs: 1, workspaceMs: 1, limitedMs: 1_000, csvBytesPerMinute: 1 };
  const pauses = { enter: async () => ({ waitMs: 0, release: async () => undefined }) };
  const callOf = createCallSlack(createRateLimiter(redis.first, limits), pauses as unknown as Pauses);
  const limited = new SlackError('chat.update', new WebAPIRateLimitedError(0.001));
  const update = { method: 'chat.update', channel };
  await expect(callOf(ref.workspace)(update, () => Promise.reject(limited))).rejects.toThrow(Paused);
  const lease = { renew: async () => true, markRendered: async () => false, release: vi.fn() };
  const records = { acquireRenderLease: async () => lease } as never;
  const { log, draws } = message(there, {}, { records }, callOf);
  const once = () =>
    draws().catch((error: unknown) => {
      if (!log.includes('update')) throw error;
      return error;
    });
  const drawn = await vi.waitFor(once, { timeout: 5_000, interval: 50 });
  expect(drawn).toBeInstanceOf(Paused);
  expect(lease.release).toHaveBeenCalled();
  expect(log.filter((call) => call === 'update')).toHaveLength(1);
});

const place = (channel: string, ts: string): MessageRef => ({ channel: asId(channel), ts });
const old = place('C05SHELVES', '1.000001');
const moved = place('C01REVIEW', '2.000001');

/** Applies events one after the other; one that does not apply changes nothing. */
function after(card: CardState, ...events: readonly PostEvent[]): CardState {
  return events.reduce((state, event) => postTransition(state, event, { isNeeded: true }) ?? state, card);
}

const lost = { type: 'channel-lost', channel: old.channel } as const;
const posted = { type: 'posted', messageRef: moved } as const;
const posting = { type: 'posting', channel: moved.channel, at: 5 } as const;

test('a card whose channel is lost is wanted once, and its former place is remembered until it says so', () => {
  const wanted = after({ state: 'posted', ...old }, lost, lost);
  expect(wanted).toEqual({ state: 'wanted', former: [old] });
  const there = after(wanted, posting, { type: 'not-posted' }, posting, posted, lost);
  expect(there).toEqual({ state: 'posted', ...moved, former: [old] });
  const gone = after(there, { type: 'card-gone', messageRef: moved });
  expect(gone).toEqual({ state: 'wanted', channel: moved.channel, former: [old] });
  expect(after(there, { type: 'former-retired', messageRef: old })).toEqual({ state: 'posted', ...moved });
});

test('a card in another channel stays, and one that is found where it was is no former one any more', () => {
  expect(after({ state: 'posted', ...moved }, lost)).toEqual({ state: 'posted', ...moved });
  expect(after({ state: 'backlog' }, lost)).toEqual({ state: 'backlog' });
  const back = after({ state: 'posted', ...old }, lost, { type: 'posted', messageRef: old });
  expect(back).toEqual({ state: 'posted', ...old });
});

const found = (messageRef: MessageRef) => ({ type: 'posted', messageRef }) as const;
const cardStates: readonly CardState[] = [
  { state: 'backlog' },
  { state: 'wanted' },
  { state: 'gone' },
  { state: 'posted', ...old },
  { state: 'posted', ...moved },
];

test('a second card that is found becomes a former one: the first stays the task’s', () => {
  for (const before of cardStates) {
    const first = before.state === 'posted' ? { channel: before.channel, ts: before.ts } : moved;
    const second = first.ts === old.ts ? moved : old;
    const both = { state: 'posted', ...first, former: [second] };
    expect(after(before, found(first), found(second))).toEqual(both);
    expect(after(before, found(first), found(second), found(first), found(second))).toEqual(both);
    const many = Array.from({ length: 12 }, (_, at) => ({ ...second, ts: `9.${at}` }));
    expect(after(before, found(first), ...many.map(found))).toMatchObject({ former: many.slice(-10) });
  }
});
