import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyQueueMessageEvent,
  type QueueContent,
  type QueueMessage,
  queueMessageId,
} from '../../src/domain/queue-message.ts';
import { CampaignId, ChannelId } from '../../src/domain/terms.ts';
import { createQueueMessages } from '../../src/features/queue/index.ts';
import { queueMessage, queueOfBlocks } from '../../src/features/queue/queue.view.ts';
import { isShared, maxQueueMessages, type QueueAt, shareQueues } from '../../src/features/queue/share.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { forAll } from './properties.ts';

const place = { channel: ChannelId.parse('C01REVIEW'), campaign: CampaignId.parse('c 1') };
const paceMs = 1_000;
const minute = 60_000;
const waits = (waiting: number): QueueContent => ({ waiting });
const counted = (before: QueueMessage | undefined, content: QueueContent, at: number) =>
  applyQueueMessageEvent(before, { type: 'counted', place, content, at, paceMs });
const posted = (before: QueueMessage | undefined, ts = '1.000100') =>
  applyQueueMessageEvent(before, { type: 'posted', messageRef: { channel: place.channel, ts } });

test('nothing is said where nothing has waited yet', () => {
  expect(counted(undefined, waits(0), 1)).toBeUndefined();
  expect(counted(undefined, waits(3), 1)?.card).toEqual({ state: 'wanted' });
});

test('many changes become one update: the message says something else at its pace only', () => {
  const first = posted(counted(undefined, waits(40), 1));
  expect(counted(first, waits(39), 900)).toBeUndefined();
  expect(counted(first, waits(40), 5_000)).toBeUndefined();
  const second = counted(first, waits(30), 1_001);
  expect(second).toMatchObject({ waiting: 30, revision: (first?.revision ?? 0) + 1 });
});

test('a message whose post has not begun says the latest at once, and need not be posted when nothing waits', () => {
  const wanted = counted(undefined, waits(2), 1);
  expect(counted(wanted, waits(1), 2)?.waiting).toBe(1);
  expect(counted(wanted, waits(0), 2)?.card).toEqual({ state: 'gone' });
});

test('what waits again soon stands in the same message, and later in a new one where people look', () => {
  const ended = counted(posted(counted(undefined, waits(2), 1)), waits(0), 2_000);
  expect(ended).toMatchObject({ waiting: 0, card: { state: 'posted' } });
  expect(counted(ended, waits(1), 60 * minute + 2_000)?.card.state).toBe('posted');
  expect(counted(ended, waits(1), 60 * minute + 2_001)?.card).toEqual({ state: 'wanted' });
  expect(counted(ended, { waiting: 0, oldest: 5 }, 5_000)).toBeUndefined();
});

test('a deleted message is posted again only while something waits', () => {
  const gone = { type: 'card-gone', messageRef: { channel: place.channel, ts: '1.000100' } } as const;
  const standing = posted(counted(undefined, waits(2), 1));
  expect(applyQueueMessageEvent(standing, gone)?.card.state).toBe('wanted');
  const { blocks } = queueMessage(ref.account, standing as QueueMessage, 'A shelf');
  expect(queueOfBlocks([{}, { block_id: 'x' }, ...blocks])).toEqual({ account: 'a1', campaign: 'c 1' });
  expect(JSON.stringify(blocks)).toContain('"value":"a1 c 1"');
  const others = { ...(standing as QueueMessage), campaign: CampaignId.parse('*others') };
  expect(JSON.stringify(queueMessage(ref.account, others, undefined).blocks)).toContain('"value":"a1"');
  expect(applyQueueMessageEvent(counted(standing, waits(0), 5_000), gone)?.card.state).toBe('gone');
});

const channel = asId<ChannelId>('C01REVIEW');
const posting: QueueMessage = {
  channel,
  campaign: asId('c1'),
  waiting: 5,
  changedAt: 1_000,
  card: { state: 'wanted', attempt: { channel, at: 1_000 } },
  revision: 3,
};
const messageRef = { channel, ts: '1.000200' };

test('a message that is deleted before the answer to its post is here is posted again', () => {
  const deleted = applyQueueMessageEvent(posting, { type: 'card-gone', messageRef });
  const answered = applyQueueMessageEvent(deleted, { type: 'posted', messageRef });
  expect(answered?.card).toEqual({ state: 'wanted', channel });
  // The render that has posted it sees that it is not done.
  expect(answered?.revision).toBeGreaterThan(posting.revision);
  const notNeeded = applyQueueMessageEvent({ ...posting, waiting: 0 }, { type: 'card-gone', messageRef });
  expect(applyQueueMessageEvent(notNeeded, { type: 'posted', messageRef })?.card).toEqual({ state: 'gone' });
});

test('another message that is deleted meanwhile changes nothing of the one posted', () => {
  const other = { channel, ts: '0.000100' };
  const deleted = applyQueueMessageEvent(posting, { type: 'card-gone', messageRef: other });
  const answered = applyQueueMessageEvent(deleted, { type: 'posted', messageRef });
  expect(answered?.card).toMatchObject({ state: 'posted', ...messageRef });
  const elsewhere = { channel: asId<ChannelId>('C02INBOX'), ts: messageRef.ts };
  expect(applyQueueMessageEvent(posting, { type: 'card-gone', messageRef: elsewhere })).toBeUndefined();
});

