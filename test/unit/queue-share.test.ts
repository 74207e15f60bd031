import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type QueueContent, queueMessageId } from '../../src/domain/queue-message.ts';
import { CampaignId, ChannelId } from '../../src/domain/terms.ts';
import { isShared, maxQueueMessages, type QueueAt, shareQueues } from '../../src/features/queue/share.ts';

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
  fc.assert(
    fc.property(queues, fc.boolean(), (all, isDigest) => {
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
    }),
    { examples: [[many, false]] },
  );
});

test('what is counted together says how many campaigns, what is due first, and where cards are if that is one channel', () => {
  const cards = { count: 1, channel: ChannelId.parse('C9') };
  const counted = Array.from({ length: 13 }, (_, index) =>
    at(0, `c${index}`, { waiting: 2, oldest: 100 + index, dueAt: 200 + index, cards }),
  );
  const rest = shareQueues(counted, new Set(), true).find(({ place }) => isShared(place.campaign));
  const sums = { campaigns: 11, waiting: 22, oldest: 102, dueAt: 202 };
  expect(rest?.content).toMatchObject({ ...sums, cards: { count: 11, channel: 'C9' } });
});
