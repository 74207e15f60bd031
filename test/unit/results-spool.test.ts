import { createServer, type RequestListener } from 'node:http';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import { createSpool, readResults } from '../../src/features/campaigns/results-file.ts';
import { asId } from '../harness/ids.ts';
import { listen } from '../harness/ports.ts';
import { resultRow } from './result-rows.ts';

async function send(url: string, length: number, body: unknown) {
  const headers = { 'content-length': String(length) };
  return request(url, { method: 'POST', headers, body: body as never });
}

/** A spool and what receives its file: both are closed with the test. */
async function begin(receive: RequestListener) {
  const [spool, server] = [await createSpool(), createServer(receive)];
  onTestFinished(async () => {
    await spool.close();
    server.close();
  });
  return { spool, url: await listen(server) };
}

test('a file that was spooled is sent whole, with its length known beforehand', async () => {
  const bodies: Buffer[] = [];
  const { spool, url } = await begin((incoming, response) => {
    incoming.on('data', (chunk: Buffer) => bodies.push(chunk));
    incoming.on('end', () => response.end(incoming.headers['content-length']));
  });
  const rows = (count: number, row: (index: number) => string) =>
    Array.from({ length: count }, (_, index) =>
      resultRow({
        row: row(index),
        rating: index % 4 === 0 ? 'NOK' : 'OK',
        countryCode: ['gb', 'US', 'US', 'at', 'US'][index % 5] ?? '',
        workerId: asId(`w${index % 10}`),
      }),
    );
  const client: Parameters<typeof readResults>[0] = {
    async campaignResults(campaignId, options) {
      await options?.into?.().onRows?.(rows(1_200, () => 'of an attempt that broke off'));
      // The next attempt begins anew.
      const taker = options?.into?.();
      for (let slice = 0; slice < 4; slice += 1)
        await taker?.onRows?.(rows(250, (index) => String(slice * 250 + index + 1)));
      const counts = { OK: 0, NOK: 0, REVISE: 0, NOTRATED: 1_000, NOTREVIEWED: 0 };
      const preamble = { CAMPAIGN_ID: campaignId };
      return { preamble, rows: [], problems: [], doubtful: new Set(), counts, wireBytes: 0 };
    },
  };
  const reported: number[] = [];
  const into = { format: 'csv', spool, report: (count: number) => void reported.push(count) } as const;
  const read = await readResults(client, campaign({ id: asId('c1') }), into);
  const { length, chunks } = read.file;
  expect(reported).toEqual([1_000, 1_000]);
  expect(read.figures).toEqual({
    tasks: 1_000,
    byRating: { OK: 748, NOK: 252, REVISE: 0, NOTRATED: 0, NOTREVIEWED: 0 },
    countries: [
      { name: 'US', tasks: 600, ok: 452, nok: 148 },
      { name: 'AT', tasks: 200, ok: 148, nok: 52 },
      { name: 'GB', tasks: 200, ok: 148, nok: 52 },
    ],
    workers: 10,
  });
  const answer = await send(url, length, chunks);
  expect(await answer.body.text()).toBe(String(length));
  const text = Buffer.concat(bodies).toString();
  expect(Buffer.concat(bodies)).toHaveLength(length);
  const lines = text.trimEnd().split('\r\n');
  expect(lines[0]).toBe('\uFEFF"CAMPAIGN_ID","c1"');
  const numbers = lines.slice(-1_000).map((line) => line.split(',')[0]?.replaceAll('"', ''));
  expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, index) => String(index + 1)));
  expect(text).not.toContain('broke off');
});
