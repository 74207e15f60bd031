import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startRedis } from '../test/harness/redis.ts';
import { forked, percentile } from './machine.ts';
import { isQuick, megabytes, milliseconds, report } from './report.ts';

// Measures the cost of reading the results of a large campaign with one new task: CPU against the unavoidable work
// (unpacking, parsing and looking at the same bytes once), alternating; and memory against the idle process.

const rounds = isQuick ? 3 : 5;
const sizes = isQuick ? [10_000, 100_000] : [1_000, 10_000, 100_000];
const memoryRows = 100_000;
const memoryMb = 250;

const redis = await startRedis();
const server = await forked<number>('results-server.ts', [], ['--max-old-space-size=8000']);
const startReader = async () =>
  (await forked('reader.ts', [`http://127.0.0.1:${server.message}`, redis.url])).child;
async function ask<Answer>(reader: ChildProcess, ...command: [string, number]): Promise<Answer> {
  const answer = once(reader, 'message');
  reader.send(command);
  return (await answer)[0] as Answer;
}

try {
  for (const size of sizes) {
    const reader = await startReader();
    await ask(reader, 'know', size);
    // The last task waits for a rating and is new each time.
    const count = size + 1 + ((7 - (size % 7)) % 7);
    const ours: number[] = [];
    const peers: number[] = [];
    // The first round stores the workers, and is slower on both sides.
    for (let round = 0; round <= rounds; round += 1) {
      const { ms: peer } = await ask<{ ms: number }>(reader, 'peer', count);
      const { ms, found } = await ask<{ ms: number; found: number }>(reader, 'read', count);
      if (found !== 1) throw new Error(`${found} tasks are new`);
      if (round === 0) continue;
      ours.push(ms);
      peers.push(peer);
    }
    reader.kill();
    const [own, peer] = [percentile(ours, 0.5), percentile(peers, 0.5)];
    report({
      what: `CPU of reading ${size.toLocaleString('en')} rows for what is new`,
      against: 'gunzip, JSON.parse and a linear scan of the same bytes',
      value: own / peer,
      ...(size === 100_000 ? { most: 6 } : {}),
      measured: `${milliseconds(own)}, ${milliseconds(peer)}`,
    });
  }

  const seeder = await startReader();
  await ask(seeder, 'know', memoryRows);
  seeder.kill();
  const reader = await startReader();
  await ask(reader, 'read', 100);
  const idle = await ask<{ now: number; peak: number }>(reader, 'memory', 0);
  await ask(reader, 'read', memoryRows + 1);
  const { peak } = await ask<{ peak: number }>(reader, 'memory', 0);
  reader.kill();
  report({
    what: `Peak memory while reading ${memoryRows.toLocaleString('en')} rows (MB beyond idle)`,
    against: 'the process idle',
    value: (peak - idle.now) / 1024 / 1024,
    most: memoryMb,
    measured: `idle ${megabytes(idle.now)}`,
  });
} finally {
  server.child.kill();
  await redis.stop();
}
