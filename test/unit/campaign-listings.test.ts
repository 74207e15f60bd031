import { expect, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import type { Campaign } from '../../src/domain/campaign.ts';
import { money } from '../../src/domain/money.ts';
import { createCampaignListings } from '../../src/features/campaigns/listings.ts';
import { MarketplaceError, TransportError } from '../../src/marketplace/index.ts';
import { asId, ref } from '../harness/ids.ts';

const one = (id: string, fields: Partial<Campaign> = {}) =>
  campaign({ id: asId(id), title: id, tasksNotRated: 0, createdAt: 1, paymentPerTask: '1', ...fields });
const away = new TransportError({ kind: 'timeout', endpoint: 'list' } as never);
const refused = new MarketplaceError({ operation: 'list', code: 'OTHER', text: 'no' } as never);

type Answer = readonly Campaign[] | Error;

/** Lists what was stored, and what the marketplace answers for the list and for the archive. */
function listingsOf(stored: readonly Campaign[], list: Answer, archive: Answer = [], isComplete = true) {
  const client = {
    async listCampaignsExtended({ folder }: { folder?: string }, options: { onIncomplete?: () => void }) {
      if (!isComplete) options.onIncomplete?.();
      const answer = folder === 'ARCHIVE' ? archive : list;
      if (answer instanceof Error) throw answer;
      return answer.map((some) => ({
        ...some,
        createdAt: new Date(some.createdAt ?? ''),
        paymentPerTask: money(1),
      }));
    },
  };
  const get = async (_: unknown, id: string) => stored.find((known) => known.id === id);
  const campaigns = { all: async () => stored, get, store: async () => undefined, storedAt: async () => 7 };
  return createCampaignListings({ campaigns, logger: { warn() {} } } as never, async () => client as never);
}
const idsOf = (some: readonly Campaign[]) => some.map(({ id }) => id);

test('campaigns stand by how much waits, the newest first, then by title and id', async () => {
  const [b, a, two] = [
    ['b', 10],
    ['a', 10],
    ['c', 2],
  ].map(([id, batch]) => one(`${id}`, { title: `Batch ${batch}` }));
  const all = [b, two, one('busy', { tasksNotRated: 1 }), a, one('new', { createdAt: 2 })] as Campaign[];
  const sorted = ['busy', 'new', 'c', 'a', 'b'];
  expect(idsOf((await listingsOf([], all).list(ref)).campaigns)).toEqual(sorted);
  expect(idsOf(await listingsOf([], [], all).archived(ref))).toEqual(sorted);
  expect(idsOf((await listingsOf(all, away).list(ref)).campaigns)).toEqual(sorted);
  expect(idsOf(await listingsOf(all, away).offered(ref, ''))).toEqual(sorted);
});

test('campaigns that cannot be read are shown as last seen, where the marketplace was away', async () => {
  const [old, now, other] = [one('c', { tasksOk: 1 }), one('c', { tasksOk: 2 }), one('x')];
  expect(await listingsOf([old], [now]).list(ref)).toEqual({ campaigns: [now], lastSeen: undefined });
  expect(await listingsOf([old], away).list(ref)).toEqual({ campaigns: [old], lastSeen: 7 });
  expect((await listingsOf([old, other], [other], [], false).list(ref)).campaigns).toEqual([old, other]);
  await expect(listingsOf([], away).list(ref)).rejects.toThrow(TransportError);
  await expect(listingsOf([old], refused).list(ref)).rejects.toThrow(MarketplaceError);
  const shown = (list: Answer, archive: Answer) => listingsOf([old], list, archive).snapshot(ref, old.id);
  expect(await shown([other, now], away)).toEqual({ campaign: now, lastSeen: undefined });
  expect(await shown(away, [now])).toEqual({ campaign: now, lastSeen: undefined });
  expect(await shown([], [])).toEqual({ campaign: old, lastSeen: undefined });
  expect(await shown([], away)).toEqual({ campaign: old, lastSeen: 7 });
  await expect(shown([], refused)).rejects.toThrow(MarketplaceError);
  expect(await listingsOf([], [other, now]).resolve(ref, now.id)).toEqual({ campaign: now, isFresh: true });
  await expect(listingsOf([], [other]).resolve(ref, now.id)).rejects.toThrow(/no such campaign/);
});

test('what was typed is looked for in what is known, then everywhere: whole titles before parts of busier ones', async () => {
  const [shelf, again] = [one('1', { title: 'Shelf' }), one('2', { title: 'Shelf' })];
  const part = one('3', { title: 'Shelf 2', tasksNotRated: 9 });
  const several = [shelf, again, part];
  expect(await listingsOf([part, again, shelf], away).find(ref, 'shelf')).toEqual({ several });
  expect(await listingsOf([part, shelf], away).find(ref, 'shelf')).toEqual({
    campaign: shelf,
    isFresh: false,
  });
  expect(await listingsOf([again], [], [part]).find(ref, 'shelf 2')).toEqual({
    campaign: part,
    isFresh: true,
  });
  await expect(listingsOf([again], [], []).find(ref, 'tea')).rejects.toThrow(/with the id “tea”/);
  await expect(listingsOf([again], [], away).find(ref, 'tea')).rejects.toThrow(TransportError);
  const offered = async (text: string) =>
    idsOf(await listingsOf([again], [shelf], [part]).offered(ref, text));
  expect(await Promise.all(['shelf', 'shelf 2', ' 3 ', 'tea'].map(offered))).toEqual([['2'], ['3'], [], []]);
});
