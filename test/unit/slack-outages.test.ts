import { expect, test } from 'vitest';
import { createSlackOutageNotices } from '../../src/features/polling/incidents.ts';
import { createSlackOutages } from '../../src/store/pauses.ts';
import { asId } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { waitingRow } from '../harness/waiting-row.ts';

const redis = twoRedisClients();
const workspace = asId<never>('T1');

test('cards that were made good before the end of an outage was noticed still count as late', async () => {
  const outages = createSlackOutages(redis.first);
  const late = (cards: number) => [{ channel: asId<never>('C1'), cards }];
  await outages.record(workspace, { since: 5 }, 'a1', late(3));
  await outages.record(workspace, { since: 6, until: 9 }, 'a1', late(2));
  await outages.record(workspace, { since: 6, until: 9 }, 'a2', []);
  expect(await outages.get(workspace)).toEqual({ since: 5, until: 9, late: { a1: late(3), a2: [] } });
});

test('an outage of a minute is told in the channels of its late cards, once they are up to date or ten minutes have passed', async () => {
  const ref = { workspace, account: asId<never>('a1') };
  const card = asId<never>('t1');
  const clock = { now: 1_000_000 };
  const told: string[] = [];
  const modules = testModules(
    redis.first,
    { channels: { shared: { isShared: async (_: unknown, channel: string) => channel !== 'C1' } } },
    {
      now: () => clock.now,
      messengerOf: () => ({ post: async (to: string) => void told.push(to) }) as never,
    },
  );
  const { tasks, marketplace } = modules;
  const { report } = createSlackOutageNotices(modules);
  const pause = (name: 'fail' | 'succeed') =>
    name === 'fail'
      ? marketplace.pauses.fail(workspace, 'slack', { code: 'http_500', began: clock.now, pausesAfter: 1 })
      : marketplace.pauses.succeed(workspace, 'slack', clock.now);
  await tasks.apply(ref, card, waitingRow(card));
  await tasks.apply(ref, card, { type: 'posted', messageRef: { channel: asId('C1'), ts: '1.1' } });
  /** An outage of so long, in which the card gets late. */
  async function isAway(ms: number) {
    await tasks.markNeedsRender(ref, [card]);
    await pause('fail');
    clock.now += ms;
    await report(ref);
    await pause('succeed');
    await report(ref);
    await report(ref);
  }
  await isAway(59_999);
  expect(await modules.slack.outages.get(workspace)).toBeUndefined();
  await isAway(60_000);
  expect(told).toEqual([]);
  await tasks.clearNeedsRender(ref, card);
  await report(ref);
  await report(ref);
  expect(told).toEqual(['C1']);
  await isAway(60_000);
  clock.now += 600_000;
  await report(ref);
  expect(told).toEqual(['C1']);
  clock.now += 1;
  await report(ref);
  expect(told).toEqual(['C1', 'C1']);
});