test('a message that has said for an hour that nothing waits is done; one that goes on stands', async () => {
  const ended: unknown[] = [];
  const message = counted(posted(counted(undefined, waits(2), 1)), waits(0), 2_000) as QueueMessage;
  const refresh = async (record: QueueMessage, now: number, isDrawn = true) => {
    const apply = async (_: unknown, __: unknown, event: { type: string }) => {
      if (event.type === 'card-gone') ended.push(event);
      return { record, changed: false };
    };
    const modules = onlyModules({
      channels: {
        windows: { queues: async () => new Map(), waitingIn: async () => [] },
        digests: { ofAccount: async () => [] },
      },
      tasks: { open: { waitingIn: async () => [] } },
      clock: { now: () => now },
      slack: { queueMessages: { apply, shown: async () => [record], needsRender: async () => !isDrawn } },
    });
    const window = { routesOf: async () => new Map() };
    await createQueueMessages({ ...modules, window, queuePaceMs: paceMs } as never).refresh(ref);
  };
  await refresh(message, 2_000 + 60 * minute);
  await refresh({ ...message, waiting: 1 }, 2_001 + 60 * minute);
  // In a channel that is lost, it does not say so yet.
  await refresh(message, 2_001 + 60 * minute, false);
  expect(ended).toEqual([]);
  await refresh(message, 2_001 + 60 * minute);
  expect(ended).toEqual([{ type: 'card-gone', messageRef: message.card }]);
});

const channels = ['C1', 'C2'].map((id) => ChannelId.parse(id));

function at(channel: number, name: string, content: Partial<QueueContent>): QueueAt {
  const place = { channel: channels[channel] ?? ChannelId.parse('C1'), campaign: CampaignId.parse(name) };
  return { place, content: { waiting: 0, ...content } };
}

const queue = fc.record({
  channel: fc.integer({ min: 0, max: 1 }),
  name: fc.integer({ min: 0, max: 30 }).map((number) => `c${number}`),
  waiting: fc.integer({ min: 0, max: 40 }),
  oldest: fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }),
  isShown: fc.boolean(),
});
const selector = ({ channel, name }: { channel: number; name: string }) => `${channel} ${name}`;
const queues = fc.uniqueArray(queue, { maxLength: 60, selector });
const many = Array.from({ length: 30 }, (_, index) => ({
  channel: 0,
  name: `c${index}`,
  waiting: index + 1,
  oldest: 1_000 - index,
  isShown: index < 3,
}));

test('each campaign that waits is counted in exactly one message of its channel; those that stand keep theirs', () => {
  forAll({ examples: [[many, false]] }, queues, fc.boolean(), (all, isDigest) => {
    const counted = all.map(({ channel, name, waiting, oldest }) =>
      at(channel, name, { waiting, ...(oldest === undefined ? {} : { oldest, dueAt: oldest + 10 }) }),
    );
    const isShown = ({ place }: QueueAt) => shown.has(queueMessageId(place));
    const drawn = counted.filter((_, index) => all[index]?.isShown);
    const shown = new Set(drawn.map(({ place }) => queueMessageId(place)));
    const shared = shareQueues(counted, shown, isDigest);
    for (const channel of channels) {
      const here = counted.filter(({ place }) => place.channel === channel);
      const told = shared.filter(({ place }) => place.channel === channel);
      const own = told.filter(({ place }) => !isShared(place.campaign));
      const rest = told.filter(({ place }) => isShared(place.campaign));
      expect(rest.length).toBeLessThanOrEqual(1);
      for (const one of here.filter(isShown)) expect(own).toContain(one);
      const left = here.filter((one) => one.content.waiting > 0 && !own.includes(one));
      expect(rest[0]?.content.campaigns ?? 0).toBe(left.length);
      const sum = (some: readonly QueueAt[]) =>
        some.reduce((total, { content }) => total + content.waiting, 0);
      expect(sum(own) + sum(rest)).toBe(sum(here));
      const anew = own.filter((one) => one.content.waiting > 0 && !isShown(one));
      const standing = here.filter((one) => one.content.waiting > 0 && isShown(one));
      expect(anew.length).toBeLessThanOrEqual(Math.max(0, maxQueueMessages - standing.length));
      // Nothing that is counted together is due before what has got a message of its own.
      const due = ({ content }: QueueAt) => content.dueAt ?? Number.MAX_SAFE_INTEGER;
      for (const one of left) for (const other of anew) expect(due(other)).toBeLessThanOrEqual(due(one));
    }
  });
});

test('what is counted together says how many campaigns, what is due first, and where cards are if that is one channel', () => {
  const cards = { count: 1, channel: ChannelId.parse('C9') };
  const counted = Array.from({ length: 13 }, (_, index) =>
    at(0, `c${index}`, { waiting: 2, oldest: 100 + index, dueAt: 200 + index, cards }),
  );
  const sums = { campaigns: 11, waiting: 22, oldest: 102, dueAt: 202 };
  const content = { ...sums, cards: { count: 11, channel: 'C9' } };
  const rest = { place: { channel: 'C1', campaign: '*digests' }, content };
  expect(shareQueues(counted.toReversed(), new Set(), true)).toEqual([...counted.slice(0, 2), rest]);
  // Of those whose deadlines nobody knows, the oldest; then by name.
  const named = ['c3', 'c2', 'c1', 'c4'].map((name) => at(0, name, { waiting: 1 }));
  const first = shareQueues([...named, at(0, 'c9', { waiting: 1, oldest: 5 })], new Set(), false);
  expect(first.map(({ place }) => place.campaign)).toEqual(['c9', 'c1', '*others']);
  // One that says that nothing waits takes no place.
  const none = at(0, 'c0', {});
  const beside = shareQueues([none, ...named], new Set([queueMessageId(none.place)]), false);
  expect(beside.map(({ place }) => place.campaign)).toEqual(['c0', 'c1', 'c2', '*others']);
});
