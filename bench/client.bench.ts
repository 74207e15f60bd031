import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createMarketplaceClient } from 'proofdesk/marketplace';
import { Pool } from 'undici';
import { percentile } from './machine.ts';
import { isQuick, megabytes, report } from './report.ts';

// Compares the marketplace client with plain undici on the same server, alternating: requests a second, and a stream, whose
// memory must not depend on its length.

const rounds = isQuick ? 21 : 31;
/** Warm-up rounds, so that all code is compiled: bots run for weeks. */
const warmUps = 5;
const requests = 1_000;
const concurrency = 16;
const streamMb = 100;

const server = fork(join(import.meta.dirname, 'client-server.ts'), [], { execArgv: ['--import', 'tsx'] });
const [port] = (await once(server, 'message')) as [number];
const url = `http://127.0.0.1:${port}`;
const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
// The client reserves one connection for ratings; with one more, it has as many for the measured requests as undici.
const client = createMarketplaceClient({
  baseUrl: url,
  apiKey: 'k',
  concurrency: concurrency + 1,
  requestsPerSecond: 1_000_000,
});

async function inParallel(run: () => Promise<unknown>): Promise<void> {
  let left = requests;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

async function drain(stream: AsyncIterable<Buffer>, size: number): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  if (bytes < size * 1024 * 1024) throw new Error(`only ${bytes} bytes`);
  return bytes;
}

async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return (performance.now() - began) / 1_000;
}

const bareGet = () =>
  inParallel(async () => {
    const { body } = await pool.request({
      method: 'GET',
      path: '/campaign_hg/get_task_info/t1',
      headers: { ServiceApiKey: 'k' },
    });
    return body.json();
  });
const ownGet = () => inParallel(() => client.getTaskInfo('t1'));
const bareStream = async () => {
  const path = `/campaign_hg/download_file_proof/t_${streamMb}`;
  await drain((await pool.request({ method: 'GET', path, headers: { ServiceApiKey: 'k' } })).body, streamMb);
};
const ownStream = async (size = streamMb) => drain((await client.downloadFileProof('t', size)).stream, size);

let peak = 0;
try {
  for (const [what, bare, own] of [
    [`${requests.toLocaleString('en')} GETs at concurrency ${concurrency}: throughput`, bareGet, ownGet],
    [`A stream of ${streamMb} MB: throughput`, bareStream, ownStream],
  ] as const) {
    const isStream = bare === bareStream;
    for (let round = 0; round < (isStream ? 1 : warmUps); round += 1)
      for (const warm of [bare, own]) await warm();
    const ratios: number[] = [];
    // Alternates the order within each pair.
    for (let round = 0; round < (isStream ? 15 : rounds); round += 1) {
      const [first, second] = round % 2 === 0 ? [bare, own] : [own, bare];
      const [a, b] = [await secondsOf(first), await secondsOf(second)];
      ratios.push(round % 2 === 0 ? a / b : b / a);
    }
    report({ what, against: 'bare undici on the same server', value: percentile(ratios, 0.5), least: 0.9 });
  }
  const peakOf = async (size: number) => {
    peak = 0;
    for (let streamed = 0; streamed < 3 * streamMb; streamed += size) await ownStream(size);
    return peak;
  };
  const peaks = [await peakOf(streamMb / 100), await peakOf(streamMb / 10), await peakOf(streamMb)];
  const [small = Number.NaN, , large = Number.NaN] = peaks;
  report({
    what: `Peak memory while ${3 * streamMb} MB are streamed in answers of ${streamMb} MB`,
    against: `the same in answers of ${streamMb / 100} MB`,
    value: large / small,
    most: 1.1,
    measured: peaks.map(megabytes).join(', '),
  });
} finally {
  await client.close();
  await pool.close();
  server.kill();
}
