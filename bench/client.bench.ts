import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createMarketplaceClient } from 'proofdesk/marketplace';
import { Pool } from 'undici';
import { percentile } from './machine.ts';
import { isQuick, megabytes, report } from './report.ts';

// The marketplace's client against bare undici on the same server, in turns: requests a second, and a stream, whose memory
// stays flat.

const rounds = isQuick ? 11 : 31;
/** Rounds before those that count, for the compiler to have seen all of it: a bot runs for weeks. */
const warmUps = 5;
const requests = 1_000;
const concurrency = 16;
const streamMb = 100;
const flatBytes = 20 * 1024 * 1024;

const server = fork(join(import.meta.dirname, 'client-server.ts'), [], { execArgv: ['--import', 'tsx'] });
const [port] = (await once(server, 'message')) as [number];
const url = `http://127.0.0.1:${port}`;
const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
// One connection is kept for ratings, so that as many are left for what is measured.
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

async function drain(stream: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  if (bytes < streamMb * 1024 * 1024) throw new Error(`only ${bytes} bytes`);
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
  await drain((await pool.request({ method: 'GET', path, headers: { ServiceApiKey: 'k' } })).body);
};
const ownStream = async () => drain((await client.downloadFileProof('t', streamMb)).stream);

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
    // Each pair is measured in both orders.
    for (let round = 0; round < (isStream ? 15 : rounds); round += 1) {
      const [first, second] = round % 2 === 0 ? [bare, own] : [own, bare];
      const [a, b] = [await secondsOf(first), await secondsOf(second)];
      ratios.push(round % 2 === 0 ? a / b : b / a);
    }
    report({ what, against: 'bare undici on the same server', value: percentile(ratios, 0.5), least: 0.9 });
  }
  const before = process.memoryUsage.rss();
  peak = 0;
  for (let round = 0; round < 3; round += 1) await ownStream();
  report({
    what: `Three streams of ${streamMb} MB: memory beyond what it was before (MB)`,
    against: 'flat',
    value: Math.max(0, peak - before) / 1024 / 1024,
    most: flatBytes / 1024 / 1024,
    measured: `${megabytes(before)} before`,
  });
} finally {
  await client.close();
  await pool.close();
  server.kill();
}
