import { Redis } from 'ioredis';
import { AccountId, CampaignId, MemberId, TaskId, WorkerId, WorkspaceId } from '../src/domain/terms.ts';
import { createTasks } from '../src/store/tasks.ts';
import { startRedis } from '../test/harness/redis.ts';
import { percentile } from './machine.ts';
import { isQuick, report } from './report.ts';

// An accepted decision survives a power cut only if Redis syncs it to disk before answering (appendfsync always). Measures
// the cost of that against everysec, alternating: decisions per second of one process, one at a time and 16 at a time, and
// the time of one decision.

const rounds = isQuick ? 1 : 3;
const perRound = 400;
/** Clicks must be answered within 100 ms at the 99th percentile; the sync may take half of that. */
const limitMs = 50;
const ref = { workspace: WorkspaceId.parse('T01BENCH'), account: AccountId.parse('a0') };
const policies = ['everysec', 'always'] as const;
const counts = [1, 16] as const;
type Case = `${(typeof policies)[number]} ${(typeof counts)[number]}`;

async function decideAll(redis: Redis, prefix: string, concurrency: number): Promise<number[]> {
  const tasks = createTasks(redis);
  const ids = Array.from({ length: perRound }, (_, index) => TaskId.parse(`${prefix}${index}`));
  for (const id of ids) {
    await tasks.apply(ref, id, {
      type: 'seen',
      readAt: Date.now(),
      id,
      campaign: CampaignId.parse('c0'),
      rating: 'NOTRATED',
      comment: '',
      worker: { id: WorkerId.parse('w0'), country: 'Peru', ip: '192.0.2.1' },
      csvRow: id,
      proof: { slots: ['A photo of the shelf, taken today'], files: [] },
      want: 'card',
    });
  }
  const waiting = [...ids];
  const took: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const from = performance.now();
        const decision = { id: `d${id}`, by: MemberId.parse('U01ANN'), verdict: 'OK', comment: '' } as const;
        await tasks.apply(ref, id, {
          type: 'decided',
          decision,
          round: 1,
          at: Date.now(),
          sendAt: Date.now(),
        });
        took.push(performance.now() - from);
      }
    }),
  );
  perSecond.push(perRound / ((performance.now() - began) / 1_000));
  return took;
}

let perSecond: number[] = [];
const results = new Map<Case, { readonly took: number[]; readonly perSecond: number[] }>();
for (let round = 0; round < rounds; round += 1) {
  for (const fsync of policies) {
    const server = await startRedis({ fsync });
    const redis = new Redis(server.url);
    for (const count of counts) {
      perSecond = [];
      const took = await decideAll(redis, `r${round}x${count}n`, count);
      const name: Case = `${fsync} ${count}`;
      const known = results.get(name) ?? { took: [], perSecond: [] };
      results.set(name, {
        took: [...known.took, ...took],
        perSecond: [...known.perSecond, ...perSecond],
      });
    }
    redis.disconnect();
    await server.stop();
  }
}

const rate = (name: Case) => percentile(results.get(name)?.perSecond ?? [], 0.5);
const p99 = (name: Case) => percentile(results.get(name)?.took ?? [], 0.99);
for (const count of counts) {
  const [everysec, always] = [`everysec ${count}`, `always ${count}`] as const;
  report({
    what: `Decisions a second, synced to the disk before each answer, ${count} at a time`,
    against: 'synced every second',
    value: rate(always) / rate(everysec),
    measured: `${rate(always).toFixed(0)}, ${rate(everysec).toFixed(0)}; p99 ${p99(always).toFixed(1)} ms, ${p99(everysec).toFixed(1)} ms`,
  });
}
report({
  what: 'A decision synced to the disk before its answer, p99',
  against: `${limitMs} ms`,
  value: p99('always 1') / limitMs,
  most: 1,
});
