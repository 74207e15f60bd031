import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { createResultsWriter } from '../../src/features/campaigns/results/results-file.ts';
import { createSpool } from '../../src/features/campaigns/results/spool.ts';
import { resultRow } from './result-rows.ts';

test('a file that was spooled is sent whole, with its length known beforehand', async () => {
  const bodies: Buffer[] = [];
  const server = createServer((incoming, response) => {
    incoming.on('data', (chunk: Buffer) => bodies.push(chunk));
    incoming.on('end', () => response.end(incoming.headers['content-length']));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spool = await createSpool();
  try {
    const broken = createResultsWriter('csv', spool);
    for (let row = 0; row < 700; row += 1) broken.onRow(resultRow({ row: 'of an attempt that broke off' }));
    await broken.flush();
    // The next attempt begins anew.
    const writer = createResultsWriter('csv', spool);
    for (let row = 1; row <= 1_000; row += 1) {
      writer.onRow(resultRow({ row: String(row) }));
      if (row % 300 === 0) await writer.flush();
    }
    const { length, chunks } = writer.file({ CAMPAIGN_ID: 'c1' });
    const { port } = server.address() as AddressInfo;
    const answer = await request(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-length': String(length) },
      body: chunks as never,
    });
    expect(await answer.body.text()).toBe(String(length));
    const text = Buffer.concat(bodies).toString();
    expect(Buffer.concat(bodies)).toHaveLength(length);
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toBe('\uFEFF"CAMPAIGN_ID","c1"');
    expect(lines.slice(-1_000).map((line) => line.split(',')[0]?.replaceAll('"', ''))).toEqual(
      Array.from({ length: 1_000 }, (_, index) => String(index + 1)),
    );
    expect(text).not.toContain('broke off');
  } finally {
    await spool.close();
    server.close();
  }
});
