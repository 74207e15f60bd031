import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { TransportError } from '../../src/marketplace/index.ts';
import { campaignSummary, clientOf, failure, serve } from './marketplace-server.ts';

const listOf = (ids: readonly string[]) =>
  Buffer.from(
    JSON.stringify({
      status: 'SUCCESS',
      count: ids.length,
      campaigns: ids.map((id) => ({ ...campaignSummary, campaign_id: id })),
    }),
  );
const one = listOf(['c1']);
const two = listOf(['c1', 'c2']);
const gzip = (body: Buffer, level = 1) => ({
  body: gzipSync(body, { level }),
  headers: { 'content-encoding': 'gzip' },
});

/** Lists the campaigns once per answer. As in a poll, a list is known once it was read. */
async function looking(replies: readonly { body: Buffer; headers?: Record<string, string> }[]) {
  const server = await serve((_, n) => replies[n - 1] ?? 'drop');
  const client = clientOf(server.url);
  const known = new Set<string>();
  return {
    known,
    client,
    async look() {
      let digest = '';
      const campaigns = await client.listCampaignsExtended(
        {},
        {
          isKnown(answered) {
            digest = answered;
            return known.has(answered);
          },
        },
      );
      known.add(digest);
      return { ids: campaigns.map(({ id }) => id), digest };
    },
  };
}

test('the same text in other bytes is known, also to a client that has not seen it', async () => {
  const br = { body: brotliCompressSync(one), headers: { 'content-encoding': 'br' } };
  const replies = [gzip(one), gzip(one, 0), br, { body: one }];
  const { look, known } = await looking(replies);
  const { digest } = await look();
  for (const _ of replies.slice(1)) expect(await look()).toEqual({ ids: [], digest });
  const restarted = await looking([gzip(one)]);
  for (const each of known) restarted.known.add(each);
  expect(await restarted.look()).toEqual({ ids: [], digest });
});

test('another text is read, and so are the same bytes once they are no longer known', async () => {
  const { look, known } = await looking([gzip(one), gzip(two), gzip(two), gzip(one)]);
  await look();
  expect((await look()).ids).toEqual(['c1', 'c2']);
  known.clear();
  expect((await look()).ids).toEqual(['c1', 'c2']);
  expect((await look()).ids).toEqual(['c1']);
});

test('bytes that cannot be decompressed, or unpack to far too much, are an error and known to nobody', async () => {
  const broken = { body: gzipSync(one).subarray(0, 40), headers: { 'content-encoding': 'gzip' } };
  const bomb = gzip(Buffer.alloc(64 * 1024 * 1024));
  const { client } = await looking([broken, broken, broken, broken, broken]);
  const isKnown = () => true;
  const error = await failure(TransportError, client.listCampaignsExtended({}, { isKnown }));
  expect(error.kind).toBe('connection');
  const packed = await looking([bomb, bomb]);
  expect(await failure(TransportError, packed.client.listCampaignsExtended({}, { isKnown }))).toMatchObject({
    kind: 'unreadable',
  });
});
